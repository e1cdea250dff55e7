# SPDX-License-Identifier: Apache-2.0
"""A judgement as flat values: each with its quantity, unit, interval and what it is about."""

import counted
import studies
import swift
import traveled
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.values import values

from .conftest import Simulated, run, sweep

RATES = (10_000, 20_000, 30_000, 40_000, 50_000, 62_000)


def test_a_knee_is_told_with_its_repeats() -> None:
    judged = judge(run(records := sweep(Simulated(30_500), RATES)), records)
    (knee,) = judged.knees
    by = {value.quantity: value for value in values(judged) if "rate_pps" not in value.point}
    assert [(by[name].value, by[name].unit, by[name].n) for name in ("knee_pps", "peak_pps")] == [
        (knee.knee_pps.value, "packets/s", 6),
        (knee.peak_pps.value, "packets/s", 6),
    ]
    whole = by["no_loss_pps"]
    assert (whole.value, whole.lo, whole.hi) == (30_000, 30_000, 30_000)
    assert (whole.unit, whole.n, whole.level) == ("packets/s", 6, 0.0)
    assert (by["cpu_r2"].value, by["cpu_r2"].unit) == (knee.cpu_r2, "ratio")
    bits = by["knee_l1_bps"]
    assert (bits.unit, bits.value) == ("bit/s", knee.knee_l1_bps)
    assert bits.lo / bits.value == knee.knee_pps.lo / knee.knee_pps.value
    assert bits.hi / bits.value == knee.knee_pps.hi / knee.knee_pps.value


def test_a_comparison_is_told_as_a_change_against_the_first_arm() -> None:
    judged = studies.judgement()
    changes = [value for value in values(judged) if value.quantity.startswith("change_")]
    assert len(changes) == len(judged.comparisons) > 0
    for value, comparison in zip(changes, judged.comparisons, strict=True):
        told = comparison.change
        assert value.quantity == f"change_{comparison.quantity}"
        assert (value.value, value.lo, value.hi, value.n, value.level) == (
            told.change.value,
            told.change.lo,
            told.change.hi,
            told.change.n,
            told.change.level,
        )
        assert (value.unit, value.against) == ("ratio", comparison.baseline)
        assert (value.arm, value.p, value.mde) == (comparison.arm, told.p, told.mde)
        assert value.limit == ("tester" if comparison.at_least else "unknown")


def test_a_step_is_the_testers_where_either_arm_was() -> None:
    judged = swift.judgement()
    (ladder,) = judged.ladders
    (first, *_) = ladder.steps
    costs = dict.fromkeys(("packet_ns", "received_pps"), first.costs["packet_ns"])
    limited = replace(ladder, steps=(replace(first, costs=costs, at_least=True),))
    made = values(replace(judged, ladders=(limited,), comparisons=()))
    steps = [v for v in made if v.against]
    limits = {value.quantity: value.limit for value in steps}
    assert limits == {"step_packet_ns": "cpu", "step_received_pps": "tester"}


def test_a_path_is_told_by_its_calls_and_netfilters_share() -> None:
    judged = traveled.judgement()
    travel = judged.travels[1]
    told = {
        value.quantity: (value.value, value.lo, value.hi, value.n, value.unit)
        for value in values(judged)
        if value.quantity.startswith("path_") and value.arm == travel.arm
    }
    by_hand = {
        "path_calls": (travel.own.calls, "calls"),
        "path_instructions": (travel.own.amount, "instructions"),
        "path_netfilter_calls": (travel.netfilter.calls, "calls"),
        "path_netfilter_instructions": (travel.netfilter.amount, "instructions"),
        "path_unmatched": (travel.unmatched, "ratio"),
    }
    assert told == {name: (x, x, x, 1, unit) for name, (x, unit) in by_hand.items()}


def test_a_function_of_a_step_has_no_interval() -> None:
    told = [value for value in values(counted.judgement()) if value.function]
    assert told
    assert all(value.lo == value.value == value.hi for value in told)
    assert {(value.quantity, value.level) for value in told} == {("step_function_instructions", 0)}
