# SPDX-License-Identifier: Apache-2.0
"""A point is repeated until its interval is narrow, or until it has had its share."""

import random
from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest
import stacked

from gatemark.judge.change import block
from gatemark.judge.change.spread import unsettled
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat
from gatemark.store.record import Record, Scalar

from ..conftest import Trial

WIDE, NARROW = (85, 92, 100, 100, 108, 115), (99, 99.5, 100, 100, 100.5, 101)
POINT: dict[str, Scalar] = {"rate_pps": 20_000, "direction": "up"}


def plan(spread: float = 0.05, times: int = 6, most: int = 30) -> Plan:
    return Plan(
        schema=PLAN_SCHEMA,
        name="sweep",
        title="t",
        why="w",
        reading="r",
        arm=(Arm(path="route", name="route"),),
        repeat=Repeat(times=times, spread=spread, most=most),
    )


def records(rates: Sequence[float], base: Trial | None = None) -> list[Record]:
    trial = base or Trial()
    return [
        replace(trial, received=rate, repeat=i + 1, sequence=i).record()
        for i, rate in enumerate(rates)
    ]


def test_a_wide_point_is_unsettled() -> None:
    assert unsettled(plan(), records(WIDE)) == [POINT]


def test_a_narrow_point_is_settled() -> None:
    assert unsettled(plan(), records(NARROW)) == []


def test_without_a_spread_nothing_is_unsettled() -> None:
    assert unsettled(plan(spread=0.0), records(WIDE)) == []


def test_five_repeats_have_no_95_percent_interval() -> None:
    assert unsettled(plan(times=5), records(NARROW[:5])) == [POINT]


def test_one_wide_arm_is_enough() -> None:
    found = [*records(NARROW), *records(WIDE, Trial(path="nat"))]
    assert unsettled(plan(), found) == [POINT]


def test_the_tester_alone_counts_as_an_arm() -> None:
    assert unsettled(plan(), [*records(NARROW), *records(WIDE, Trial(path="direct"))]) == [POINT]


def test_the_probed_pass_does_not_count() -> None:
    assert unsettled(plan(), [*records(NARROW), *records(WIDE, Trial(instrumented=True))]) == []


def test_other_plans_do_not_count() -> None:
    assert unsettled(replace_name(plan()), records(WIDE)) == []


def replace_name(made: Plan) -> Plan:
    fields = {name: getattr(made, name) for name in made.__struct_fields__}
    return Plan(**fields | {"name": "other"})


def test_a_point_that_was_tried_most_times_is_left_out() -> None:
    assert unsettled(plan(most=6), records(WIDE)) == []


def test_a_point_that_cannot_become_narrow_in_time_is_left_out() -> None:
    """Nine times the width that is asked for: 6 x 81 repeats would do."""
    wild = records((55, 70, 100, 100, 130, 145))
    assert unsettled(plan(most=61), wild) == [POINT]
    assert unsettled(plan(most=60), wild) == []


def test_a_point_goes_on_while_an_arm_was_tried_less() -> None:
    found = [*records(WIDE), *records(NARROW[:5], Trial(path="nat"))]
    assert unsettled(plan(most=6), found) == [POINT]


def test_a_point_without_a_valid_trial_is_left_out_after_times() -> None:
    assert unsettled(plan(), records(WIDE, Trial(status="invalid"))) == []


def test_a_point_without_a_valid_trial_is_tried_times_times() -> None:
    assert unsettled(plan(), records(WIDE[:5], Trial(status="invalid"))) == [POINT]


def test_an_invalid_trial_asks_for_another() -> None:
    found = [*records(NARROW[:5]), *records([1], Trial(status="invalid"))]
    assert unsettled(plan(), found) == [POINT]


def test_nothing_received_at_all_is_settled() -> None:
    assert unsettled(plan(), records([0] * 6)) == []


def test_points_come_in_the_order_in_which_they_ran() -> None:
    found = [*records(WIDE, Trial(40_000)), *records(WIDE, Trial(20_000))]
    assert [point["rate_pps"] for point in unsettled(plan(), found)] == [40_000, 20_000]


def ladder_plan(spread: float, most: int = 100) -> Plan:
    made = stacked.plan(times=6)
    return msgspec.structs.replace(made, repeat=Repeat(times=6, spread=spread, most=most))


def test_a_ladder_goes_on_until_what_its_steps_add_is_narrow() -> None:
    """Each arm drifts by a fifth either way, which is in no step."""
    kept = [record for record in stacked.trials(40, spread=0.02) if record.arm != "1000 rules"]
    assert unsettled(ladder_plan(0.04), kept) == []
    assert unsettled(ladder_plan(0.005), kept) == [{}]


def test_a_dear_step_is_narrow_within_a_tenth_of_itself() -> None:
    """4 % of what a packet takes before it would be a hundredth of what it adds."""
    kept = [r for r in stacked.trials(60) if r.arm in ("masquerade", "1000 rules")]
    steady = [r for r in kept if 3 <= r.repeat % 31 <= 14]
    assert unsettled(ladder_plan(0.0001), steady) == []


def test_an_arm_that_was_never_there_asks_for_no_more() -> None:
    kept = stacked.trials(40, spread=0.02)
    there = [record for record in kept if record.arm in ("route", "conntrack")]
    assert unsettled(ladder_plan(0.04), there) == []


def test_a_ladder_that_was_tried_most_times_is_left_out() -> None:
    assert unsettled(ladder_plan(0.0001, most=12), stacked.trials(12)) == []


@pytest.mark.parametrize("sigma", [0.015, 0.03])
def test_no_more_alarms_than_agreed_and_a_planted_change_is_found(sigma: float) -> None:
    """200 comparisons in blocks that drift: 5 % and chance without a change, 9 of 10 with one."""
    rng = random.Random(7)
    alarms, found = (
        sum(block.least_p(_compared(rng, sigma, shift)) <= 0.05 for _ in range(200))
        for shift in (0.0, 0.05)
    )
    assert alarms <= 18  # more than that is chance in 1 of 100
    assert found >= 180


def _compared(rng: random.Random, sigma: float, shift: float) -> list[float]:
    """Differences of two arms, block by block, for as long as the rule asks for more."""
    asked, rates = plan(spread=0.02, most=12), dict[str, list[float]](route=[], nat=[])
    drift = 0.0
    kept: list[Record] = []
    while not kept or unsettled(asked, kept):
        drift += rng.gauss(0, sigma / 3)
        for arm, extra in (("route", 0.0), ("nat", shift)):
            rates[arm].append(1000 * (1 + drift + extra + rng.gauss(0, sigma)))
        if len(rates["nat"]) >= asked.repeat.times:
            kept = [row for arm, each in rates.items() for row in records(each, Trial(path=arm))]
    return [new - old for old, new in zip(rates["route"], rates["nat"], strict=True)]
