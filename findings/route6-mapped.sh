#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# net-tools 2.10: `route -6 -n` and `netstat -6 -rn` print an IPv4-mapped prefix of IPv6 as one of IPv4.
#
# A route to ::ffff:198.18.0.0/112 is the line "198.18.0.0/112", in a table of IPv6, with -n, which promises
# addresses as they are; `ip -6 route` and busybox have the prefix. The kernel's /proc has all 32 digits.
# Whom it hurts: who reads such a table from others' machines. A public fixture of CentOS 7 (jc,
# route-6-n.out) has "0.0.0.0/96", a prefix that neither family has, so a reader of routes stops at line 4,
# or takes the address without its length for a default route of IPv4.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root net-tools=2.10-0.1+deb12u2 >/dev/null
dpkg -x net-tools_*.deb .
cat >probe <<'SH'
ip link set lo up
sysctl -q net.ipv6.conf.all.disable_ipv6=0
ip -6 route add unreachable ::ffff:198.18.0.0/112 dev lo
ip -6 route add unreachable ::ffff:0.0.0.0/96 dev lo
echo "ip: $(ip -6 route show ::ffff:198.18.0.0/112 | cut -d ' ' -f 2)"
for tool in "sbin/route -6 -n" "bin/netstat -6 -rn"; do
	for bits in 112 96; do
		echo "${tool#*/}: $($tool | sed -n "s,^\([^ ]*/$bits\) .*,\1,p")"
	done
done
SH
unshare -n sh probe | tee seen.txt
cat >expected.txt <<'TEXT'
ip: ::ffff:198.18.0.0/112
route -6 -n: 198.18.0.0/112
route -6 -n: 0.0.0.0/96
netstat -6 -rn: 198.18.0.0/112
netstat -6 -rn: 0.0.0.0/96
TEXT
cmp seen.txt expected.txt
