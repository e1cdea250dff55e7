# SPDX-License-Identifier: Apache-2.0
"""The order in which points are judged and told: that of the plans, whatever the run's was."""

from collections.abc import Sequence

from gatemark.judge.point.sweep import RATES
from gatemark.judge.subject import About
from gatemark.store.record import Scalar
from gatemark.store.run import Run


def place(run: Run, trials: About) -> tuple[object, ...]:
    """The order of the plans, of their arms, then of the factors' levels."""
    plans = {plan.name: i for i, plan in enumerate(run.plans)}
    arms = {
        (plan.name, arm.name or arm.setup): i
        for plan in run.plans
        for i, arm in enumerate(plan.arm)
    }
    sweep = next((plan.sweep for plan in run.plans if plan.name == trials.plan), {})
    levels = [
        (name, *_level(level, sweep.get(name, ())))
        for name, level in sorted(trials.point.items(), key=lambda item: item[0] in RATES)
    ]
    plan, arm = plans.get(trials.plan, len(plans)), arms.get((trials.plan, trials.arm), len(arms))
    return (plan, trials.plan, arm, trials.arm, levels)


def _level(level: Scalar, levels: Sequence[Scalar]) -> tuple[int, float, str]:
    """Rates and sizes by number, words as the plan lists them."""
    if not isinstance(level, str):
        return 0, float(level), ""
    return 1, levels.index(level) if level in levels else len(levels), level
