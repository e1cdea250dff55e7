#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ip 6.1.0 (Debian 12): JSON of a route into a tunnel has the tunnel's end for its destination.
#
# `ip -j route` gives "dst" for the network routed. Of a route with `encap ip`, the options of the
# tunnel are written beside, into the same object, with a second "dst"; parsers keep the last and say
# nothing. So the route of 198.51.100.0/24 through 10.0.0.7 reads as a host route to 10.0.0.7. And of
# `mtu lock 1400` the lock is lost in JSON, which has the same "mtu" as a route without (6.15.0 too,
# which writes the tunnel as an object of its own). Exit status 0 and valid JSON. Whom it hurts: who
# compares, saves or restores routes by JSON: the network is missing, the tunnel's end gets a route that
# nobody made, and what was locked against path MTU discovery is not any more.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root iproute2=6.1.0-3 libbpf1 libelf1 libmnl0 libcap2 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
export LD_LIBRARY_PATH
ip=$(ls "$place"/bin/ip "$place"/usr/bin/ip 2>/dev/null | head -1)
cat >probe <<'SH'
set -eu
ip=$1
$ip link add box type veth peer name far
$ip address add 10.0.0.1/24 dev box
$ip link set box up
$ip route add 198.51.100.0/24 via 10.0.0.2 dev box encap ip id 5 dst 10.0.0.7
$ip route add 203.0.113.0/24 via 10.0.0.2 dev box mtu lock 1400
echo "text:"
$ip route show proto boot
echo "parsed JSON:"
$ip -j route show proto boot | python3 -c '
import json, sys
for route in json.load(sys.stdin):
    print(route["dst"], "encap", route.get("encap"), "metrics", route.get("metrics"))'
SH
"$ip" -V
unshare -n sh ./probe "$ip" | tee seen.txt
grep -q '^198.51.100.0/24 *encap ip id 5 .*dst 10.0.0.7 ' seen.txt
grep -q '^203.0.113.0/24 .* mtu lock 1400' seen.txt
grep -qx '10.0.0.7 encap ip metrics None' seen.txt
grep -qx "203.0.113.0/24 encap None metrics \[{'mtu': 1400}\]" seen.txt
