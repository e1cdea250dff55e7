# SPDX-License-Identifier: Apache-2.0
"""The arms of a plan against its first one, or that of their choice: same run, same point."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from gatemark.judge.change.compare import NOISE, UNBOUNDED, compare, holm, size, untold
from gatemark.judge.change.paired import compare_pairs
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.judgement import Change, Comparison
from gatemark.plan.model import TWIN, Plan
from gatemark.store.record import Definition

DIRECT = "direct"  # the tester's ceiling, no arm of the gateway
Pair = tuple[Sampled, Sampled]  # the first arm's, the other arm's
OWN = ("path", "features")  # what makes an arm: all else of two definitions must be alike


def comparisons(
    plans: Sequence[Plan], rows: Iterable[Sampled], least: float = NOISE
) -> tuple[Comparison, ...]:
    """Every arm against the first arm of its plan, or its `against`, at every point of both.

    A sweep of the rate is compared by its knees. Noise is what the first arm differs by from its
    own twin (A/A), at the point where that is most, and `least`. Holm's family is the plan.

    Where the tester was the limit of one of the two, at least one value is only a lower bound:
    the verdict is `inconclusive` with no number of repeats that would help, whatever the change,
    and the row does not count in the family. Nor does the twin, which is no claim.

    Where trials are nested in boots, a sample is a boot, and boots are compared in pairs.
    """
    return tuple(_comparison(*change) for change in changes(plans, rows, least))


def changes(
    plans: Sequence[Plan], rows: Iterable[Sampled], least: float = NOISE
) -> list[tuple[Sampled, Sampled, Change]]:
    """The same: the first arm's samples, the other's, the change."""
    named = {plan.name: plan for plan in plans}
    members: dict[str, list[Sampled]] = {}
    for row in rows:
        plan = named.get(row.plan)
        if row.definition.path != DIRECT and not row.swept and (plan is None or plan.compare):
            members.setdefault(row.plan, []).append(row)
    return [
        results
        for name, sampleds in members.items()
        for results in _of_plan(named.get(name), sampleds, least)
    ]


def floor(comparisons: Iterable[Comparison]) -> float:
    """The most by which a first arm differed from its own twin; 0 where there was none."""
    twins = (c.change.change.value for c in comparisons if c.arm == TWIN.format(c.baseline))
    return max((size(value) for value in twins if size(value) < UNBOUNDED), default=0.0)


def _first(plan: Plan | None, rows: Sequence[Sampled]) -> str:
    arms = [arm.name or arm.setup for arm in plan.arm if arm.path != DIRECT] if plan else []
    return arms[0] if arms else rows[0].arm


def _of_plan(
    plan: Plan | None, rows: Sequence[Sampled], least: float
) -> list[tuple[Sampled, Sampled, Change]]:
    first = _first(plan, rows)
    bases = {arm.name: arm.against for arm in plan.arm if arm.against} if plan else {}
    pairs = _pairs(first, bases, rows)
    twins = (pair for pair in pairs if pair[1].arm == TWIN.format(pair[0].arm))
    noise = max(least, floor(_comparison(*pair, _change(*pair, least)) for pair in twins))
    changes = [_change(*pair, noise) for pair in pairs]
    claims = [
        i for i, (a, b) in enumerate(pairs) if not _at_least(a, b) and b.arm != TWIN.format(first)
    ]
    for i, change in zip(claims, holm([changes[i] for i in claims]), strict=True):
        changes[i] = change
    return [(*pair, change) for pair, change in zip(pairs, changes, strict=True)]


def _pairs(first: str, bases: Mapping[str, str], rows: Sequence[Sampled]) -> list[Pair]:
    """Each row beside that of its base at the same place, in the order of the rows."""
    there = {(row.arm, _place(row)): row for row in rows}
    others = [row for row in rows if row.arm != first]
    keys = [(bases.get(row.arm, first), _place(row)) for row in others]
    pairs = [_booted(there[at], row) for at, row in zip(keys, others, strict=True) if at in there]
    pairs = [(a, b) for a, b in pairs if a.samples]
    return [(a, b) for a, b in pairs if _traffic(a.definition) == _traffic(b.definition)]


def _place(row: Sampled) -> tuple[object, ...]:
    return row.quantity, row.definition.direction, *sorted(row.point.items())


def _traffic(definition: Definition) -> dict[str, object]:
    fields = msgspec.structs.asdict(definition)
    return {name: level for name, level in fields.items() if name not in OWN}


def _booted(first: Sampled, other: Sampled) -> Pair:
    """Both with the boots that both have; as they are where trials are not nested in boots."""
    if not first.boots:
        return first, other
    both = [boot for boot in first.boots if boot in other.boots]
    return _only(first, both), _only(other, both)


def _only(row: Sampled, boots: Sequence[int]) -> Sampled:
    values = dict(zip(row.boots, row.samples, strict=True))
    return replace(row, samples=tuple(values[boot] for boot in boots), boots=tuple(boots))


def _change(first: Sampled, other: Sampled, noise: float) -> Change:
    judge = compare_pairs if first.boots else compare
    change = judge(first.samples, other.samples, noise, higher_is_better=first.higher_is_better)
    return untold(change) if _at_least(first, other) else change


def _at_least(first: Sampled, other: Sampled) -> bool:
    return first.at_least or other.at_least


def _comparison(first: Sampled, other: Sampled, change: Change) -> Comparison:
    return Comparison(
        subject=other.subject,
        baseline=first.arm,
        quantity=other.quantity,
        change=change,
        at_least=_at_least(first, other),
    )
