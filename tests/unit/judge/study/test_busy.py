# SPDX-License-Identifier: Apache-2.0
"""CPU load over rates: the rate at a share, and what an arm adds to the barest one."""

from collections.abc import Mapping

import pytest

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.study.busy import derived
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition

BARE = {2_000: 0.2, 4_000: 0.4}
FULL = {2_000: 0.5, 4_000: 0.9, 5_000: 1.0}


def arm(
    name: str, loads: Mapping[int, float], *features: str, plan: str = "p/q"
) -> list[PointResult]:
    definition = Definition(path="nat", frame_bytes=512, features=features)
    return [
        PointResult(
            subject=Subject(
                plan=plan, arm=name, setup=name, point={"rate_pps": rate}, definition=definition
            ),
            values={
                "cpu_busy": Interval(busy, busy, busy, 6, 0.969),
                "received_pps": Interval(rate, rate, rate, 6, 0.969),
            },
            limit="none",
            why="",
            at_least=False,
            invalid=0,
        )
        for rate, busy in loads.items()
    ]


def told(points: list[PointResult]) -> dict[tuple[str, str], float]:
    return {(subject.arm, name): value.value for subject, name, value in derived(points)}


def test_rates_at_a_share_are_read_between_points() -> None:
    rates = told(arm("full", FULL))
    assert rates["full", "load80_l2_bps"] == pytest.approx(3_500 * 512 * 8)
    assert rates["full", "load100_l2_bps"] == pytest.approx(4_700 * 512 * 8)


def test_a_share_that_is_not_reached_has_no_rate() -> None:
    assert told(arm("bare", BARE)) == {}


def test_the_most_that_an_arm_adds_is_at_its_own_rate() -> None:
    points = [*arm("bare", BARE), *arm("full", FULL, "classify:jumping")]
    assert told(points)["full", "added_cpu_busy"] == pytest.approx(0.5)
    assert ("bare", "added_cpu_busy") not in told(points)
    top = next(subject for subject, name, _ in derived(points) if name == "added_cpu_busy")
    assert top.point == {"rate_pps": 4_000}


def test_arms_of_another_plan_are_no_base() -> None:
    points = [*arm("bare", BARE, plan="p/other"), *arm("full", FULL, "classify:jumping")]
    assert ("full", "added_cpu_busy") not in told(points)
