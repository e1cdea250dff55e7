#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pcapng times in 2^-32 s: gopacket 1.1.19 and 1.3.1 make .5369 s of half a second, pcap-file 2.0.0 two seconds.
#
# if_tsresol has a bit for powers of two, as clocks of capture cards count; one expects a reader to divide, or
# to refuse. gopacket (and its fork) makes whole nanoseconds of one tick first: of 2^-32 s gaps are 7 % too
# long, of 2^-20 s a time is off by 177 us. The crate pcap-file takes 2^-20 for another power: times are
# of 1970 or 2201, gaps a thousandth or fourfold. No error in either. dpkt 1.9.8, scapy 2.8.0,
# python-pcapng 2.1.1 and tcpdump 4.99.3 read .25 and .75. Whom it hurts: who computes delays or rates from
# such files: they look like good numbers, and are 7 % off.
set -eu
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q scapy==2.8.0 dpkt==1.9.8 python-pcapng==2.1.1
apt-get download -q=2 -o APT::Sandbox::User=root tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >made.py <<'PYTHON'
"""Writes packets at 1700000000.25 and .75, in ticks of 2^-20 and of 2^-32 s."""

import struct

DATA = bytes.fromhex("02000000000202000000000108004500001c00000000401100000a0000010a0000020fa0003500080000")


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = len(body) + 12
    return struct.pack("=II", kind, size) + body + struct.pack("=I", size)


for power in (20, 32):
    file = block(0x0A0D0D0A, struct.pack("=IHHq", 0x1A2B3C4D, 1, 0, -1))
    file += block(1, struct.pack("=HHIHHB3xHH", 1, 0, 0, 9, 1, 0x80 | power, 0, 0))
    for quarters in (1, 3):
        ticks = (1_700_000_000 << power) + (quarters << power - 2)
        file += block(6, struct.pack("=IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(DATA), len(DATA)) + DATA)
    open(f"{power}.pcapng", "wb").write(file)
PYTHON
python3 made.py
cat >probe.py <<'PYTHON'
import dpkt
import pcapng
from scapy.all import rdpcap

for power in (20, 32):
    name = f"{power}.pcapng"
    print(f"scapy 2^-{power}:", *(f"{float(packet.time):.6f}" for packet in rdpcap(name)))
    print(f"dpkt 2^-{power}:", *(f"{time:.6f}" for time, _ in dpkt.pcapng.Reader(open(name, "rb"))))
    blocks = pcapng.FileScanner(open(name, "rb"))
    print(f"python-pcapng 2^-{power}:", *(f"{packet.timestamp:.6f}" for packet in blocks if hasattr(packet, "timestamp")))
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
    for power in [20, 32] {
        let file = File::open(format!("{power}.pcapng")).unwrap();
        let mut reader = PcapNgReader::new(file).unwrap();
        print!("pcap-file 2^-{power}:");
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.unwrap() {
                print!(" {:.6}", packet.timestamp.as_secs_f64());
            }
        }
        println!();
    }
}
RUST
mkdir go
cat >go/go.mod <<'MOD'
module probe
go 1.21
require (
	github.com/google/gopacket v1.1.19
	github.com/gopacket/gopacket v1.3.1
)
MOD
cat >go/probe.go <<'GO'
package main

import (
	"fmt"
	"os"

	old "github.com/google/gopacket/pcapgo"
	fork "github.com/gopacket/gopacket/pcapgo"
)

func main() {
	for _, power := range []int{20, 32} {
		name := fmt.Sprintf("../%d.pcapng", power)
		file, _ := os.Open(name)
		first, _ := old.NewNgReader(file, old.DefaultNgReaderOptions)
		fmt.Printf("gopacket 1.1.19 2^-%d:", power)
		for {
			_, info, err := first.ReadPacketData()
			if err != nil {
				break
			}
			fmt.Printf(" %d.%06d", info.Timestamp.Unix(), info.Timestamp.Nanosecond()/1000)
		}
		fmt.Println()
		file, _ = os.Open(name)
		second, _ := fork.NewNgReader(file, fork.DefaultNgReaderOptions)
		fmt.Printf("gopacket 1.3.1 2^-%d:", power)
		for {
			_, info, err := second.ReadPacketData()
			if err != nil {
				break
			}
			fmt.Printf(" %d.%06d", info.Timestamp.Unix(), info.Timestamp.Nanosecond()/1000)
		}
		fmt.Println()
	}
}
GO
{
	venv/bin/python probe.py
	cargo run -q 2>/dev/null
	(cd go && GOFLAGS=-mod=mod GOPATH="$place/path" go run . 2>/dev/null)
	for power in 20 32; do
		echo "tcpdump 2^-$power:" $(LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu) usr/bin/tcpdump -nttr $power.pcapng 2>/dev/null | cut -c1-17)
	done
} | tee seen.txt
cat >expected.txt <<'TEXT'
scapy 2^-20: 1700000000.250000 1700000000.750000
dpkt 2^-20: 1700000000.250000 1700000000.750000
python-pcapng 2^-20: 1700000000.250000 1700000000.750000
scapy 2^-32: 1700000000.250000 1700000000.750000
dpkt 2^-32: 1700000000.250000 1700000000.750000
python-pcapng 2^-32: 1700000000.250000 1700000000.750000
pcap-file 2^-20: 1782579.200262 1782579.200786
pcap-file 2^-32: 7301444404.273742 7301444406.421226
gopacket 1.1.19 2^-20: 1700000000.249823 1700000000.749469
gopacket 1.3.1 2^-20: 1700000000.249823 1700000000.749469
gopacket 1.1.19 2^-32: 1700000000.268435 1700000000.805306
gopacket 1.3.1 2^-32: 1700000000.268435 1700000000.805306
tcpdump 2^-20: 1700000000.250000 1700000000.750000
tcpdump 2^-32: 1700000000.250000 1700000000.750000
TEXT
cmp seen.txt expected.txt
