# SPDX-License-Identifier: Apache-2.0
"""Known tools against our own agents: where both drove the same point, by how much they differ.

Here the tester is what is compared, so a value that the tester limited is compared like any other,
and so is the tester alone (path `direct`).
"""

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from gatemark.judge.change.compare import compare, holm
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.judgement import CrossCheck
from gatemark.judge.point.group import Group
from gatemark.judge.point.sweep import Judged
from gatemark.store.record import Scalar

DRIVER = "driver"
OURS = "gatemark"
Place = tuple[object, ...]


def cross_checks(rows: Iterable[Sampled], judged: Iterable[Judged]) -> tuple[CrossCheck, ...]:
    """Every tool against our agents at every point that both have. Holm's family is the plan."""
    losses = {_of(group): _own_loss(group) for group, _ in judged}
    plans: dict[str, list[Sampled]] = {}
    for row in rows:
        if not row.swept:
            plans.setdefault(row.plan, []).append(row)
    return tuple(check for members in plans.values() for check in _of_plan(members, losses))


def _of_plan(rows: Sequence[Sampled], losses: dict[Place, float | None]) -> list[CrossCheck]:
    baselines = {_place(row): row for row in rows if row.definition.driver == OURS}
    pairs = [
        (baselines[_place(row)], row)
        for row in rows
        if row.definition.driver != OURS and _place(row) in baselines
    ]
    changes = holm([compare(ours.samples, theirs.samples) for ours, theirs in pairs])
    return [
        CrossCheck(
            subject=theirs.subject.at(_without(theirs.point)),
            driver=theirs.definition.driver,
            quantity=theirs.quantity,
            ours=ours.interval,
            theirs=theirs.interval,
            change=change,
            own_loss=losses.get(_row(theirs)),
            our_loss=losses.get(_row(ours)),
        )
        for (ours, theirs), change in zip(pairs, changes, strict=True)
    ]


def _place(row: Sampled) -> Place:
    """All that must agree: the point and the definition, but for who made the traffic."""
    definition = msgspec.structs.replace(row.definition, driver=OURS)
    return row.arm, row.quantity, definition, *sorted(_without(row.point).items())


def _without(point: dict[str, Scalar]) -> dict[str, Scalar]:
    return {name: level for name, level in point.items() if name != DRIVER}


def _of(group: Group) -> Place:
    return group.plan, group.arm, *sorted(group.point.items())


def _row(row: Sampled) -> Place:
    return row.plan, row.arm, *sorted(row.point.items())


def _own_loss(group: Group) -> float | None:
    """The share of what was sent that the receiver lost; None where no packet is accounted for."""
    counts = [record.accounting for record in group.outside if record.accounting]
    shares = [count.ring_dropped / count.tried for count in counts if count.tried]
    return median(shares) if shares else None
