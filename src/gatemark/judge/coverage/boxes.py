# SPDX-License-Identifier: Apache-2.0
"""A claim of a study on several boxes: the clock matters less than expected.

Two gateways with the same points: where one's clock is c times the other's, its payload is expected
to be c times as much; less than that, and the clock matters less. A rate that the tester limited,
or that was set, is not the gateway's: it is compared with none.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Final, NamedTuple

from gatemark.judge.change.derived import is_bound
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.likeness import is_alone
from gatemark.judge.point.sweep import RATES
from gatemark.judge.study.blocks import Holds

CLOCK: Final = "clock"
PAYLOAD: Final = ("goodput_bps", "received_l4_bps")
SAME: Final = 0.02  # clocks that differ by less are alike

Rates = Mapping[Hashable, float]


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
    """Yield the claim for each two gateways that have points in common."""
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
    """Payload at each point whose rate was the gateway's own."""
    return of_runs(
        ((p.plan, p.arm, *sorted((n, str(level)) for n, level in p.point.items())), interval.value)
        for p in side.points
        if _is_own(p)
        for name in PAYLOAD
        if (interval := p.values.get(name))
    )


def _is_own(point: PointResult) -> bool:
    """Whether the gateway alone made its rate: no tester, set rate, slowdown, line or load."""
    is_paced = any(point.point.get(name) for name in RATES)
    slowed = point.definition.slow_to_pps or not is_alone(point.definition)
    return not (is_bound(point) or is_paced or slowed)


def of_runs(values: Iterable[tuple[Hashable, float]]) -> Rates:
    """One value a point: where several runs of a gateway have it, the median of theirs."""
    known: dict[Hashable, list[float]] = {}
    for at, value in values:
        known.setdefault(at, []).append(value)
    return {at: median(own) for at, own in known.items()}
