# SPDX-License-Identifier: Apache-2.0
"""Features stacked one by one: what each step costs in time, packets and CPU, pair by pair."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.judge.change import block
from gatemark.judge.change.arms import DIRECT
from gatemark.judge.change.block import Samples
from gatemark.judge.change.compare import NOISE
from gatemark.judge.judgement import Cost, Ladder, Step
from gatemark.judge.math import signed
from gatemark.judge.math.holm import adjusted
from gatemark.judge.point.group import Group, readings
from gatemark.judge.point.sweep import Judged
from gatemark.plan.model import TWIN, Plan
from gatemark.quantity import is_higher_better

PACKET: Final = "packet_ns"
CPU: Final = "cpu_busy"
INSTRUCTIONS: Final = "instructions"  # counted: nothing but zero holds zero
WORK: Final = frozenset({PACKET, INSTRUCTIONS})  # of one packet, whatever rate the tester sends
LADDER: Final = "ladder"
Rungs = Mapping[str, Judged]  # by arm, in the order of the plan


def ladders(plans: Sequence[Plan], judged: Sequence[Judged]) -> tuple[Ladder, ...]:
    """A ladder for each point of each plan that asks for one."""
    return tuple(
        _ladder(plan, rungs)
        for plan in plans
        if plan.figure == LADDER
        for rungs in rungs_of(plan, judged)
        if len(rungs) > 1
    )


def steps(plan: Plan, measured: Collection[str]) -> dict[str, str]:
    """Each measured arm but the lowest, in the plan's order, and the arm that it is a step from.

    Where that was not available here: what that is a step from.
    """
    known = _from(plan)
    order = [arm for arm in known if arm in measured]
    results = {}
    for arm in order[1:]:
        below = known[arm]
        while below and below not in measured:
            below = known[below]
        results[arm] = below or order[0]
    return results


def quantity_of(ladder: Ladder) -> str:
    """The quantity that its figure and its first column tell: time, else the rate."""
    timed = PACKET in ladder.values and all(PACKET in step.costs for step in ladder.steps)
    return PACKET if timed else ladder.definition.headline


def is_limited(step: Step, quantity: str) -> bool:
    """Whether the tester, and not the gateway, may have made what a step adds to a quantity."""
    return step.at_least and quantity not in WORK


def holds_zero(step: Step, quantity: str) -> bool:
    """Return whether the interval of the step's difference holds zero: an A/A step's must."""
    cost = step.costs.get(quantity)
    if cost is None or quantity == INSTRUCTIONS:
        return cost is None or not cost.difference.value
    return cost.difference.lo <= 0 <= cost.difference.hi


def rungs_of(plan: Plan, judged: Sequence[Judged]) -> Iterator[dict[str, Judged]]:
    """The arms of each point that were measured, in the plan's order; twins stand last."""
    points: dict[tuple[object, ...], dict[str, Judged]] = {}
    for trials, result in judged:
        if trials.plan == plan.name and trials.outside:
            key = tuple(sorted(trials.point.items()))
            points.setdefault(key, {})[trials.arm] = trials, result
    order = list(_from(plan))
    for rungs in points.values():
        yield {name: rungs[name] for name in order if name in rungs}


def _from(plan: Plan) -> dict[str, str]:
    """Each arm, and the one that it is a step from; the first and its twin last."""
    arms = [arm for arm in plan.arm if arm.path != DIRECT]
    names = [arm.name or arm.setup for arm in arms]
    known = {
        name: arm.against or before
        for arm, name, before in zip(arms, names, ["", *names[:-1]], strict=True)
    }
    return known | {TWIN.format(names[0]): names[0]}


def _ladder(plan: Plan, rungs: Rungs) -> Ladder:
    base, below = next(iter(rungs)), steps(plan, rungs)
    first, result = rungs[base]
    quantities = dict.fromkeys((PACKET, first.definition.headline, CPU))
    noise = {name: _floor(name, below, rungs) for name in quantities if _twins(below, rungs)}
    costs = {name: _costs(name, below, rungs, noise.get(name, 0.0)) for name in quantities}
    own = {arm: {name: of[arm] for name, of in costs.items() if arm in of} for arm in below}
    return Ladder(
        subject=first.subject,
        values=result.values,
        steps=tuple(step(rungs, arm, below[arm], costs) for arm, costs in own.items()),
        noise=noise,
    )


def step(rungs: Rungs, arm: str, against: str, costs: dict[str, Cost]) -> Step:
    """One arm against the one that it is a step from."""
    (trials, result), (_, other) = rungs[arm], rungs[against]
    return Step(
        subject=trials.subject,
        against=against,
        twin=_is_twin(rungs, arm, against),
        values=result.values,
        costs=costs,
        at_least=result.at_least or other.at_least,
        limit=result.limit,
    )


def _is_twin(rungs: Rungs, arm: str, against: str) -> bool:
    return rungs[arm][0].setup == rungs[against][0].setup


def _twins(below: Mapping[str, str], rungs: Rungs) -> list[str]:
    return [arm for arm, against in below.items() if _is_twin(rungs, arm, against)]


def _floor(quantity: str, below: Mapping[str, str], rungs: Rungs) -> float:
    """The most by which the same setup differed from itself."""
    differences = _differences(quantity, below, rungs)
    twins = [differences[arm] for arm in _twins(below, rungs) if arm in differences]
    return max((abs(signed.middle(twin).value) for twin in twins), default=0.0)


def _differences(quantity: str, below: Mapping[str, str], rungs: Rungs) -> dict[str, list[float]]:
    values = {
        arm: block.differences(
            _samples(rungs[against][0], quantity), _samples(rungs[arm][0], quantity)
        )
        for arm, against in below.items()
    }
    return {arm: this_values for arm, this_values in values.items() if this_values}


def _costs(quantity: str, below: Mapping[str, str], rungs: Rungs, floor: float) -> dict[str, Cost]:
    """Return each step's costs; Holm's family is the ladder without its A/A steps.

    Noise is the most that an A/A step differed by, and 1 % of the arm that a step is from at least.
    """
    differences = _differences(quantity, below, rungs)
    twins = _twins(below, rungs)
    claims = [arm for arm in differences if arm not in twins]
    ps = {arm: block.least_p(values) for arm, values in differences.items()}
    ps |= dict(zip(claims, adjusted([ps[arm] for arm in claims]), strict=True))
    made = {}
    for arm, this_values in differences.items():
        own = NOISE * abs(rungs[below[arm]][1].values[quantity].value)
        made_cost = block.cost(
            this_values,
            own if arm in twins else max(own, floor),
            ps[arm],
            rows=1 if arm in twins else len(claims),
            higher_is_better=is_higher_better(quantity),
        )
        old, new = (_samples(rungs[name][0], quantity) for name in (below[arm], arm))
        made[arm] = replace(made_cost, ratio=block.ratio(old, new))
    return made


def _samples(trials: Group, quantity: str) -> Samples:
    """Return samples by block; of a box, read from inside alone, of the instrumented pass."""
    source = trials.outside
    if quantity in (PACKET, CPU) and not readings(source, quantity):
        source = trials.instrumented
    return {r.repeat: value for r in source for value in readings([r], quantity)}
