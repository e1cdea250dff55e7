#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# xdp-bench, xdp-monitor and xdp-trafficgen 1.5.4 (Debian 13) do not start on Linux 6.16 and later.
#
# Their programs look for kernel functions by name at run time, so one expects a newer kernel to do. Linux 6.16
# has no tracepoint xdp_redirect_map_err any more, which nothing had used for years; the three load a program
# for it first and end with "No such process". So did 1.3.1 of Debian 12. xdp-filter, xdp-loader and xdpdump
# of the same package work, and so do all of 1.6.3. Whom it hurts: who measures on Debian 13 with a kernel of
# backports: the error reads as if an interface or process were missing.
set -eu
case $(uname -r) in [1-5].* | 6.[0-9].* | 6.1[0-5].*) echo "needs Linux 6.16 or later" && exit 0 ;; esac
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir -p lists/partial cache/archives/partial bpffs
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
apt-get download -q=2 xdp-tools=1.5.4-1 libxdp1 libbpf1 libelf1t64 libpcap0.8t64 zlib1g libzstd1 libc6 \
	libdbus-1-3 libibverbs1 libnl-3-200 libnl-route-3-200 libsystemd0 libcap2 libmnl0 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
cat >probe <<SH
mount -t bpf bpf $place/bpffs
mount --bind $place/bpffs /sys/fs/bpf
ip link add va type veth peer name vb
ip link set va up
ip link set vb up
start() {
	LIBXDP_OBJECT_PATH=$(echo "$place"/usr/lib/*-linux-gnu/bpf) \\
		$(echo "$place"/usr/lib/*-linux-gnu/ld-linux-*.so.*) --library-path $(echo "$place"/usr/lib/*-linux-gnu) \\
		$place/usr/sbin/"\$@" >$place/text 2>&1 </dev/null
}
for words in "xdp-monitor" "xdp-bench drop va" "xdp-trafficgen udp va -n 1"; do
	start \$words &
	sleep 3
	kill -INT \$! 2>/dev/null
	wait \$!
	echo "\$words: \$(grep -c 'No such process' $place/text) No such process"
done
start xdp-filter load va && echo "xdp-filter load va: started"
SH
unshare -nm sh probe | tee seen.txt
cat >expected.txt <<'TEXT'
xdp-monitor: 1 No such process
xdp-bench drop va: 1 No such process
xdp-trafficgen udp va -n 1: 1 No such process
xdp-filter load va: started
TEXT
cmp seen.txt expected.txt
