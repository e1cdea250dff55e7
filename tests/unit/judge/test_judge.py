# SPDX-License-Identifier: Apache-2.0
"""A run from records to points, warnings, flat values and the answer."""

import subprocess
import sys
from dataclasses import replace
from math import inf, isfinite, nan
from typing import Any

import msgspec
import pytest
from few import few
from hypothesis import example, given
from hypothesis import strategies as st

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.values import values
from gatemark.number import si
from gatemark.plan.model import Arm, Plan, Probe, Repeat
from gatemark.tell.fact import say
from gatemark.tell.sentence.answer import answered

from .conftest import Simulated, Trial, run, sweep

FEWER = few()
RATES = (10_000, 20_000, 30_000, 40_000, 50_000, 62_000)


def judged(*trials: Trial) -> Judgement:
    records = [replace(trial, sequence=i).record() for i, trial in enumerate(trials)]
    return answered(run(records), records)


def twice(*trials: Trial) -> Judgement:
    """Judged with a second repeat of each: a single trial makes no answer."""
    return judged(*(replace(trial, repeat=repeat) for trial in trials for repeat in (1, 2)))


def codes(point: PointResult) -> set[str]:
    return {warning.code for warning in point.warnings}


def test_repeats_of_a_point_are_one_result() -> None:
    result = judged(*(Trial(repeat=i) for i in range(1, 7)))
    assert [point.values["received_pps"].n for point in result.points] == [6]


def test_values_come_from_the_outside_pass() -> None:
    result = judged(Trial(received=20_000), Trial(received=15_000, instrumented=True))
    assert result.points[0].values["received_pps"].value == 20_000


def test_probe_effect_is_seen_between_the_passes() -> None:
    point = judged(*(Trial(repeat=i) for i in range(6)), Trial(received=15_000, instrumented=True))
    assert "observer-effect" in codes(point.points[0])


def test_invalid_trials_are_counted_and_not_used() -> None:
    result = judged(Trial(), Trial(received=1, status="invalid", repeat=2))
    point = result.points[0]
    assert (point.invalid, point.values["received_pps"].value) == (1, 20_000)


def test_all_invalid_leaves_a_point_without_values() -> None:
    point = judged(Trial(status="invalid")).points[0]
    assert (point.values, point.limit) == ({}, "unknown")


def test_statuses_are_counted() -> None:
    found = judged(Trial(), Trial(status="invalid", repeat=2), Trial(status="skipped", repeat=3))
    assert (found.trials, found.invalid, found.skipped) == (3, 1, 1)


def test_a_warm_up_is_kept_and_not_judged() -> None:
    records = [replace(Trial(), repeat=i).record() for i in range(1, 7)]
    cold = msgspec.structs.replace(
        Trial(received=1, status="invalid").record(),
        trial="cold",
        pass_="warmup",  # noqa: S106 - not a password
    )
    made, plain = (answered(run(each), each) for each in ([cold, *records], records))
    assert made.trials == 7
    assert msgspec.structs.replace(made, trials=6) == plain


def test_a_warm_up_that_was_not_sent_yet_is_missing() -> None:
    cold = msgspec.structs.replace(Trial().record(), trial="cold", pass_="warmup")  # noqa: S106
    records = [Trial().record()]
    assert answered(run([cold, *records]), records).missing == 1


def test_trials_to_go_are_missing() -> None:
    records = sweep(Simulated(30_500), RATES)
    assert answered(run(records), records[:10]).missing == len(records) - 10


def test_direct_path_is_a_ceiling_and_no_point() -> None:
    found = judged(Trial(path="direct", scheduled=0), Trial(path="route"))
    assert [len(found.ceilings), len(found.points)] == [1, 1]


def test_value_near_the_measured_ceiling_is_at_least() -> None:
    found = judged(Trial(21_000, path="direct", scheduled=0), Trial(20_000))
    assert (found.points[0].limit, found.points[0].at_least) == ("tester", True)


def test_a_rate_that_tester_and_gateway_kept_is_no_limit_of_the_tester() -> None:
    found = judged(Trial(8_000, path="direct"), Trial(8_000, busy=0.22))
    point = found.points[0]
    assert (point.limit, point.at_least) == ("none", False)
    assert not {"tester-limited", "no-ceiling"} & {
        w.code for w in (*point.warnings, *found.warnings)
    }


def test_lower_rates_of_a_sweep_that_the_tester_kept_are_floors() -> None:
    found = judged(*(Trial(rate, path="direct") for rate in (2_000, 5_000, 8_000)))
    assert ([len(found.ceilings), len(found.floors)]) == [1, 2]


def test_run_without_a_ceiling_says_so() -> None:
    assert "no-ceiling" in {warning.code for warning in judged(Trial()).warnings}


def advised(code: str, plan: Plan, *trials: Trial, missing: int = 0) -> str:
    """The advice of a warning, of a run of this plan from which so many trials are missing."""
    records = [replace(trial, sequence=i).record() for i, trial in enumerate(trials)]
    made = msgspec.structs.replace(run(records), run="r", plans=(plan,))
    found = answered(made, records[: len(records) - missing])
    warnings = (*found.warnings, *(w for point in found.points for w in point.warnings))
    return next((say.words(warning.advice) for warning in warnings if warning.code == code), "")


def plan_of(**tables: Any) -> Plan:
    arms = (Arm(path="route", name="route"),)
    return Plan(schema="", title="", why="", reading="", name="sweep", arm=arms, **tables)


def test_a_run_that_was_cut_is_gone_on_with_before_more_is_asked_for() -> None:
    trials = [Trial(repeat=i) for i in range(1, 7)]
    plan = plan_of()
    again = "Go on with the run: `gatemark run --resume r`."
    assert advised("incomplete", plan, *trials, missing=3) == again
    assert advised("few-repeats", plan, *trials, missing=3) == again
    assert "repeat.times=12" in advised("few-repeats", plan, *trials[:5])


@pytest.mark.parametrize(
    ("repeat", "advice"),
    [(Repeat(), "repeat.spread=0.02"), (Repeat(spread=0.02, most=8), "repeat.most=16")],
)
def test_what_a_plan_does_already_is_not_advised(repeat: Repeat, advice: str) -> None:
    trials = [Trial(received=10_000 + 1000 * i, repeat=i) for i in range(6)]
    assert advice in advised("spread", plan_of(repeat=repeat), *trials)


def test_an_arm_that_the_plan_has_is_not_advised() -> None:
    bare = plan_of()
    direct = msgspec.structs.replace(bare, arm=(*bare.arm, Arm(path="direct", name="direct")))
    assert 'Add an arm with `path = "direct"`' in advised("no-ceiling", bare, Trial())
    assert "show RUN --all" in advised("no-ceiling", direct, Trial())


def test_probes_that_are_still_to_run_are_not_advised() -> None:
    lossy = [Trial(received=10_000, busy=1.0, repeat=i) for i in range(1, 3)]
    asked = plan_of(probe=Probe(use=("conntrack",)))
    code = "no-instrumented-pass"
    assert "--set 'probe.use=" in advised(code, plan_of(), *lossy)
    assert advised(code, asked, *lossy, missing=1) == ""
    assert "show RUN --all" in advised(code, asked, *lossy)


def test_slowdown_is_a_condition_and_no_warning() -> None:
    points = judged(*(Trial(slowdown=30_000, repeat=i) for i in range(6))).points
    assert codes(points[0]) == set()


def test_readings_that_are_no_numbers_are_left_out() -> None:
    record = Trial().record()
    record.values.update(received_pps=nan, delay_max_ns=inf)
    assert "received_pps" not in answered(run([record]), [record]).points[0].values


@FEWER
@given(
    st.lists(
        st.tuples(st.integers(1, 10**6), st.floats(0, 1), st.integers(1, 3), st.floats(0, 1)),
        max_size=25,
    )
)
@example([(95, 0.75, 1, 0.0), (119, 0.0, 1, 0.0), (130, 0.0, 1, 0.0)])  # a bound rounded past
def test_any_run_is_judged_in_finite_numbers(drawn: list[tuple[int, float, int, float]]) -> None:
    trials = [Trial(rate, rate * share, repeat, busy=b) for rate, share, repeat, b in drawn]
    found = values(judged(*trials))
    assert all(isfinite(value.value) and value.lo <= value.value <= value.hi for value in found)


def test_values_of_a_knee_carry_their_units() -> None:
    records = sweep(Simulated(30_500), RATES)
    found = {value.quantity: value.unit for value in values(answered(run(records), records))}
    expected = {"knee_pps": "packets/s", "knee_l1_bps": "bit/s", "retained_1.5x": "ratio"}
    assert expected.items() <= found.items()


def test_value_of_an_overloaded_tester_bounds_the_rate_only() -> None:
    found = values(judged(Trial(40_000, scheduled=60_000)))
    assert {value.quantity for value in found if value.at_least} == {
        "received_pps",
        "received_l1_bps",
    }


def test_answer_names_rates_and_limit() -> None:
    records = [*sweep(Simulated(30_500), RATES), *sweep(Simulated(29_700), RATES, path="nat")]
    assert answered(run(records, virtual=False), records).sentence == (
        "This gateway routes 30.5 k packets/s of 64-byte frames (20.5 Mbit/s on the wire) "
        "and NATs 29.7 k; its one CPU is the bottleneck."
    )


@pytest.mark.parametrize(
    ("slowdown", "kind", "opening"),
    [
        (30_000, "netns", "Slowed to a home router's speed, the lab gateway routes"),
        (0, "netns", "A namespace gateway routes"),
        (0, "qemu", "A virtual gateway routes"),
    ],
)
def test_answer_says_what_kind_of_gateway(slowdown: int, kind: str, opening: str) -> None:
    records = [Trial(slowdown=slowdown, repeat=repeat).record() for repeat in (1, 2)]
    assert answered(run(records, kind=kind), records).sentence.startswith(opening)


def test_answer_marks_a_lower_bound() -> None:
    assert "routes ≥ 40.0 k packets/s" in twice(Trial(40_000, scheduled=60_000)).sentence


def test_answer_names_each_limit_where_they_differ() -> None:
    found = twice(Trial(), Trial(60_000, 30_000, path="nat", busy=0.99, refused=30_000))
    assert "all that was offered came through (route), its one CPU is the bottleneck (nat)" in (
        found.sentence
    )


def test_answer_before_anything_was_measured() -> None:
    assert answered(run(), []).sentence == "Nothing has been measured yet."


def test_answer_of_a_run_without_a_valid_trial() -> None:
    assert "none of 1 trials was valid" in judged(Trial(status="invalid")).sentence


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("direct", "No gateway has been measured yet; valid trials of the tester alone: 1."),
        ("route", "Valid trials: 1 of 1; the tables have their values."),
    ],
)
def test_answer_of_valid_trials_without_a_rate(path: str, words: str) -> None:
    records = [msgspec.structs.replace(Trial(path=path).record(), values={"rpm": 80.0})]
    assert answered(run(records), records).sentence == words


def test_answer_with_the_ceiling_alone() -> None:
    assert judged(Trial(path="direct")).sentence.startswith("The tester alone carries 20.0 k")


def test_three_figures_and_a_prefix() -> None:
    texts = {0: "0 W", 999.4: "999 W", 999.6: "1.00 k W", 30_500: "30.5 k W", 1e6: "1.00 M W"}
    assert {value: si(value, "W") for value in texts} == texts


@pytest.mark.long
def test_judging_loads_no_scipy() -> None:
    code = "import sys, gatemark.judge.judge, gatemark.judge.values; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"numpy", "scipy"}.isdisjoint(loaded)


def test_the_load_of_a_box_comes_from_the_probed_pass() -> None:
    box = {"cpu_busy": 0.7, "cpu_busy_inside": 0.7, "power_w": 4.5}
    seen = [Trial(instrumented=instrumented).record() for instrumented in (False, True)]
    records = [
        msgspec.structs.replace(record, values=values)
        for record, values in zip(seen, ({"received_pps": 5.0}, box), strict=True)
    ]
    values_ = answered(run(records), records).points[0].values
    assert {name: found.value for name, found in values_.items()} == {"received_pps": 5.0, **box}
