#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tcpdump 4.99.3, libpcap 1.10.3: a filter that captured frames with a VLAN tag does not find them again.
#
# "udp port 53" looks at fixed places of a frame, and for tagged frames the manual asks for `vlan and
# ...`, so one expects the same frames of a link and of a file. But Linux takes the first tag off before the
# filter runs, and libpcap puts it back into the file: live, the filter takes frames of every VLAN;
# over the file that it wrote, it takes the untagged ones. `ether proto 0x8100` is the other way round:
# in the file it takes what has that tag, live only what has a second one. Whom it hurts: who counts a
# trunk's packets by a filter. The live count and the count of the kept capture differ by all tagged
# traffic, which reads as loss; and a check against captures, by files, says that the filter does not
# take tagged frames, which the same filter then does on the link.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
cat >probe.py <<'PYTHON'
"""Sends five frames over a veth pair, and prints which a filter takes live, from all, and again."""

import socket
import struct
import subprocess
import time

TCPDUMP = "usr/bin/tcpdump"
HOSTS = bytes.fromhex("020000000002 020000000001")
DATAGRAM = bytes.fromhex("4500001c 00000000 40110000 0a000001 0a000002 0001 0035 0008 0000")
FRAMES = {
    "untagged": HOSTS + b"\x08\0" + DATAGRAM,
    "VLAN 100": HOSTS + b"\x81\0\0\x64\x08\0" + DATAGRAM,
    "VLAN 200": HOSTS + b"\x81\0\0\xc8\x08\0" + DATAGRAM,
    "two tags": HOSTS + b"\x81\0\0\x64\x81\0\0\xc8\x08\0" + DATAGRAM,
    "no UDP": HOSTS + b"\x88\xb5" + bytes(46),
}


def names(path):
    """Names the frames in a pcap file, leaving out the host's own."""
    left, inside = open(path, "rb").read()[24:], []
    while left:
        (length,) = struct.unpack("=I", left[8:12])
        inside += [name for name, frame in FRAMES.items() if frame == left[16 : 16 + length]]
        left = left[16 + length :]
    return inside


def capture(path, *words):
    dump = subprocess.Popen([TCPDUMP, "-i", "in", "-U", "-w", path, *words], stderr=subprocess.PIPE, text=True)
    while "listening on" not in dump.stderr.readline():
        pass
    return dump


def filtered(source, words):
    subprocess.run([TCPDUMP, "-r", source, "-w", "again.pcap", words], check=True, stderr=subprocess.DEVNULL)
    return names("again.pcap")


for words in ("link add out type veth peer name in", "link set out up", "link set in up"):
    subprocess.run(["ip", *words.split()], check=True)
sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sender.bind(("out", 0))
for words in ("udp port 53", "ether proto 0x8100", "vlan and udp port 53"):
    dumps = [capture("all.pcap"), capture("live.pcap", words)]
    for frame in FRAMES.values():
        sender.send(frame)
    time.sleep(1.5)
    for dump in dumps:
        dump.terminate()
        dump.communicate()
    print(f"{words}:")
    print("  live:", names("live.pcap"))
    print("  over a file of all:", filtered("all.pcap", words))
    print("  over its own file:", filtered("live.pcap", words))
PYTHON
usr/bin/tcpdump --version 2>&1 | head -2
unshare -n python3 probe.py | tee seen.txt
cat >expected.txt <<'TEXT'
udp port 53:
  live: ['untagged', 'VLAN 100', 'VLAN 200']
  over a file of all: ['untagged']
  over its own file: ['untagged']
ether proto 0x8100:
  live: ['two tags']
  over a file of all: ['VLAN 100', 'VLAN 200', 'two tags']
  over its own file: ['two tags']
vlan and udp port 53:
  live: ['VLAN 100', 'VLAN 200']
  over a file of all: ['VLAN 100', 'VLAN 200']
  over its own file: ['VLAN 100', 'VLAN 200']
TEXT
cmp seen.txt expected.txt
