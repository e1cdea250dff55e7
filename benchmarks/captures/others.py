# SPDX-License-Identifier: Apache-2.0
"""Names that nDPI gives to a capture's flows by payloads, and the DSCP that their packets have."""

import csv
import shutil
import struct
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from socket import inet_ntoa
from typing import Final

from benchmarks.captures.wire import NEAR

READER: Final = "ndpiReader"  # libndpi-bin
LONGEST_S: Final = 60
PROTOCOLS: Final = {"6": "tcp", "17": "udp"}
HEAD: Final = 24  # bytes of a pcap before its packets
PACKET: Final = struct.Struct("<4I")
IP_AT: Final = 14
LEAST: Final = IP_AT + 24


def inspected(capture: Path) -> dict[str, str]:
    """Return nDPI's name of each flow, by the flow's own; none where it is not installed."""
    if not shutil.which(READER):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "flows.csv"
        words = (READER, "-q", "-i", str(capture), "-C", str(table))
        subprocess.run(words, check=False, capture_output=True, timeout=LONGEST_S)
        if not table.exists():
            return {}
        with table.open(newline="", encoding="utf-8", errors="replace") as stream:
            rows = list(csv.DictReader(stream))
    names = {}
    for row in rows:
        ends = [(row["src_ip"], row["src_port"]), (row["dst_ip"], row["dst_port"])]
        if ends[0][0] != NEAR:
            ends.reverse()
        proto = PROTOCOLS.get(row["protocol"], "")
        names["-".join((proto, *ends[0], *ends[1]))] = row["ndpi_proto"]
    return names


def marked(capture: Path) -> dict[str, int]:
    """Return the DSCP (RFC 2474) that most packets of each flow have on their way up."""
    codes: dict[str, Counter[int]] = {}
    data = capture.read_bytes()
    at = HEAD
    while at + PACKET.size <= len(data):
        _, _, size, _ = PACKET.unpack_from(data, at)
        frame = data[at + PACKET.size : at + PACKET.size + size]
        at += PACKET.size + size
        if len(frame) < LEAST or frame[IP_AT] != 0x45:
            continue
        proto = PROTOCOLS.get(str(frame[IP_AT + 9]))
        source, target = inet_ntoa(frame[26:30]), inet_ntoa(frame[30:34])
        if proto and source == NEAR:
            ports = struct.unpack_from("!HH", frame, IP_AT + 20)
            key = f"{proto}-{source}-{ports[0]}-{target}-{ports[1]}"
            codes.setdefault(key, Counter())[frame[IP_AT + 1] >> 2] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in codes.items()}
