# SPDX-License-Identifier: Apache-2.0
"""How evenly senders pace: every gap between packets, by tcpdump's kernel time stamps."""

import struct
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

from benchmarks.bare_lab import our_sender, our_sink, received_at_once
from benchmarks.compare import Comparison, compare_less, progress
from benchmarks.peers import SENDERS, WITH_SINK, Ends, Peer, sending, served
from gatemark.station.netns import Lab

GAP_RATES = (50_000, 100_000)
FAST_PPS = 500_000  # our sender and sink only: tcpdump would lose packets at this rate
PAYLOAD = 64
SECONDS = 2.0

# Measure -> unit, resolution, goal.
MEASURES: dict[str, tuple[str, float, float | None]] = {
    "gap error": ("us", 0.01, 10.0),
    "gap holes": ("gaps", 1, None),
    "rate error": ("ratio", 1e-6, 0.001),
}
PCAP_NS_MAGIC = 0xA1B23C4D

Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round


def gaps(made: Lab, folder: Path, rounds: int) -> Iterator[Comparison]:
    """Error of the gaps (99 %), gaps above 1 ms, and error of the rate, at each rate."""
    values: Values = defaultdict(list)
    fast: list[float] = []
    for number in range(1, rounds + 1):
        for rate in GAP_RATES:
            progress(f"round {number} of {rounds}: pacing at {rate} packets/s")
            with received_at_once(made) as at:
                for peer in (None, *WITH_SINK, *SENDERS):
                    _measure(at, peer, rate, folder, values)
        with received_at_once(made) as at:
            fast.append(_fast_error_us(at))
    for (what, tool), theirs in values.items():
        if tool != "ours":
            unit, least, _ = MEASURES[what.split(",")[0]]
            yield compare_less(what, values[what, "ours"], tool, theirs, unit, least)
    for (what, tool), ours in values.items():
        unit, least, target = MEASURES[what.split(",")[0]]
        if tool == "ours" and target is not None:
            yield compare_less(what, ours, "target", [target] * len(ours), unit, least)
    what = f"gap error, 99 %, {FAST_PPS} packets/s, by our sink"
    yield compare_less(what, fast, "target", [2.0] * len(fast), "us", 0.03)


def _fast_error_us(at: Ends) -> float:
    """99 % of the gap errors are within this value; the sink's buckets are 3 % wide."""
    sink, sender = our_sink(at, "wan9"), our_sender(at, PAYLOAD, FAST_PPS, SECONDS)
    sink.start()
    sender.start()
    sender.event("done")
    time.sleep(0.1)
    gap = sink.close()["gap_ns"]
    nominal, left = 1e9 / FAST_PPS, 0.99 * sum(gap["count"])
    errors = sorted(
        (abs(low - nominal), count) for low, count in zip(gap["low"], gap["count"], strict=True)
    )
    for error, count in errors:
        left -= count
        if left <= 0:
            return float(error) / 1e3
    return 0.0


def _measure(at: Ends, peer: Peer | None, rate: int, folder: Path, values: Values) -> None:
    tool = peer.name if peer else "ours"
    times = _arrivals(at, peer, rate, folder)
    if len(times) < rate * SECONDS / 100:
        return  # this tool cannot pace such a rate at all
    errors = sorted(abs(later - earlier - 1e9 / rate) / 1e3 for earlier, later in pairwise(times))
    span_s = (times[-1] - times[0]) / 1e9
    values[f"gap error, 99 %, {rate} packets/s", tool].append(errors[len(errors) * 99 // 100])
    values[f"gap holes, above 1 ms, {rate} packets/s", tool].append(
        sum(error > 1000 for error in errors)
    )
    values[f"rate error, {rate} packets/s", tool].append(abs((len(times) - 1) / span_s / rate - 1))


def _arrivals(at: Ends, peer: Peer | None, rate: int, folder: Path) -> list[int]:
    """Arrival times in ns of one tool's packets at the WAN host."""
    trace = folder / "gaps.pcap"
    words = f"tcpdump -i wan9 -Q in -s 64 -B 65536 --time-stamp-precision=nano -w {trace} udp"
    with ExitStack() as stack:
        if peer:
            stack.enter_context(served(peer, at))
        tcpdump = subprocess.Popen(
            at.at_sink(*words.split()), stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(0.4)
        if peer:
            stack.enter_context(sending(peer, at, PAYLOAD, rate, SECONDS, folder))
            time.sleep(SECONDS + 0.3)
        else:
            sender = our_sender(at, PAYLOAD, rate, SECONDS)
            sender.start()
            sender.event("done")
        tcpdump.terminate()
        tcpdump.wait()
    return _times(trace.read_bytes())


def _times(pcap: bytes) -> list[int]:
    """Time stamps of a nanosecond pcap, without the first and last tenth: tools start and end."""
    (magic,) = struct.unpack_from("<I", pcap)
    assert magic == PCAP_NS_MAGIC
    times, at = [], 24
    while at + 16 <= len(pcap):
        seconds, nanoseconds, kept, _ = struct.unpack_from("<IIII", pcap, at)
        times.append(seconds * 1_000_000_000 + nanoseconds)
        at += 16 + kept
    tenth = len(times) // 10
    return times[tenth : len(times) - tenth]
