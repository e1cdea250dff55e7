# SPDX-License-Identifier: Apache-2.0
"""How true one-way delay is: its floor on the bare veth, and a comparison with tcpdump per packet.

A packet's delay is the sink's time of arrival less the time that the sender wrote into the packet.
tcpdump stamps the same packets as they leave `lan9` and as they enter `wan9`. All clocks are those
of one machine. tcpdump uses CLOCK_REALTIME, so the offset of the two clocks is read before and
after.

         our stamp   tcpdump, out             tcpdump, in = our sink's ring
    ---------|-----------|-------------------------|------------>
             `- the call and the way down to the device: ours counts it, tcpdump does not

The raw port bypasses the taps of outgoing packets (PACKET_QDISC_BYPASS; __dev_direct_xmit in
net/core/dev.c). With it tcpdump sees only the incoming packets, and the whole delay is the bound of
the difference. With the plain socket tcpdump sees the packets on both sides.
"""

import argparse
import struct
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.arrivals import PCAP_NS_MAGIC
from benchmarks.bare_lab import OurAgent, Report, ends, lab, our_sender, our_sink
from benchmarks.compare import Comparison, compare_less, progress, show
from benchmarks.peers import Ends
from gatemark.judge.math.histogram import RESOLUTION, merged, percentile
from gatemark.station.netns import Lab

PORTS = ("raw", "udp")
RATES = (1_000, 10_000)
PAYLOAD = 64
SECONDS = 2.0
TARGET_US = 2.0  # largest difference between ours and tcpdump's
HEADER_AT = 14 + 20 + 8  # of the test header in a frame of UDP over IPv4
MAGIC = 0xC7
WRAP_NS = 1 << 40  # of the time in the header
SHARES = {"median": 0.5, "99 %": 0.99}

Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round, us


@dataclass(frozen=True, slots=True)
class Seen:
    """A packet as tcpdump recorded it."""

    at_ns: int  # CLOCK_REALTIME
    sent_ns: int  # in its header: CLOCK_MONOTONIC modulo WRAP_NS


def main() -> None:
    """Measure in rounds, each with every port and rate once; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.delay", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    with lab() as made, TemporaryDirectory() as folder:
        rows = list(delays(made, Path(folder), options.rounds))
    progress("")
    show(rows, json_=options.json)


def delays(made: Lab, folder: Path, rounds: int) -> Iterator[Comparison]:
    """The floor without a tap, the differences per packet, and our histogram and tcpdump's."""
    values: Values = defaultdict(list)
    at = ends(made, "direct")
    for number in range(1, rounds + 1):
        for port in PORTS:
            for rate in RATES:
                progress(f"round {number} of {rounds}: {port}, {rate} packets/s")
                _floor(at, port, rate, values)
                _per_packet(at, port, rate, folder, values)
    for (what, tool), ours in values.items():
        if tool != "ours":
            continue
        for (other, peer), theirs in values.items():
            if other == what and peer != "ours":
                yield compare_less(what, ours, peer, theirs, "us")


def _floor(at: Ends, port: str, rate: int, values: Values) -> None:
    """The delay of the bare veth, and the width of its bucket as its resolution."""
    histogram = _histogram(_sent(at, port, rate))
    for name, value in {"min": float(min(histogram)), **_percentiles(histogram)}.items():
        what = f"floor, {port}, {rate} packets/s, {name}"
        values[what, "ours"].append(value / 1e3)
        values[what, "resolution"].append(value * RESOLUTION / 1e3)


def _per_packet(at: Ends, port: str, rate: int, folder: Path, values: Values) -> None:
    """Compare the delay of each packet with tcpdump's on both sides."""
    before = _offset_ns()
    with _captured(at, folder) as (out, into):
        report = _sent(at, port, rate)
    offset_ns = (before + _offset_ns()) // 2
    left, came = _packets(out.read_bytes()), _packets(into.read_bytes())
    ours = {key: _wrapped(seen.at_ns - offset_ns - seen.sent_ns) for key, seen in came.items()}
    for name, value in _percentiles(_histogram(report)).items():
        what = f"sink, {port}, {rate} packets/s, {name}"
        values[what, "ours"].append(value / 1e3)
        values[what, "tcpdump in"].append(_at(sorted(ours.values()), SHARES[name]) / 1e3)
    theirs = {key: came[key].at_ns - seen.at_ns for key, seen in left.items() if key in came}
    differences = sorted(abs(ours[key] - theirs[key]) for key in theirs)
    what = "packet by packet" if differences else "packet by packet at most"
    for name, share in SHARES.items():
        value = _at(differences or sorted(ours.values()), share)
        values[f"{what}, {port}, {rate} packets/s, {name}", "ours"].append(value / 1e3)
        values[f"{what}, {port}, {rate} packets/s, {name}", "target"].append(TARGET_US)


def _sent(at: Ends, port: str, rate: int) -> Report:
    """The sink's report on `SECONDS` of packets."""
    # XDP would take the packets before tcpdump sees them.
    sink: OurAgent = our_sink(at, "wan9", "ring")
    sender = our_sender(at, PAYLOAD, rate, SECONDS, port)
    sink.start()
    sender.start()
    sender.event("done")
    time.sleep(0.1)
    return sink.close()


@contextmanager
def _captured(at: Ends, folder: Path) -> Iterator[tuple[Path, Path]]:
    """tcpdump at both ends; its files are complete afterwards."""
    words = "-s 64 -B 65536 --time-stamp-precision=nano -U udp and dst port 9"
    out, into = folder / "out.pcap", folder / "in.pcap"
    commands = [
        at.at_source(*f"tcpdump -i lan9 -Q out -w {out} {words}".split()),
        at.at_sink(*f"tcpdump -i wan9 -Q in -w {into} {words}".split()),
    ]
    with ExitStack() as stack:
        running = [stack.enter_context(_listening(command)) for command in commands]
        try:
            yield out, into
            time.sleep(1.3)  # tcpdump reads its ring a second later
        finally:
            for tcpdump in running:
                tcpdump.terminate()


def _listening(command: Sequence[str]) -> subprocess.Popen[str]:
    """Start tcpdump; returns when it captures."""
    started = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True)
    assert started.stderr is not None
    while "listening" not in (line := started.stderr.readline()):
        if not line:
            raise SystemExit(f"tcpdump ended: {' '.join(command)}")
    return started


def _packets(pcap: bytes) -> dict[tuple[int, int], Seen]:
    """The test packets of a nanosecond pcap by flow and number."""
    if not pcap:
        return {}
    (magic,) = struct.unpack_from("<I", pcap)
    assert magic == PCAP_NS_MAGIC
    values, at = {}, 24
    while at + 16 <= len(pcap):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", pcap, at)
        header = pcap[at + 16 + HEADER_AT : at + 16 + HEADER_AT + 14]
        at += 16 + kept
        if len(header) == 14 and header[0] == MAGIC:
            key = int.from_bytes(header[2:5], "big"), int.from_bytes(header[5:9], "big")
            stamp = int.from_bytes(header[9:14], "big")
            values[key] = Seen(seconds * 1_000_000_000 + nanoseconds, stamp)
    return values


def _offset_ns() -> int:
    """CLOCK_REALTIME less CLOCK_MONOTONIC, by the fastest of many readings."""
    readings = []
    for _ in range(200):
        before = time.monotonic_ns()
        now = time.time_ns()
        after = time.monotonic_ns()
        readings.append((after - before, now - (before + after) // 2))
    return min(readings)[1]


def _wrapped(difference_ns: int) -> int:
    """A difference of times modulo WRAP_NS, by its smallest size."""
    return (difference_ns + WRAP_NS // 2) % WRAP_NS - WRAP_NS // 2


def _histogram(report: Report) -> dict[int, float]:
    return merged([(report["delay_ns"]["low"], report["delay_ns"]["count"])])


def _percentiles(histogram: dict[int, float]) -> dict[str, float]:
    return {name: percentile(histogram, share) for name, share in SHARES.items()}


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0


if __name__ == "__main__":
    main()
