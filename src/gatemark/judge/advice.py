# SPDX-License-Identifier: Apache-2.0
"""Warnings of a run as a whole, and advice that its plans do not follow already."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from gatemark.judge import remedy
from gatemark.judge.change.arms import DIRECT
from gatemark.judge.change.ladder import holds_zero, quantity_of
from gatemark.judge.judgement import Knee, Ladder, PointResult, Travel, Warning_
from gatemark.judge.point import warn
from gatemark.judge.point.sweep import Judged
from gatemark.judge.points import JUDGES, kind_of
from gatemark.plan.model import Repeat
from gatemark.quantity import UNITS
from gatemark.store.run import Run

T = TypeVar("T", PointResult, Knee)
UNDER_LOAD: Final = "instructions under load"  # a quantity that no tester limits, and no rate


def of_run(
    run: Run,
    judged: Sequence[Judged],
    ceilings: Sequence[PointResult],
    invalid: int,
    missing: int,
) -> tuple[Warning_, ...]:
    """Warn of trials that do not count or lack, of no ceiling, and of causes that nobody read."""
    warnings = [warn.invalid_trials(invalid), warn.incomplete(missing, _resume(run))]
    tests = [group.definition for group, _ in judged if group.outside]
    # Read always, and no rate.
    judged = [p for p in judged if (kind := kind_of(p[0])) is None or kind.is_bounded]
    judged = [p for p in judged if p[0].definition.quantity != UNDER_LOAD]
    judged = [p for p in judged if not p[0].definition.line]  # that is the bottleneck, by its books
    alone = any(ceiling.definition.headline in ceiling.values for ceiling in ceilings)
    # A full line bounds the goodput of a test, and says nothing of the time that its own ends take.
    kinds = [(JUDGES.get(test.quantity), test) for test in tests]
    unchecked = any(kind.is_unchecked(test, ceilings) for kind, test in kinds if kind)
    if (judged and not alone) or unchecked:
        asked = any(arm.path == DIRECT for plan in run.plans for arm in plan.arm)
        warnings.append(warn.no_ceiling(asked=asked and not unchecked, line=unchecked))
    lossy = [g for g, result in judged if result.limit not in ("none", "tester") and g.outside]
    lossy = [g for g in lossy if (kind := kind_of(g)) is None or not kind.is_read]  # read always
    booted = all(plan.repeat.boots for plan in run.plans)  # those have no instrumented pass
    names = {trials.plan for trials in lossy}
    asked = any(p.probe.use and p.probe.times for p in run.plans if p.name in names)
    unread = lossy and not any(trials.instrumented for trials in lossy)
    if unread and not booted and not (asked and missing):  # else it is still to come
        warnings.append(warn.no_instrumented_pass(asked=asked))
    return tuple(warning for warning in warnings if warning)


def _resume(run: Run) -> str:
    """The command that goes on with a run."""
    return "gatemark campaign resume FOLDER" if run.sides else f"gatemark run --resume {run.run}"


def fitted(run: Run, missing: int, results: Iterable[T]) -> tuple[T, ...]:
    """Points or knees, with advice that their plans do not follow already."""
    resume = _resume(run) if missing else ""

    def fit(result: T) -> T:
        asked = _repeat(run, result.plan)
        own = [remedy.fitted(warned, asked, resume) for warned in result.warnings]
        return replace(result, warnings=tuple(own)) if own else result

    return tuple(map(fit, results))


def _repeat(run: Run, name: str) -> Repeat:
    """The `[repeat]` of a plan."""
    return next((plan.repeat for plan in run.plans if plan.name == name), warn.ANY)


def of_twins(run: Run, ladders: Sequence[Ladder]) -> list[Warning_]:
    """Warn of steps from an arm to itself that differ."""
    twins = [(ladder, step) for ladder in ladders for step in ladder.steps if step.twin]
    return [
        remedy.fitted(
            warn.twin_differs(
                step.arm,
                step.against,
                abs(step.costs[quantity_of(ladder)].difference.value),
                UNITS[quantity_of(ladder)],
            ),
            _repeat(run, ladder.plan),
        )
        for ladder, step in twins
        if not holds_zero(step, quantity_of(ladder))
    ]


def of_travels(travels: Sequence[Travel]) -> list[Warning_]:
    """Warn of functions that no part of the kernel has."""
    worst = max((travel.unmatched for travel in travels), default=0.0)
    return [warning for warning in [warn.unnamed_functions(worst)] if warning]
