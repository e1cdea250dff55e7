# SPDX-License-Identifier: Apache-2.0
"""The expectations of a plan (`[expect]`), judged: each met, missed, or not known.

What is compared is the interval, not the median. A check is met where the whole interval meets it,
and missed where no part of it does; what lies between is not known, and more repeats would tell.
What the tester limited is the gateway's only where a faster tester could but raise it.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Final, Literal

import msgspec

from gatemark.judge.change.ladder import WORK
from gatemark.judge.judgement import Judgement, Knee, PointResult, Value
from gatemark.judge.point.sweep import RATES
from gatemark.judge.values import values
from gatemark.plan.feature import DIRECT
from gatemark.plan.model import Arm, Expectation, Plan
from gatemark.quantity import BELOW_KNEE, STEP, is_bounded
from gatemark.store.record import Scalar
from gatemark.store.run import UNKNOWN, Run

Verdict = Literal["met", "missed", "not known"]
Key = tuple[str, str, frozenset[tuple[str, Scalar]]]  # plan, arm, point

WORST: Final[tuple[Verdict, ...]] = ("missed", "not known", "met")
ABOVE: Final[Mapping[str, Callable[[float, float], bool]]] = {">=": ge, ">": gt}
BELOW: Final[Mapping[str, Callable[[float, float], bool]]] = {"<=": le, "<": lt}
UNMEASURED: Final = "unmeasured"
TESTER: Final = "tester-bound"
LIMITED: Final = "tester"
SPREAD: Final = "spread"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One expectation of one arm, at one point."""

    plan: str  # suite/file
    arm: str  # by its name
    expectation: Expectation  # what was wanted
    value: Value | None  # what was measured; None: nothing
    verdict: Verdict
    why: str = ""  # code of why it is not known

    @property
    def point(self) -> Mapping[str, Scalar]:
        """The factors of the value, or those that were asked for."""
        return self.value.point if self.value else self.expectation.at


def facts(run: Run) -> frozenset[str]:
    """Return the facts in the inventory of a run's gateway, by name."""
    gateway = run.before.get("gateway") or {}
    return frozenset(name for name, text in gateway.items() if text not in ("", UNKNOWN))


def checks(judgement: Judgement, plans: Iterable[Plan], known: Collection[str] = ()) -> list[Check]:
    """All checks of the plans, in their order: of each expectation every arm and point.

    `known`: what the gateway's inventory tells; what needs another fact is left out.
    """
    expected = [plan for plan in plans if plan.expect]
    every = values(judgement) if expected else []
    return [
        check
        for plan in expected
        for expectation in plan.expect
        if not expectation.needs or expectation.needs in known
        for arm in plan.arm
        if is_about(expectation, arm, plan.expect)
        for check in _of_arm(plan, expectation, arm, judgement, every)
    ]


def missed(judged: Iterable[Check]) -> bool:
    """Return whether any check is missed: the run fails."""
    return any(check.verdict == "missed" for check in judged)


def is_about(expectation: Expectation, arm: Arm, every: Iterable[Expectation]) -> bool:
    """Return whether it holds for an arm: for its own, or for all that have none of their own."""
    name = arm.name or arm.setup
    if expectation.arm:
        return expectation.arm == name
    own = (other for other in every if other.arm == name and other.at == expectation.at)
    return arm.path != DIRECT and expectation.quantity not in {other.quantity for other in own}


def verdict(expectation: Expectation, value: Value) -> Verdict:
    """Judge by the interval; a value that the tester limited may be any greater one."""
    if _is_testers(value):
        return "not known"
    low, high = value.lo, math.inf if value.at_least else value.hi
    bound, sign = expectation.bound, expectation.sign
    if above := ABOVE.get(sign):
        met, possible = above(low, bound), above(high, bound)
    elif below := BELOW.get(sign):
        met, possible = below(high, bound), below(low, bound)
    else:
        met, possible = low == high == bound, low <= bound <= high
    if met:
        return "met"
    return "not known" if possible else "missed"


def _of_arm(
    plan: Plan,
    expectation: Expectation,
    arm: Arm,
    judgement: Judgement,
    every: Sequence[Value],
) -> Iterator[Check]:
    name = arm.name or arm.setup
    own = [
        value
        for value in every
        if (value.plan, value.arm) == (plan.name, name)
        and value.quantity == expectation.quantity.removesuffix(BELOW_KNEE)
        and expectation.at.items() <= value.point.items()
    ]
    if expectation.quantity.endswith(BELOW_KNEE):
        own_knees = (k for k in judgement.knees if (k.plan, k.arm) == (plan.name, name))
        groups = [_below(knee, judgement.points) for knee in own_knees]
        made = [[_check(expectation, v) for v in own if _key(v) in group] for group in groups]
        judged = [min(group, key=_badness) for group in made if group]
    else:
        judged = [_check(expectation, value) for value in own]
    lacking = Check(
        plan=plan.name,
        arm=name,
        expectation=expectation,
        value=None,
        verdict="not known",
        why=UNMEASURED,
    )
    yield from judged or [lacking]


def _check(expectation: Expectation, value: Value) -> Check:
    judged = verdict(expectation, value)
    unknown = LIMITED if _is_testers(value) else TESTER if value.at_least else SPREAD
    return Check(
        plan=value.plan,
        arm=value.arm,
        expectation=expectation,
        value=value,
        verdict=judged,
        why=unknown if judged == "not known" else "",
    )


def _is_testers(value: Value) -> bool:
    """Whether the tester made it as much as the gateway did: no bound, and no packet's own work."""
    limited = value.limit == "tester" and value.definition.path != DIRECT
    return limited and not (is_bounded(value.quantity) or value.quantity.removeprefix(STEP) in WORK)


def _badness(check: Check) -> tuple[int, float]:
    """The worst check first: by verdict, then by the end of the interval that decides."""
    assert check.value is not None
    value, rises = check.value, check.expectation.sign in ABOVE
    return WORST.index(check.verdict), value.lo if rises else -value.hi


def _below(knee: Knee, points: Iterable[PointResult]) -> set[Key]:
    """The points of a knee's sweep that are surely left of it."""
    return {
        _key(point) for point in points if _sweep(point) == _sweep(knee) and _is_below(point, knee)
    }


def _is_below(point: PointResult, knee: Knee) -> bool:
    """By the lower end of the knee; where no rate was beyond it, the highest one is left of it."""
    offered = point.values.get("offered_pps")
    if offered is None:
        return False
    return offered.value < knee.knee_pps.lo or (knee.at_least and offered.value <= knee.knee_pps.lo)


def _sweep(judged: PointResult | Knee) -> tuple[object, ...]:
    others = frozenset(item for item in judged.point.items() if item[0] not in RATES)
    return judged.plan, judged.arm, judged.definition.direction, others


def _key(judged: PointResult | Value) -> Key:
    return judged.plan, judged.arm, frozenset(judged.point.items())
