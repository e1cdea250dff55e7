#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# io.pkts 3.0.10 (Java): a packet of 2023 in a pcap file with nanoseconds is of the year 55840.
#
# getArrivalTime() is "in microseconds since the start of the epoch", and its manual divides by 1000 for a
# date, so one expects microseconds of any file that it takes. Of a file with the magic number of
# nanoseconds (dumpcap, tcpdump --nano, hardware) it gives nanoseconds, and of the same packets in
# microseconds a thousandth of it. No error and nothing to tell the two apart. Whom it hurts: who computes
# jitter or rates of RTP and SIP with it: gaps are a thousand times too long, and two captures of one call
# by two machines do not meet.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
for artifact in io.pkts:pkts-core:3.0.10 io.pkts:pkts-buffers:3.0.10 org.slf4j:slf4j-api:1.7.36 org.slf4j:slf4j-nop:1.7.36; do
	mvn -q dependency:copy -Dartifact=$artifact -DoutputDirectory=. >/dev/null
done
cat >made.py <<'PYTHON'
"""Writes two packets 20 ms apart, once in microseconds and once in nanoseconds."""

import struct

DATA = bytes.fromhex("02000000000202000000000108004500001c00000000401100000a0000010a0000020fa0003500080000")
for name, magic, second in (("micro.pcap", 0xA1B2C3D4, 10**6), ("nano.pcap", 0xA1B23C4D, 10**9)):
    file = struct.pack("=IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    for hundredths in (25, 27):
        file += struct.pack("=IIII", 1_700_000_000, hundredths * second // 100, len(DATA), len(DATA)) + DATA
    open(name, "wb").write(file)
PYTHON
python3 made.py
cat >Probe.java <<'JAVA'
import io.pkts.Pcap;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

class Probe {
    public static void main(String[] words) throws Exception {
        for (String name : new String[] {"micro.pcap", "nano.pcap"}) {
            List<Long> times = new ArrayList<>();
            Pcap pcap = Pcap.openStream(name);
            pcap.loop(packet -> times.add(packet.getArrivalTime()));
            int year = Instant.ofEpochMilli(times.get(0) / 1000).atZone(ZoneOffset.UTC).getYear();
            System.out.println(name + ": year " + year + ", gap " + (times.get(1) - times.get(0)) / 1000.0 + " ms");
        }
    }
}
JAVA
java -cp "$(echo ./*.jar | tr ' ' ':')" Probe.java | tee seen.txt
cat >expected.txt <<'TEXT'
micro.pcap: year 2023, gap 20.0 ms
nano.pcap: year 55840, gap 20000.0 ms
TEXT
cmp seen.txt expected.txt
