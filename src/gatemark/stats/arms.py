# SPDX-License-Identifier: Apache-2.0
"""The arms of a plan against its first one: same run, same point, trials that took turns."""

from collections.abc import Iterable, Sequence

import msgspec

from gatemark.plan.model import TWIN, Plan
from gatemark.stats import paired
from gatemark.stats.compare import NOISE, UNBOUNDED, compare, holm, size, untold
from gatemark.stats.judgement import Change, Comparison
from gatemark.stats.sampled import Sampled
from gatemark.store.record import Definition

DIRECT = "direct"  # the tester's ceiling, no arm of the gateway
ABLATION = "ablation"  # a plan's figure
Pair = tuple[Sampled, Sampled]  # the first arm's, the other arm's
OWN = ("path", "features")  # what makes an arm: all else of two definitions must be alike


def comparisons(plans: Sequence[Plan], rows: Iterable[Sampled]) -> tuple[Comparison, ...]:
    """Every arm against the first arm of its plan, at every point that both have.

    A sweep of the rate is compared by its knees. Noise is what the first arm differs by from its
    own twin (A/A), at the point where that is most, and 1 % at least. Holm's family is the plan.

    Where the tester was the limit of one of the two, at least one value is only a lower bound:
    the verdict is `inconclusive` with no number of repeats that would help, whatever the change,
    and the row does not count in the family. Nor does the twin, which is no claim.

    An ablation is compared block by block.
    """
    named = {plan.name: plan for plan in plans}
    members: dict[str, list[Sampled]] = {}
    for row in rows:
        if row.definition.path != DIRECT and not row.swept:
            members.setdefault(row.plan, []).append(row)
    return tuple(
        comparison
        for name, found in members.items()
        for comparison in _of_plan(named.get(name), found)
    )


def floor(found: Iterable[Comparison]) -> float:
    """The most by which a first arm differed from its own twin; 0 where there was none."""
    twins = (c.change.change.value for c in found if c.arm == TWIN.format(c.baseline))
    return max((size(value) for value in twins if size(value) < UNBOUNDED), default=0.0)


def _figure(plan: Plan | None) -> str:
    return plan.figure if plan else ""


def _first(plan: Plan | None, rows: Sequence[Sampled]) -> str:
    arms = [arm.name or arm.setup for arm in plan.arm if arm.path != DIRECT] if plan else []
    return arms[0] if arms else rows[0].arm


def _of_plan(plan: Plan | None, rows: Sequence[Sampled]) -> list[Comparison]:
    first, by = _first(plan, rows), _by_block if _figure(plan) == ABLATION else _by_all
    pairs = _pairs(first, rows)
    noise = max(NOISE, floor(_compared(pair, by(pair, NOISE)) for pair in pairs))
    found = [_compared(pair, by(pair, noise)) for pair in pairs]
    claims = [i for i, c in enumerate(found) if not c.at_least and c.arm != TWIN.format(first)]
    for i, change in zip(claims, holm([found[i].change for i in claims]), strict=True):
        found[i] = msgspec.structs.replace(found[i], change=change)
    return found


def _pairs(first: str, rows: Sequence[Sampled]) -> list[Pair]:
    baselines = {_place(row): row for row in rows if row.arm == first}
    others = [row for row in rows if row.arm != first]
    pairs = [(baselines[_place(row)], row) for row in others if _place(row) in baselines]
    return [(a, b) for a, b in pairs if _traffic(a.definition) == _traffic(b.definition)]


def _place(row: Sampled) -> tuple[object, ...]:
    return row.quantity, row.definition.direction, *sorted(row.point.items())


def _traffic(definition: Definition) -> dict[str, object]:
    fields = msgspec.structs.asdict(definition)
    return {name: level for name, level in fields.items() if name not in OWN}


def _by_all(pair: Pair, noise: float) -> Change:
    first, other = pair
    return compare(first.samples, other.samples, noise, higher_is_better=first.higher_is_better)


def _by_block(pair: Pair, noise: float) -> Change:
    """Where no block holds both, or a value is of a whole sweep, as any other plan."""
    first, other = pair
    if not first.blocks.keys() & other.blocks.keys():
        return _by_all(pair, noise)
    better = first.higher_is_better
    return paired.ratio(first.blocks, other.blocks, noise, higher_is_better=better)


def _compared(pair: Pair, change: Change) -> Comparison:
    first, other = pair
    at_least = first.at_least or other.at_least
    return Comparison(
        plan=other.plan,
        arm=other.arm,
        baseline=first.arm,
        point=other.point,
        definition=other.definition,
        quantity=other.quantity,
        change=untold(change) if at_least else change,
        at_least=at_least,
    )
