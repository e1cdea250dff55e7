# SPDX-License-Identifier: Apache-2.0
"""Expectations judged by intervals: met, missed, or not known."""

from functools import cache

import builder
import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.judge.expect import LIMITED, UNMEASURED, Check, checks, missed, verdict
from gatemark.judge.judgement import Judgement, Value
from gatemark.judge.values import values
from gatemark.plan.expect import expectations
from gatemark.plan.model import Expectation, Plan, Sign

FEWER = few()
ENDS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))


@cache
def judgement() -> Judgement:
    return builder.judgement()


@cache
def knee() -> Value:
    return next(v for v in values(judgement()) if v.quantity == "knee_pps" and v.arm == "nat")


def of(low: float, high: float, *, at_least: bool = False) -> Value:
    return replace(knee(), value=(low + high) / 2, lo=low, hi=high, at_least=at_least)


def judged(sign: Sign, bound: float, value: Value) -> str:
    return verdict(Expectation(quantity="knee_pps", sign=sign, bound=bound), value)


def plan(**expect: object) -> Plan:
    sweep = next(plan for plan in builder.run().plans if plan.name == "quick/sweep")
    return replace(sweep, expect=expectations(expect))


def found(judged: Judgement | None = None, **expect: object) -> list[Check]:
    return checks(judged or judgement(), [plan(**expect)])


@pytest.mark.parametrize(
    ("sign", "bound", "expected"),
    [
        (">=", 10, "met"),
        (">", 10, "not known"),
        (">=", 15, "not known"),
        (">=", 20, "not known"),
        (">", 20, "missed"),
        (">=", 21, "missed"),
        ("<=", 20, "met"),
        ("<", 20, "not known"),
        ("<=", 10, "not known"),
        ("<", 10, "missed"),
        ("=", 15, "not known"),
        ("=", 21, "missed"),
    ],
)
def test_the_end_of_the_interval_decides(sign: Sign, bound: float, expected: str) -> None:
    assert judged(sign, bound, of(10, 20)) == expected


def test_a_number_without_an_interval_may_be_equal() -> None:
    assert judged("=", 0, of(0, 0)) == "met"


@pytest.mark.parametrize(
    ("sign", "bound", "expected"),
    [
        (">=", 10, "met"),
        (">=", 21, "not known"),
        ("<=", 30, "not known"),
        ("<=", 9, "missed"),
        ("=", 15, "not known"),
        ("=", 9, "missed"),
    ],
)
def test_what_the_tester_limited_may_be_more(sign: Sign, bound: float, expected: str) -> None:
    assert judged(sign, bound, of(10, 20, at_least=True)) == expected


@pytest.mark.parametrize("quantity", ["delay_p99_ns", "loss_ratio", "change_received_pps"])
def test_no_delay_of_a_limited_tester_meets_or_misses(quantity: str) -> None:
    value = replace(of(10, 20), quantity=quantity, limit="tester")
    signs: tuple[Sign, ...] = ("<=", ">=")
    assert {judged(sign, bound, value) for sign in signs for bound in (9, 30)} == {"not known"}


@pytest.mark.parametrize("quantity", ["step_packet_ns", "instructions", "knee_pps"])
def test_a_packets_own_work_is_the_gateways_with_any_tester(quantity: str) -> None:
    assert judged("<=", 30, replace(of(10, 20), quantity=quantity, limit="tester")) == "met"


def test_the_tester_alone_may_be_its_own_limit() -> None:
    direct = replace(knee().definition, path="direct")
    value = replace(of(10, 20), quantity="delay_p99_ns", limit="tester", definition=direct)
    assert judged("<=", 30, value) == "met"


def test_why_a_value_of_a_limited_tester_is_not_known() -> None:
    points = tuple(replace(p, limit="tester", at_least=True) for p in judgement().points)
    got = found(replace(judgement(), points=points), loss_ratio=">= 0")
    assert {(check.verdict, check.why) for check in got} == {("not known", LIMITED)}


@FEWER
@given(st.tuples(ENDS, ENDS).map(sorted), ENDS)
def test_what_meets_a_check_misses_its_opposite(ends: list[float], bound: float) -> None:
    opposite = {"met": "missed", "missed": "met", "not known": "not known"}
    value = of(*ends)
    assert judged("<", bound, value) == opposite[judged(">=", bound, value)]
    assert judged("<=", bound, value) == opposite[judged(">", bound, value)]


@FEWER
@given(st.tuples(ENDS, ENDS).map(sorted), ENDS, st.floats(0, 10))
def test_a_narrower_interval_turns_no_verdict(
    ends: list[float], bound: float, share: float
) -> None:
    low, high = ends
    inner = of(low + (high - low) * min(share, 0.5), high)
    outer = judged(">=", bound, of(low, high))
    assert outer in ("not known", judged(">=", bound, inner))


def test_a_check_is_of_every_arm_and_direction() -> None:
    by_arm = [(check.arm, check.point) for check in found(knee_pps="> 1")]
    assert by_arm == [(arm, {"direction": way}) for arm, way in builder.KNEES]


def test_an_arms_own_check_replaces_that_of_all() -> None:
    got = found(knee_pps="> 1", nat={"knee_pps": "> 2"})
    assert {(check.arm, check.expectation.bound) for check in got} == {("route", 1.0), ("nat", 2.0)}


def test_a_case_is_in_addition() -> None:
    got = found(received_pps="> 1", case=[{"at": {"rate_pps": 20_000}, "received_pps": "> 2"}])
    assert {c.expectation.bound for c in got if c.point["rate_pps"] == 20_000} == {1.0, 2.0}


def test_the_tester_alone_is_checked_by_name_only() -> None:
    ceiling = next(plan for plan in builder.run().plans if plan.name == "quick/ceiling")
    every = replace(ceiling, expect=expectations({"received_pps": "> 1"}))
    assert checks(judgement(), [every]) == []
    named = replace(ceiling, expect=expectations({"direct": {"received_pps": "> 1"}}))
    assert {check.arm for check in checks(judgement(), [named])} == {"direct"}


def test_what_was_not_measured_is_not_known() -> None:
    got = found(goodput_bps="> 1")
    assert [(check.verdict, check.why) for check in got] == [("not known", UNMEASURED)] * len(got)
    assert got


def test_what_is_not_known_fails_nothing() -> None:
    assert not missed(found(goodput_bps="> 1"))
    assert missed(found(knee_pps="> 1e9"))


def test_below_the_knee_the_worst_point_is_judged() -> None:
    got = found(received_pps_below_knee=">= 2e4")
    rates = {check.arm: check.point["rate_pps"] for check in got}
    assert rates == {"route": min(builder.RATES), "nat": min(builder.RATES)}


def test_a_loss_beyond_the_knee_counts_not() -> None:
    assert {check.verdict for check in found(loss_ratio_below_knee="<= 1e-9")} == {"met"}
    assert missed(found(loss_ratio="<= 1e-9"))


def test_the_highest_rate_is_left_of_a_knee_that_was_not_reached() -> None:
    top = float(max(builder.RATES))
    opened = tuple(
        replace(k, at_least=True, knee_pps=replace(k.knee_pps, value=top, lo=top, hi=top))
        for k in judgement().knees
    )
    got = found(replace(judgement(), knees=opened), offered_pps_below_knee=f"< {top}")
    assert {check.point["rate_pps"] for check in got} == {top}


def test_a_plan_without_expectations_has_no_checks() -> None:
    assert checks(judgement(), builder.run().plans) == []


@pytest.mark.parametrize(
    ("known", "expected"), [((), False), (("model",), False), (("switch",), True)]
)
def test_what_needs_a_fact_is_expected_of_a_gateway_that_has_it(
    known: tuple[str, ...], expected: bool
) -> None:
    case = {"arm": "nat", "needs": "switch", "knee_pps": ">= 1"}
    assert bool(checks(judgement(), [plan(case=[case])], known)) == expected
