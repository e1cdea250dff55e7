#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two pcapng files joined by `cat`: scapy 2.8.0, dpkt 1.9.8 and pcap-file 2.0.0 date the second one to 1970.
#
# Sections may follow one another in a file, so joining by `cat` is valid, and each section has its own
# interfaces; one expects a reader to forget those of the section before. These three read the packets of
# the second section by the first's interface: of a file in nanoseconds and one in microseconds the second
# comes a thousandfold too early, and scapy takes its raw IP packets for Ethernet. No error. tcpdump 4.99.3
# (libpcap 1.10.3), python-pcapng 2.1.1 and gopacket 1.1.19 read the times right. Whom it hurts: who joins
# the captures of two tools or days: delays between the two are 53 years, rates are zero, and where
# both are in one unit but of different links every second packet is decoded as something else.
set -eu
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q scapy==2.8.0 dpkt==1.9.8 python-pcapng==2.1.1
apt-get download -q=2 -o APT::Sandbox::User=root tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >made.py <<'PYTHON'
"""Writes a packet at 1700000000.25 in ns over Ethernet, one at 1700000001.25 in us, and both joined."""

import struct

IP = bytes.fromhex("4500001c00000000401100000a0000010a0000020fa0003500080000")
ETHERNET = bytes.fromhex("0200000000020200000000010800") + IP


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = len(body) + 12
    return struct.pack("=II", kind, size) + body + struct.pack("=I", size)


def section(link, digits, ticks, data):
    head = block(0x0A0D0D0A, struct.pack("=IHHq", 0x1A2B3C4D, 1, 0, -1))
    resolution = struct.pack("=HHB3xHH", 9, 1, digits, 0, 0)
    packet = struct.pack("=IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data)) + data
    return head + block(1, struct.pack("=HHI", link, 0, 0) + resolution) + block(6, packet)


first = section(1, 9, 1_700_000_000_250_000_000, ETHERNET)
second = section(1, 6, 1_700_000_001_250_000, ETHERNET)
for name, data in (("first", first), ("second", second), ("raw", section(101, 6, 1_700_000_001_250_000, IP))):
    open(f"{name}.pcapng", "wb").write(data)
PYTHON
python3 made.py
cat first.pcapng second.pcapng >both.pcapng
cat first.pcapng raw.pcapng >links.pcapng
cat >probe.py <<'PYTHON'
import dpkt
import pcapng
from scapy.all import rdpcap

print("scapy:", *(f"{float(packet.time):.2f}" for packet in rdpcap("both.pcapng")))
print("scapy, the second raw IP:", *(packet.name for packet in rdpcap("links.pcapng")))
print("dpkt:", *(f"{time:.2f}" for time, _ in dpkt.pcapng.Reader(open("both.pcapng", "rb"))))
blocks = pcapng.FileScanner(open("both.pcapng", "rb"))
print("python-pcapng:", *(f"{packet.timestamp:.2f}" for packet in blocks if hasattr(packet, "timestamp")))
PYTHON
cat >Cargo.toml <<'TOML'
[package]
name = "probe"
version = "0.1.0"
edition = "2021"
[dependencies]
pcap-file = "=2.0.0"
TOML
mkdir src
cat >src/main.rs <<'RUST'
use pcap_file::pcapng::{Block, PcapNgReader};
use std::fs::File;

fn main() {
    let mut reader = PcapNgReader::new(File::open("both.pcapng").unwrap()).unwrap();
    print!("pcap-file:");
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.unwrap() {
            print!(" {:.2}", packet.timestamp.as_secs_f64());
        }
    }
    println!();
}
RUST
mkdir go
cat >go/go.mod <<'MOD'
module probe
go 1.21
require github.com/google/gopacket v1.1.19
MOD
cat >go/probe.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/google/gopacket/pcapgo"
)

func main() {
	file, _ := os.Open("../both.pcapng")
	reader, _ := pcapgo.NewNgReader(file, pcapgo.DefaultNgReaderOptions)
	fmt.Print("gopacket:")
	for {
		_, info, err := reader.ReadPacketData()
		if err != nil {
			break
		}
		fmt.Printf(" %d.%02d", info.Timestamp.Unix(), info.Timestamp.Nanosecond()/10000000)
	}
	fmt.Println()
}
GO
{
	venv/bin/python probe.py
	cargo run -q 2>/dev/null
	(cd go && GOFLAGS=-mod=mod GOPATH="$place/path" go run . 2>/dev/null)
	echo "tcpdump:" $(LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu) usr/bin/tcpdump -nttr both.pcapng 2>/dev/null | cut -c1-13)
} | tee seen.txt
cat >expected.txt <<'TEXT'
scapy: 1700000000.25 1700000.00
scapy, the second raw IP: Ethernet Ethernet
dpkt: 1700000000.25 1700000.00
python-pcapng: 1700000000.25 1700000001.25
pcap-file: 1700000000.25 1700000.00
gopacket: 1700000000.25 1700000001.25
tcpdump: 1700000000.25 1700000001.25
TEXT
cmp seen.txt expected.txt
