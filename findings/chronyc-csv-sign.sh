#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# chronyc -c (chrony 4.3): a clock that is slow has a positive "System time"; one field on, positive is fast.
#
# The text says "0.3 seconds slow of NTP time", and for the next row, "Last offset", the manual says that a
# positive value is a clock ahead of its source. In CSV the words are gone, and one expects the two offsets
# of one line to have one sign: slow negative. The first is positive. The manual does not say how CSV shows
# the words. Whom it hurts: who corrects one-way delays, or plots clocks, by the CSV of two hosts: the
# error doubles where it should go. A test with a clock that is right shows nothing.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root chrony libseccomp2 libedit2 libbsd0 libnettle8 libgnutls30 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
export LD_LIBRARY_PATH
chmod 700 .
cat >server.conf <<TEXT
local stratum 8
allow 127.0.0.0/8
cmdport 0
bindcmdaddress $place/server.sock
pidfile $place/server.pid
user root
TEXT
cat >client.conf <<TEXT
server 127.0.0.1 minpoll 0 maxpoll 0 iburst offset 0.3
port 0
cmdport 0
bindcmdaddress $place/client.sock
pidfile $place/client.pid
user root
TEXT
cat >probe <<SH
ip link set lo up
usr/sbin/chronyd -x -f $place/server.conf
usr/sbin/chronyd -x -f $place/client.conf
ask() { usr/bin/chronyc -h $place/client.sock "\$@" tracking; }
for second in \$(seq 60); do
	ask | grep -q '^System time .* 0\.[23]' && break
	sleep 1
done
ask | sed -n 's/^System time *: 0\.[23][0-9]* seconds \([a-z]*\).*/the clock is \1/p'
ask -c | awk -F, '{ print "System time in CSV is", (\$5 > 0 ? "positive" : "negative") }'
kill \$(cat server.pid client.pid)
SH
unshare -n sh probe | tee seen.txt
cat >expected.txt <<'TEXT'
the clock is slow
System time in CSV is positive
TEXT
cmp seen.txt expected.txt
