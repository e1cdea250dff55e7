# SPDX-License-Identifier: Apache-2.0
"""Which points of a plan are measured once more: `spread` and `most` of its [repeat].

The rule looks at widths alone, never at where an interval lies, nor at which arm is faster. So
intervals and tests keep their promise (docs/numbers/quantity/interval.md has the simulation).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final, NamedTuple

from gatemark.judge.change.block import differences
from gatemark.judge.change.ladder import LADDER, PACKET, steps
from gatemark.judge.math import signed
from gatemark.judge.math.interval import LEVEL, Interval, median_interval
from gatemark.judge.point.group import readings
from gatemark.judge.point.sweep import RATES
from gatemark.plan.model import Plan
from gatemark.store.record import Record, Scalar

Point = tuple[tuple[str, Scalar], ...]
Arms = Mapping[str, Sequence[Record]]  # the tries of one point, by arm
TENTH: Final = 0.1  # of a step of a ladder: dear steps need no more
NONE: Final = Interval(value=0.0, lo=0.0, hi=0.0, n=0, level=0.0)  # nothing measured
HOPE: Final = 8.0  # times `most`: where more blocks than that would be needed, none is measured


class Width(NamedTuple):
    """The width of an interval, and the most that it may be."""

    interval: Interval
    most: float

    def wants(self, most: int) -> bool:
        """Return True if it is too wide yet, and as many blocks as `most` may make it narrow.

        It narrows with the root of the blocks.
        """
        of = self.interval
        side = max(of.value - of.lo, of.hi - of.value)
        if of.level < LEVEL:
            return True
        return side > self.most and of.n * side**2 <= HOPE * most * self.most**2


def unsettled(plan: Plan, records: Iterable[Record]) -> list[dict[str, Scalar]]:
    """The points at which some arm's 95 % interval reaches beyond ± spread of its median.

    Of the headline quantity, in the outside pass, in the order in which the points first ran.
    Fewer than six valid trials have no 95 % interval, so such a point is not settled yet. A point
    is left out once each of its arms was tried `most` times, or so many would not do by far; an arm
    without any valid trial in `times` tries asks for no more. Of a rate sweep all points or
    none. Pure; an empty list without `spread`.

    Of a ladder what counts is what its steps add: each one's interval within ± spread of the arm
    that it is a step from, or within a tenth of itself.
    """
    if not plan.repeat.spread:
        return []
    points: dict[Point, dict[str, list[Record]]] = {}
    for record in sorted(records, key=lambda record: record.sequence):
        if record.plan == plan.name and record.pass_ == "outside":
            arms = points.setdefault(tuple(sorted(record.point.items())), {})
            arms.setdefault(record.arm, []).append(record)
    wide = [
        key
        for key, arms in points.items()
        if min(map(len, arms.values())) < plan.repeat.most
        if any(width.wants(plan.repeat.most) for width in _widths(plan, arms))
    ]
    sweeps = {_but_rate(key) for key in wide}
    return [
        next(iter(arms.values()))[0].point
        for key, arms in points.items()
        if _but_rate(key) in sweeps
    ]


def _but_rate(point: Point) -> Point:
    """The sweep that a point belongs to: a knee needs every rate of a repeat."""
    return tuple((name, level) for name, level in point if name not in RATES)


def _widths(plan: Plan, arms: Arms) -> Iterator[Width]:
    yield from _of_steps(plan, arms) if plan.figure == LADDER else _of_arms(plan, arms)


def _of_steps(plan: Plan, arms: Arms) -> Iterator[Width]:
    values = {arm: _by_block(tried) for arm, tried in arms.items()}
    measured = {arm: blocks for arm, blocks in values.items() if blocks}
    for arm, below in steps(plan, measured).items():
        interval = signed.middle(differences(measured[below], measured[arm]) or [0.0])
        near = plan.repeat.spread * median(measured[below].values())
        yield Width(interval, max(near, TENTH * abs(interval.value)))


def _by_block(tried: Sequence[Record]) -> dict[int, float]:
    """Time of a packet, or the headline where no time was read."""
    valid = [record for record in tried if record.status == "ok"]
    quantity = PACKET if readings(valid, PACKET) else tried[0].definition.headline
    return {r.repeat: value for r in valid for value in readings([r], quantity)}


def _of_arms(plan: Plan, arms: Arms) -> Iterator[Width]:
    for tried in arms.values():
        valid = [record for record in tried if record.status == "ok"]
        samples = readings(valid, tried[0].definition.headline)
        if samples:
            interval = median_interval(samples)
            yield Width(interval, plan.repeat.spread * abs(interval.value))
        elif len(tried) < plan.repeat.times:
            yield Width(NONE, 0.0)
