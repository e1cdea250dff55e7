#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# D-ITG 2.8.1: of 100 datagrams the last 20 are lost; ITGDec says "Packets dropped 0 (0.00 %)".
#
# Sender and receiver of D-ITG speak over TCP besides, at a flow's begin and end, so one expects the loss to
# be of what was sent. ITGDec counts gaps between the numbers that came: what is lost at the end is no gap,
# and is in no loss, and "Total packets" has 80.
# Every fifth lost comes as 19 (the last one is at the end). No warning.
# Whom it hurts: who measures a link that breaks, a hand-over or a table that fills: the longer it is away at
# the end of a flow the better is the loss, and the rate is that of the time before.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root d-itg=2.8.1-r1023-6 nftables=1.0.6-2+deb12u2 libnftables1=1.0.6-2+deb12u2 \
	libnftnl11 libjansson4 libsctp1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >probe <<'SH'
set -eu
ip link set lo up
for lost in "100 >= 80" "5 4"; do
	usr/sbin/nft -f - <<NFT
flush ruleset
table ip lossy {
	chain input {
		type filter hook input priority 0
		udp dport 8999 meta length > 100 numgen inc mod $lost counter drop
	}
}
NFT
	usr/bin/ITGRecv -l log >/dev/null 2>&1 &
	receiver=$!
	sleep 1
	timeout 60 usr/bin/ITGSend -a 127.0.0.1 -rp 8999 -T UDP -C 100 -c 500 -z 100 >/dev/null 2>&1
	kill -INT $receiver
	wait
	echo "numgen inc mod $lost:" $(usr/sbin/nft list ruleset | sed -n 's/.*counter packets \([0-9]*\) .*/\1/p') of 100 lost
	usr/bin/ITGDec log 2>/dev/null | sed -n '/TOTAL/,$s/ *= */: /; /TOTAL/,$s/^\(Total packets\|Packets dropped\)/  ITGDec: \1/p'
done
SH
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
unshare -n sh ./probe | tee seen.txt
cat >expected.txt <<'TEXT'
numgen inc mod 100 >= 80: 20 of 100 lost
  ITGDec: Total packets: 80
  ITGDec: Packets dropped: 0 (0.00 %)
numgen inc mod 5 4: 20 of 100 lost
  ITGDec: Total packets: 80
  ITGDec: Packets dropped: 19 (19.19 %)
TEXT
cmp seen.txt expected.txt
