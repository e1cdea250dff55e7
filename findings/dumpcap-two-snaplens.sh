#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tcpdump 4.99.3 reads no packet of what dumpcap 4.0.17 captured on two interfaces with a length each.
#
# `-s` of dumpcap holds for the interface before it, so a trunk may be cut at 96 bytes and a quiet port kept
# whole, and pcapng has a snapshot length for each interface. libpcap 1.10.3 reads pcapng of several
# interfaces, but ends at the second one if its length differs from the first's, before any packet; every
# program that reads by libpcap does so. dumpcap's own `-s` for both, or editcap -s, mends it. And
# packets of two interfaces need not come in the order of time (reordercap). Whom it hurts: who captures on
# both sides of a gateway and looks with tcpdump first: the file seems to be broken.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root wireshark-common=4.0.17-0+deb12u3 libwsutil14=4.0.17-0+deb12u3 \
	tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 libglib2.0-0 libnl-3-200 libnl-genl-3-200 libpcre2-8-0 libffi8 \
	libdbus-1-3 libcap2 libgcrypt20 libgpg-error0 libgnutls30 libp11-kit0 libidn2-0 libunistring2 libtasn1-6 \
	libnettle8 libhogweed6 libgmp10 libsystemd0 liblzma5 libzstd1 liblz4-1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
export LD_LIBRARY_PATH
cat >capture <<'SH'
ip link set lo up
ip link add name ea type veth peer name eb
ip link set ea up
ip link set eb up
sleep 1.5
usr/bin/dumpcap -q -f udp -i lo -s 100 -i ea -s "$1" -a duration:2 -w "$2" 2>log &
sleep 1
python3 -c 'import socket
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(10): sock.sendto(bytes(60), ("127.0.0.1", 9))'
wait
SH
unshare -n sh -eu capture 100 equal.pcapng
unshare -n sh -eu capture 200 each.pcapng
for file in equal each; do
	usr/bin/tcpdump -n -r $file.pcapng >$file.text 2>$file.error || true
	echo "$file: $(wc -l <$file.text) packets" | tee -a seen
done
grep -o "snapshot length 200 different" each.error | tee -a seen
printf 'equal: 10 packets\neach: 0 packets\nsnapshot length 200 different\n' | diff - seen
