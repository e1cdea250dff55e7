#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# iperf3 3.18 (Debian 13) sending UDP to a server of 3.12 (Debian 12): a tenth is lost, the client says 0.
#
# Versions of iperf3 work with one another, and of UDP the client prints the server's count, so one
# expects the same lost packets at both ends: they are between 3.12 and 3.12, 3.18 and 3.18, and of a
# client of 3.12. A client of 3.18 has lost_packets 0 and lost_percent 0 where the server has a tenth,
# without a warning and with exit status 0. Only the bytes received are fewer. Whom it hurts: who updates
# the tester and not the far end. Every line is without loss from that day on, and a search for the
# highest rate without loss (`-b` in steps) ends at whatever the sender can send.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root iperf3=3.12-1+deb12u2 libiperf0=3.12-1+deb12u2 libsctp1 nftables=1.0.6-2+deb12u2 \
	libnftables1=1.0.6-2+deb12u2 libnftnl11=1.2.4-2 libjansson4=2.14-2 >/dev/null
mkdir 12 13
for package in *.deb; do dpkg -x "$package" 12; done
rm ./*.deb
mkdir -p lists/partial cache/archives/partial
sed 's/bookworm/trixie/g' /etc/apt/sources.list.d/debian.sources >debian.sources
cat >apt.conf <<APT
Dir::Etc::sourcelist "$place/debian.sources";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$place/lists";
Dir::Cache "$place/cache";
APT::Sandbox::User "root";
APT
export APT_CONFIG="$place/apt.conf"
apt-get update -q=2 >/dev/null
apt-get download -q=2 iperf3=3.18-2+deb13u2 libiperf0=3.18-2+deb13u2 libsctp1 libssl3t64 zlib1g libzstd1 libc6 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" 13; done
older=$(echo "$place"/12/usr/lib/*-linux-gnu) newer=$(echo "$place"/13/usr/lib/*-linux-gnu)
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s/12/usr/bin/iperf3 "$@"\n' "$older" "$place" >3.12
printf '#!/bin/sh\nexec %s --library-path %s %s/13/usr/bin/iperf3 "$@"\n' "$newer"/ld-linux-*.so.* "$newer" "$place" >3.18
chmod +x 3.12 3.18
cat >probe <<'SH2'
set -eu
ip link set lo up
LD_LIBRARY_PATH=$older 12/usr/sbin/nft -f - <<'NFT'
table ip lossy {
	chain input {
		type filter hook input priority 0
		udp dport 5201 udp length 1008 numgen inc mod 10 9 drop
	}
}
NFT
for server in 3.12 3.18; do
	for client in 3.12 3.18; do
		./$server -s -1 -J >server.json &
		sleep 1
		./$client -c 127.0.0.1 -u -b 4M -l 1000 -t 2 -J >client.json
		wait $!
		echo "server $server, client $client:"
		for end in server client; do
			python3 - $end <<'PYTHON'
import json
import sys

sums = json.load(open(sys.argv[1] + ".json"))["end"]["sum"]
print(f"  {sys.argv[1]}: {sums['lost_percent']:.0f} % lost")
PYTHON
		done
	done
done
SH2
export older
./3.12 --version | head -1
./3.18 --version | head -1
unshare -n sh ./probe | tee seen.txt
cat >expected.txt <<'TEXT'
server 3.12, client 3.12:
  server: 10 % lost
  client: 10 % lost
server 3.12, client 3.18:
  server: 10 % lost
  client: 0 % lost
server 3.18, client 3.12:
  server: 10 % lost
  client: 10 % lost
server 3.18, client 3.18:
  server: 10 % lost
  client: 10 % lost
TEXT
cmp seen.txt expected.txt
