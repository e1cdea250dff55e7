# SPDX-License-Identifier: Apache-2.0
"""Fronts: what nobody beats stays, what cannot be told apart stays too."""

from functools import cache

import stacked

from gatemark.judge.change.pareto import fronts
from gatemark.judge.judgement import Front, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition, Scalar

QUANTITIES = ("received_pps", "delay_p50_ns", "cpu_busy")


def option(arm: str, *values: float, at_least: bool = False) -> PointResult:
    """Rate, delay and CPU, each known within 1 %."""
    known = zip(QUANTITIES, values, strict=True)
    return PointResult(
        subject=Subject(
            plan="cost/tune",
            arm=arm,
            setup=arm,
            definition=Definition(path="route", frame_bytes=64),
        ),
        values={name: Interval(v, 0.99 * v, 1.01 * v, 6, 0.969) for name, v in known},
        limit="cpu",
        why="",
        at_least=at_least,
        invalid=0,
    )


@cache
def tuned() -> Front:
    (front,) = stacked.judgement(list(stacked.tuned())).fronts
    return front


def beaten(*options: PointResult) -> dict[str, tuple[str, ...]]:
    (front,) = fronts([stacked.tune()], options)
    return {one.arm: one.beaten for one in front.options}


def test_worse_in_all_is_beaten() -> None:
    found = beaten(option("a", 100, 10, 0.5), option("b", 90, 20, 0.6))
    assert found == {"a": (), "b": ("a",)}


def test_better_in_one_stays() -> None:
    found = beaten(option("a", 100, 10, 0.5), option("b", 90, 20, 0.4))
    assert found == {"a": (), "b": ()}


def test_what_cannot_be_told_apart_stays() -> None:
    found = beaten(option("a", 100, 10, 0.5), option("b", 100.5, 10.05, 0.501))
    assert found == {"a": (), "b": ()}


def test_as_good_in_all_but_one_is_beaten() -> None:
    found = beaten(option("a", 100, 10, 0.5), option("b", 100.5, 20, 0.5))
    assert found == {"a": (), "b": ("a",)}


def test_a_rate_that_the_tester_limited_is_below_nothing() -> None:
    found = beaten(option("a", 100, 10, 0.5), option("b", 50, 10, 0.5, at_least=True))
    assert found == {"a": (), "b": ()}


def test_rate_is_told_at_overload_delay_and_cpu_at_the_set_rate() -> None:
    front = tuned()
    plain = front.options[0]
    assert front.paced_pps == 50_000
    assert 780_000 < plain.values["received_pps"].value < 820_000
    assert 8_500 < plain.values["delay_p50_ns"].value < 9_500
    assert plain.values["cpu_busy"].value < 0.2


def test_of_three_ways_the_slow_one_is_beaten_by_both() -> None:
    front = tuned()
    assert kept(front) == ["plain", "batched"]
    assert front.options[2].beaten == ("plain", "batched")


def kept(front: Front) -> list[str]:
    return [one.arm for one in front.options if not one.beaten]


def test_each_point_besides_the_rate_has_a_front() -> None:
    sizes: list[dict[str, Scalar]] = [{"frame_bytes": 64}, {"frame_bytes": 512}]
    points = [option(arm, 1, 1, 1).about(point=point) for arm in "ab" for point in sizes]
    assert [front.point for front in fronts([stacked.tune()], points)] == sizes


def test_a_plan_that_asks_for_no_front_has_none() -> None:
    assert fronts([stacked.plan()], [option("a", 1, 1, 1)]) == ()
