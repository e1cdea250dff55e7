# SPDX-License-Identifier: Apache-2.0
"""Who gets what of a line: fairness among streams, harm to a flow, the share of the line used."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Final

from gatemark.judge.math.nearest import percentile
from gatemark.judge.queue.flow import S_NS, Columns

WORST: Final = 0.05  # of the seconds: they are less fair than what is printed
CELL_BYTES, CELL_PAYLOAD_BYTES = 53, 48  # of ATM (ITU-T I.361)


def jain(rates: Sequence[float]) -> float | None:
    """From 1/n, all to one of n, to 1, the same to each; None if nobody got anything.

    (sum x)^2 / (n sum x^2): Jain, Chiu and Hawe, A Quantitative Measure of Fairness, 1984.
    """
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else None


def shares(
    counts: Iterable[Columns], start_ns: float, end_ns: float
) -> tuple[float | None, float | None]:
    """Fairness of streams over the whole time, and that of the 5th percentile of its seconds.

    `counts`: of each stream its count of bytes so far, over time. Seconds that are not whole, or in
    which no stream got anything, do not count. (None, None) of fewer than two streams.
    """
    streams = [count for count in counts if len(count[0]) > 1]
    if len(streams) < 2:
        return None, None
    seconds = int((end_ns - start_ns) // S_NS)
    edges = [start_ns + place * S_NS for place in range(seconds + 1)]
    got = [[at(count, edge) for edge in edges] for count in streams]
    each = [
        jain([counts_[place + 1] - counts_[place] for counts_ in got]) for place in range(seconds)
    ]
    known = [value for value in each if value is not None]
    whole = jain([at(count, end_ns) - at(count, start_ns) for count in streams])
    return whole, percentile(known, WORST) if known else None


def at(count: Columns, when_ns: float) -> float:
    """A count at a moment: between two readings by a straight line, beyond them as the nearest."""
    times, values = count
    place = next((i for i, time in enumerate(times) if time >= when_ns), len(times))
    if place in (0, len(times)):
        return values[min(place, len(times) - 1)]
    part = (when_ns - times[place - 1]) / (times[place] - times[place - 1])
    return values[place - 1] + part * (values[place] - values[place - 1])


def harm(alone: float, together: float) -> float:
    """Of what is better when it is less: how much of it comes from the others, 0 to 1.

    (together - alone) / together: Ware et al., Beyond Jain's Fairness Index, HotNets 2019,
    section 4. Below 0 nothing was harmed: 0.
    """
    return max(0.0, (together - alone) / together) if together > 0 else 0.0


def line_bytes(frame_bytes: float, overhead_bytes: int = 0, *, atm: bool = False) -> float:
    """What a frame takes of a line; frame without check sequence, as the line counts it."""
    wide = frame_bytes + overhead_bytes
    return CELL_BYTES * ceil(wide / CELL_PAYLOAD_BYTES) if atm else wide


def line_share(goodputs_bps: Mapping[float, float], rate_bps: float, wide: float) -> float:
    """The share of the line that was used: goodput by segment size, with all that goes around it.

    `goodputs_bps`: payload of a full segment in bytes -> goodput of all such workloads. `wide`:
    bytes of the line that a segment takes beside its payload.
    """
    used = sum(bps * (payload + wide) / payload for payload, bps in goodputs_bps.items())
    return used / rate_bps
