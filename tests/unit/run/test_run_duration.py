# SPDX-License-Identifier: Apache-2.0
"""The time that is left: by how fast trials go, without what they waited for others."""

import pytest
from msgspec.structs import replace

from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, Workload
from gatemark.plan.order import order
from gatemark.run.duration import Pace, estimate_s

PLAN = Plan(
    schema=PLAN_SCHEMA,
    title="",
    why="",
    reading="",
    name="s/p",
    arm=(Arm(path="route", name="route"),),
    workload=Workload(duration_s=1.0),
    repeat=Repeat(times=4),
)


def left_s(took_s: float, waited_s: float = 0.0) -> float:
    """Seconds that are left after the first of four trials, which ended after so long."""
    now_s = waited_until_now_s = 0.0
    pace = Pace(lambda: now_s, lambda: waited_until_now_s)
    first, *others = order([PLAN], 1)
    now_s, waited_until_now_s = took_s, waited_s
    pace.done([first])
    return pace.left_s(others)


def test_slow_trials_take_longer_than_was_estimated() -> None:
    trials = order([PLAN], 1)
    planned_s = estimate_s(trials[1:])
    assert planned_s < left_s(2 * estimate_s(trials[:1])) < 2 * planned_s
    assert left_s(1000.0) > 50 * planned_s


def test_one_slow_trial_makes_it_not_leap() -> None:
    trials = order([PLAN], 1)
    assert left_s(3 * estimate_s(trials[:1])) < 1.5 * estimate_s(trials[1:])


def test_time_that_others_had_the_machine_makes_no_trial_slower() -> None:
    assert left_s(602.0, 600.0) == left_s(2.0, 0.0)


def test_what_was_waited_before_the_first_trial_is_no_time_of_trials() -> None:
    now_s, trials = 600.0, order([PLAN], 1)
    pace = Pace(lambda: now_s, lambda: 600.0)
    now_s += estimate_s(trials[:1])
    pace.done(trials[:1])
    assert pace.left_s(trials[1:]) == pytest.approx(estimate_s(trials[1:]))


def test_a_warm_up_takes_as_long_as_a_repeat() -> None:
    warmed = replace(PLAN, repeat=Repeat(times=3, warmup=1))
    assert estimate_s(order([warmed], 1)) == estimate_s(order([PLAN], 1))
