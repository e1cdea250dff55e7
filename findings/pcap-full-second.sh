#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dpkt 1.9.8, scapy 2.8.0: a time just below a second is written to pcap as 1000000 microseconds.
#
# Both round seconds and fraction apart, so the carry is lost, where one expects the next second with 0.
# Their own readers add up and see nothing. Others do not: crate pcap-file 2.0.0 refuses the record,
# which ends the reading of a file of any length there; `tcpdump -tt` prints 1700000000.1000000, which
# a script reads as .1 s, .9 s back; tshark 4.6 prints the time as words. Of a capture in ns that is
# written in us it hits one packet in two million. Of times made by adding .1 it hits 241 of the first
# 10 000, the eleventh first: ten times 0.1 sum up to 0.9999999999999999. It hurts who makes or trims
# captures: whether others can read the file depends on the last bit of a sum.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q dpkt==1.9.8 scapy==2.8.0
apt-get download -q=2 -o APT::Sandbox::User=root tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" debian; done
mkdir -p src
cat >Cargo.toml <<'TOML'
[package]
name = "records"
version = "0.0.0"
edition = "2021"
[dependencies]
pcap-file = "=2.0.0"
TOML
cat >src/main.rs <<'RUST'
fn main() {
    let file = std::fs::File::open(std::env::args().nth(1).unwrap()).unwrap();
    let mut reader = pcap_file::pcap::PcapReader::new(file).unwrap();
    let mut read = 0;
    while let Some(packet) = reader.next_packet() {
        match packet {
            Ok(_) => read += 1,
            Err(error) => return println!("{} records, then {}", read, error),
        }
    }
    println!("{} records", read);
}
RUST
CARGO_TARGET_DIR=$place/target cargo build -q
cat >write.py <<'PYTHON'
"""Writes steps of .1 s, and three packets of which the second is .3 us before a full second."""

import struct

import dpkt
from scapy.all import Ether, wrpcap

FRAME = b"\2\0\0\0\0\2\2\0\0\0\0\1\x88\xb5" + bytes(46)
steps, now = [], 0.0
for _ in range(10000):
    steps.append(now)
    now += 0.1
three = [1700000000.5, 1700000000.9999997, 1700000001.5]


def by_dpkt(path, times):
    with open(path, "wb") as file:
        writer = dpkt.pcap.Writer(file)
        for time in times:
            writer.writepkt(FRAME, ts=time)


def by_scapy(path, times):
    packets = [Ether(FRAME) for _ in times]
    for packet, time in zip(packets, times, strict=True):
        packet.time = time
    wrpcap(path, packets)


for name, write in (("dpkt", by_dpkt), ("scapy", by_scapy)):
    write(f"{name}-steps.pcap", steps)
    write(f"{name}-three.pcap", three)
    records = open(f"{name}-steps.pcap", "rb").read()[24:]
    micros = [micro for _, micro, *_ in struct.iter_unpack("=IIII60x", records)]
    print(f"{name}: {sum(micro > 999999 for micro in micros)} of {len(micros)} are at 1000000 us")
PYTHON
venv/bin/python write.py 2>/dev/null >seen.txt
LD_LIBRARY_PATH=$(echo debian/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
for name in dpkt scapy; do
	echo "$name, steps, pcap-file: $(target/debug/records $name-steps.pcap)"
	echo "$name, three, tcpdump: $(debian/usr/bin/tcpdump -ttqnr $name-three.pcap 2>/dev/null |
		cut -d ' ' -f 1 | xargs)"
done >>seen.txt
debian/usr/bin/tcpdump --version 2>&1 | head -2
cat seen.txt
cat >expected.txt <<'TEXT'
dpkt: 241 of 10000 are at 1000000 us
scapy: 241 of 10000 are at 1000000 us
dpkt, steps, pcap-file: 10 records, then Invalid field value: PacketHeader ts_nanosecond >= 1_000_000_000
dpkt, three, tcpdump: 1700000000.500000 1700000000.1000000 1700000001.500000
scapy, steps, pcap-file: 10 records, then Invalid field value: PacketHeader ts_nanosecond >= 1_000_000_000
scapy, three, tcpdump: 1700000000.500000 1700000000.1000000 1700000001.500000
TEXT
cmp seen.txt expected.txt
