#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dpkt 1.9.8, pnet_packet 0.35.0, tcprewrite 4.4.3: a UDP checksum that comes to 0 is written as 0.
#
# 0 means that there is no checksum; a sum that comes to 0 is to be sent as ffff (RFC 768, RFC 8200
# §8.1). A library that fills in checksums is trusted to know that. dpkt does over IPv4 and does not
# over IPv6; pnet_packet does for neither; `tcprewrite --fixcsum` turns a right ffff into 0. IPv6
# hosts drop a datagram whose UDP checksum is 0. So a generator or a replayed capture loses one
# datagram in 65 536, which reads as 15 ppm of loss of the gateway, and of a stream of equal datagrams
# whose sum is 0 all are lost. With a checksum that is merely *checked* by adding up, 0 looks right.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q dpkt==1.9.8
apt-get download -q=2 -o APT::Sandbox::User=root tcpreplay=4.4.3-1 libdumbnet1=1.16.3-1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" debian; done
mkdir -p src
cat >Cargo.toml <<'TOML'
[package]
name = "sums"
version = "0.0.0"
edition = "2021"
[dependencies]
pnet_packet = "=0.35.0"
TOML
cat >src/main.rs <<'RUST'
use pnet_packet::udp::{ipv4_checksum, ipv6_checksum, MutableUdpPacket};
fn main() {
    let (mut four, mut six) = (0, 0);
    for number in 0..=u16::MAX {
        let mut bytes = [0u8; 10];
        let mut datagram = MutableUdpPacket::new(&mut bytes).unwrap();
        datagram.set_source(1);
        datagram.set_destination(2);
        datagram.set_length(10);
        datagram.set_payload(&number.to_be_bytes());
        let datagram = datagram.to_immutable();
        let (a, b) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        four += (ipv4_checksum(&datagram, &a, &b) == 0) as u32;
        let (a, b) = ("fd00::1".parse().unwrap(), "fd00::2".parse().unwrap());
        six += (ipv6_checksum(&datagram, &a, &b) == 0) as u32;
    }
    println!("{} {}", four, six);
}
RUST
CARGO_TARGET_DIR=$place/target cargo run -q >pnet.txt
cat >dgrams.py <<'PYTHON'
"""Makes every datagram of two bytes with dpkt, and counts those whose checksum field is 0."""

import struct
import sys

import dpkt

FOUR, SIX = (b"\x0a\0\0\1", b"\x0a\0\0\2"), (b"\xfd" + 14 * b"\0" + b"\1", b"\xfd" + 14 * b"\0" + b"\2")
ETHERNET = b"\2\0\0\0\0\2\2\0\0\0\0\1"


def udp(number):
    datagram = dpkt.udp.UDP(sport=1, dport=2, data=struct.pack("!H", number))
    datagram.ulen = len(datagram)
    return datagram


def four(number):
    return bytes(dpkt.ip.IP(src=FOUR[0], dst=FOUR[1], p=17, data=udp(number)))


def six(number):
    datagram = udp(number)
    return bytes(dpkt.ip6.IP6(src=SIX[0], dst=SIX[1], nxt=17, hlim=64, plen=10, data=datagram))


zeros = [number for number in range(65536) if six(number)[46:48] == b"\0\0"]
print(sum(four(number)[26:28] == b"\0\0" for number in range(65536)), len(zeros))
wrong = bytearray(six(zeros[0]))
right = wrong[:46] + b"\xff\xff" + wrong[48:]
with open(sys.argv[1], "wb") as file:
    dpkt.pcap.Writer(file).writepkt(ETHERNET + b"\x86\xdd" + right, ts=1)
PYTHON
venv/bin/python dgrams.py right.pcap >dpkt.txt
libraries=$(echo "$place"/debian/usr/lib/*-linux-gnu)
LD_LIBRARY_PATH=$libraries debian/usr/bin/tcprewrite --fixcsum -i right.pcap -o fixed.pcap 2>/dev/null
cat >drop.py <<'PYTHON'
"""Sends the right and the "fixed" frame to this host, and prints which arrive."""

import socket
import subprocess
import sys

import dpkt


def ip(*words):
    subprocess.run(["ip", *words], check=True)


ip("link", "add", "out", "address", "02:00:00:00:00:01", "type", "veth", "peer", "name", "in")
ip("link", "set", "in", "address", "02:00:00:00:00:02")
for device in ("out", "in"):
    ip("link", "set", device, "up")
ip("-6", "addr", "add", "fd00::2/64", "dev", "in", "nodad")
receiver = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
receiver.bind(("fd00::2", 2))
receiver.settimeout(1)
sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sender.bind(("out", 0))
for path in sys.argv[1:]:
    ((_, frame),) = dpkt.pcap.Reader(open(path, "rb"))
    sender.send(frame)
    try:
        fate = f"arrived: {len(receiver.recv(9))} bytes"
    except TimeoutError:
        fate = "dropped"
    print(frame[60:62].hex(), fate)
PYTHON
unshare -n venv/bin/python drop.py right.pcap fixed.pcap >fate.txt
echo "of 65536 datagrams, checksum 0 over IPv4 and IPv6: dpkt $(cat dpkt.txt), pnet_packet $(cat pnet.txt)"
echo "before and after tcprewrite --fixcsum:"
cat fate.txt
[ "$(cat dpkt.txt)" = "0 1" ] && [ "$(cat pnet.txt)" = "1 1" ]
printf 'ffff arrived: 2 bytes\n0000 dropped\n' | cmp -s - fate.txt
