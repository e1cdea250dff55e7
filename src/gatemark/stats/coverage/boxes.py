# SPDX-License-Identifier: Apache-2.0
"""What a study claims of several boxes: the clock matters less than expected.

Two gateways with the same points: where one's clock is c times the other's, its payload is expected
to be c times as much; less than that, and the clock matters less.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Final, NamedTuple

from gatemark.stats.judgement import PointResult
from gatemark.stats.study.blocks import Holds

CLOCK: Final = "payload differs less than the clock does"
PAYLOAD: Final = ("goodput_bps", "received_l4_bps")
SAME: Final = 0.02  # clocks that differ by less are alike

Rates = Mapping[tuple[object, ...], float]


class Side(NamedTuple):
    """One gateway."""

    label: str
    clock_mhz: float | None  # None: its inventory does not tell
    points: Sequence[PointResult]


class Told(NamedTuple):
    """A claim on two gateways."""

    claim: str
    between: str
    rate: float  # payload of the second over that of the first, the median of all points
    beside: str  # what it is held against
    holds: Holds


def claimed(sides: Sequence[Side]) -> Iterator[Told]:
    """Of each two gateways that have points in common."""
    for first, second in combinations(sides, 2):
        base, rates = _rates(first), _rates(second)
        shares = [rates[at] / base[at] for at in base if base[at] and rates.get(at)]
        if shares:
            yield from _of_two(first, second, median(shares))


def _of_two(first: Side, second: Side, share: float) -> Iterator[Told]:
    between = f"{second.label} over {first.label}"
    if first.clock_mhz and second.clock_mhz:
        clock = second.clock_mhz / first.clock_mhz
        yield Told(CLOCK, between, share, f"clock {clock:.2f} times", _clock(share, clock))


def _clock(share: float, clock: float) -> Holds:
    """Of two that differ in their clock; a faster one that carries less bears the claim out too."""
    if abs(clock - 1) < SAME:
        return "cannot be told"
    if clock < 1:
        share, clock = 1 / share, 1 / clock
    return "holds" if share < clock else "does not hold"


def _rates(side: Side) -> Rates:
    """Payload at each point, but for those of an arm that only one has."""
    return {
        (p.plan, p.arm, *sorted((n, str(level)) for n, level in p.point.items())): interval.value
        for p in side.points
        for name in PAYLOAD
        if (interval := p.values.get(name))
    }
