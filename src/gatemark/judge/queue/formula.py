# SPDX-License-Identifier: Apache-2.0
"""What a drop-tail queue should do by the arithmetic of TCP, to stand beside what was seen.

With W segments under way when the buffer overflows, TCP goes on with beta W. What is under way and
not in the queue is on its path: R RTT0 / 8 bytes. Growth: reno by a segment a round trip (RFC 5681
section 3.1), so a period is W/2 round trips of 3/4 W T on average; CUBIC by its curve
(RFC 9438 section 4.2), K = ((1 - beta) W / C)^(1/3) seconds, or as reno would, if that is faster.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cbrt
from typing import Final

BETA: Final = {"reno": 0.5, "cubic": 0.7}  # what is left of the window after a loss
# Segments that a window grows by in a round trip. CUBIC's is what it has at least, to be as fast as
# reno with its beta (RFC 9438 section 4.3).
GROWTH: Final = {"reno": 1.0, "cubic": 3 * (1 - 0.7) / (1 + 0.7)}
CUBIC: Final = 0.4  # C of RFC 9438 section 5, segments/s^3
S_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """A line and what goes through it one way."""

    rate_bps: float
    buffer_packets: int = 0  # 0: bounded by bytes
    buffer_bytes: int = 0
    segment_bytes: float = 1514.0  # of a full frame of the load, with all that the line adds
    mean_bytes: float = 1514.0  # of all frames that arrive, likewise
    round_trip_ns: float = 0.0  # of the load's path without a queue
    streams: int = 1
    congestion: str = "reno"  # of the load

    @property
    def full_bytes(self) -> float:
        """What stands in the buffer when it is full."""
        return self.buffer_packets * self.mean_bytes or float(self.buffer_bytes)


@dataclass(frozen=True, slots=True)
class Expected:
    """In ns of waiting; None where the arithmetic says nothing (bbr, others)."""

    full_ns: float  # behind a full buffer
    trough_ns: float | None = None  # after TCP backed off, all streams at once
    mean_ns: float | None = None  # halfway between them
    period_ns: float | None = None  # from one overflow to the next


def mean_bytes(
    rate_bps: float, segment_bytes: float, others: Iterable[tuple[float, float]]
) -> float:
    """The mean frame that arrives: TCP fills what others leave. `others`: packets/s and bytes."""
    flows = list(others)
    taken = sum(pps * size for pps, size in flows)
    packets = sum(pps for pps, _ in flows) + max(0.0, rate_bps / 8 - taken) / segment_bytes
    return rate_bps / 8 / packets


def expected(line: Bottleneck) -> Expected:
    """Of the line's queue under TCP as fast as it goes."""
    full_ns = _ns(line.full_bytes, line)
    beta = BETA.get(line.congestion)
    if beta is None:
        return Expected(full_ns)
    path_bytes = line.rate_bps * line.round_trip_ns / S_NS / 8
    trough_ns = _ns(max(0.0, beta * (path_bytes + line.full_bytes) - path_bytes), line)
    return Expected(full_ns, trough_ns, (full_ns + trough_ns) / 2, _period_ns(line, path_bytes))


def _period_ns(line: Bottleneck, path_bytes: float) -> float:
    """Of streams that all back off at once, each with its part of the window.

    All bytes are taken to be the load's: what a real-time flow has of them is a few per cent.
    """
    way_ns = _ns(path_bytes + line.full_bytes, line)  # a round trip when the buffer is full
    window = (path_bytes + line.full_bytes) / line.segment_bytes / line.streams
    beta = BETA[line.congestion]
    # The integral of a round trip over the growth, from beta W to W.
    linear_ns = (1 - beta**2) / (2 * GROWTH[line.congestion]) * window * way_ns
    if line.congestion == "cubic":
        return min(linear_ns, cbrt((1 - beta) * window / CUBIC) * S_NS + way_ns)
    return linear_ns


def _ns(size_bytes: float, line: Bottleneck) -> float:
    return size_bytes * 8 * S_NS / line.rate_bps
