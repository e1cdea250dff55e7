# SPDX-License-Identifier: Apache-2.0
"""Sentences that could mislead: what is said at least is no more, arms compare at like load."""

import builder
import drawn
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.tell.about import condition
from gatemark.tell.chart import bar, swept
from gatemark.tell.group import sweep, thread
from gatemark.tell.group.thread import Use
from gatemark.tell.words import number

FACTORS = {"packets/s": 1.0, "k packets/s": 1e3, "M packets/s": 1e6}


@given(st.floats(1, 1e9), st.floats(0, 1))
def test_at_least_is_no_more_than_the_lower_end(low: float, more: float) -> None:
    text = number.at_least(Interval(low * (1 + more), low, low * 3, 6, 0.97), "packets/s")
    value, _, unit = text.partition(" ")
    assert float(value) * FACTORS[unit] <= low * (1 + 1e-9)
    assert float(value) * FACTORS[unit] > low * 0.98


def test_the_tester_reaches_at_least_what_its_interval_holds() -> None:
    judged = builder.judgement()
    wide = Interval(1_790_000.0, 1_500_000.0, 2_000_000.0, 8, 0.97)
    points = tuple(replace(p, values=p.values | {"received_pps": wide}) for p in judged.ceilings)
    source = builder.source(judged=replace(judged, ceilings=points))
    figure = drawn.of(bar.CEILING, bar.ceilings(source)[0])
    assert figure.title == "The tester alone sends and receives at least 1.50 M packets/s"


def test_a_knee_that_is_a_bound_is_told_by_its_lower_end() -> None:
    (first, *_) = builder.judgement().knees
    wide = Interval(30_100.0, 29_000.0, 31_000.0, 6, 0.97)
    title = swept.until([replace(first, knee_pps=wide, at_least=True)])
    assert title == "The slowed gateway keeps up until ≥ 29.0 k packets/s (route): ↑ up, 64 B"


def test_the_level_of_intervals_is_of_values_that_have_one() -> None:
    judged = builder.judgement()
    (first, *others) = judged.points
    alone = Interval(5.0, 5.0, 5.0, 1, 0.0)
    first = replace(first, values=first.values | {"delay_max_ns": alone})
    texts = dict(condition.method(builder.run(), replace(judged, points=(first, *others))))
    assert "here 96.9 % at least" in texts["Interval"]


def use(point: PointResult, busy: float) -> Use:
    share = Interval(busy, busy, busy, 6, 0.97)
    return Use(point, 1, {"napi/gw0": share}, share, {}, is_shared=False)


@pytest.fixture
def uses() -> list[Use]:
    """Routing at two rates, NAT at the higher one."""
    up = [p for p in builder.judgement().points if p.definition.direction == "up"]
    points = {(p.arm, sweep.offered_pps(p)): p for p in up}
    paced = (("route", 5_000.0, 0.2), ("route", 20_000.0, 0.6), ("nat", 20_000.0, 0.8))
    return [use(points[arm, rate], busy) for arm, rate, busy in paced]


def test_arms_compare_their_cpu_at_like_load(uses: list[Use]) -> None:
    assert thread.finding(uses) == (
        "↑ up, 64 B at 20 k packets/s: the gateway's CPU is 80 % (nat) to 60 % (route) busy, "
        "by napi/gw0 alone"
    )


def test_a_bar_of_cpu_carries_its_load(uses: list[Use]) -> None:
    assert [use.name for use in uses] == [
        "route, 5 k packets/s",
        "route, 20 k packets/s",
        "nat, 20 k packets/s",
    ]
