# SPDX-License-Identifier: Apache-2.0
"""Which points of a plan spread too much to stop: `spread` and `most` of its [repeat]."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Final

from gatemark.plan.model import Plan
from gatemark.stats.change.block import differences
from gatemark.stats.change.ladder import LADDER, PACKET, steps
from gatemark.stats.math import signed
from gatemark.stats.math.interval import LEVEL, median_interval
from gatemark.stats.point.group import readings
from gatemark.stats.point.sweep import RATES
from gatemark.store.record import Record, Scalar

Point = tuple[tuple[str, Scalar], ...]
Arms = Mapping[str, Sequence[Record]]  # the tries of one point, by arm
TENTH: Final = 0.1  # of a step of a ladder: dear steps need no more


def unsettled(plan: Plan, records: Iterable[Record]) -> list[dict[str, Scalar]]:
    """The points at which some arm's 95 % interval reaches beyond ± spread of its median.

    Of the headline quantity, in the outside pass, in the order in which the points first ran.
    Fewer than six valid trials have no 95 % interval, so such a point is not settled yet. A point
    is left out once each of its arms was tried `most` times; an arm without any valid trial in
    `times` tries asks for no more. Of a rate sweep all points or
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
        and (_ladder_spreads if plan.figure == LADDER else _any_spreads)(plan, arms)
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


def _any_spreads(plan: Plan, arms: Arms) -> bool:
    return any(_spreads(plan, tried) for tried in arms.values())


def _ladder_spreads(plan: Plan, arms: Arms) -> bool:
    values = {arm: _by_block(tried) for arm, tried in arms.items()}
    measured = {arm: blocks for arm, blocks in values.items() if blocks}
    for arm, below in steps(plan, measured).items():
        added = differences(measured[below], measured[arm])
        interval = signed.middle(added or [0.0])
        side = max(interval.value - interval.lo, interval.hi - interval.value)
        near = plan.repeat.spread * median(measured[below].values())
        if interval.level < LEVEL or side > max(near, TENTH * abs(interval.value)):
            return True
    return False


def _by_block(tried: Sequence[Record]) -> dict[int, float]:
    """Time of a packet, or the headline where no time was read."""
    valid = [record for record in tried if record.status == "ok"]
    quantity = PACKET if readings(valid, PACKET) else tried[0].definition.headline
    return {r.repeat: value for r in valid for value in readings([r], quantity)}


def _spreads(plan: Plan, tried: Sequence[Record]) -> bool:
    valid = [record for record in tried if record.status == "ok"]
    samples = readings(valid, tried[0].definition.headline)
    if not samples:
        return len(tried) < plan.repeat.times
    interval = median_interval(samples)
    side = max(interval.value - interval.lo, interval.hi - interval.value)
    return interval.level < LEVEL or side > plan.repeat.spread * abs(interval.value)
