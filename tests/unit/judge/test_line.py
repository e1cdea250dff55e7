# SPDX-License-Identifier: Apache-2.0
"""Whether measured rates are enough for an access line: both directions share one CPU."""

import pytest
import swift
from msgspec.structs import replace

from gatemark.judge.capacity.line import Line
from gatemark.judge.judgement import PointResult
from gatemark.judge.line import shares
from gatemark.judge.math.interval import Interval

GIGABIT = Line(1e9, 1e9)


def test_both_directions_add_up() -> None:
    full, imix = shares(swift.points(), Line(1e9, 5e8))
    carried = swift.PPS["NAT"] * swift.SIZES[1518]
    assert (full.setup, full.size, full.answer) == ("nat", "1518 bytes", "enough")
    assert full.share.value == pytest.approx(1.5e9 / carried)
    assert (imix.size, imix.share.value > full.share.value) == ("IMIX", True)


def test_the_interval_decides() -> None:
    rate = swift.PPS["NAT"] * swift.SIZES[1518]
    answers = {
        times: shares(swift.points(), Line(times * rate / 2, times * rate / 2))[0].answer
        for times in (0.97, 1.0, 1.03)
    }
    assert answers == {0.97: "enough", 1.0: "too close to tell", 1.03: "not enough"}


def test_a_tester_that_was_the_limit_cannot_say_not_enough() -> None:
    limited = [swift.point("NAT", 1518, way, "tester") for way in ("up", "down")]
    assert shares(limited, Line(1e12, 1e12))[0].answer == "not known"
    assert shares(limited, GIGABIT)[0].answer == "enough"


def test_routing_answers_where_nat_was_not_measured() -> None:
    routed = [point for point in swift.points() if point.arm == "route"]
    assert {share.setup for share in shares(routed, GIGABIT)} == {"route"}


def test_one_direction_is_no_answer() -> None:
    up = [point for point in swift.points() if point.definition.direction == "up"]
    assert shares(up, GIGABIT) == []


def silent(point: PointResult) -> PointResult:
    """Nothing came through."""
    none = Interval(0, 0, 0, 6, 0.969)
    return replace(point, values=point.values | {"received_l1_bps": none})


def test_what_carries_nothing_is_not_enough() -> None:
    points = [silent(point) for point in swift.points()]
    assert {share.answer for share in shares(points, GIGABIT)} == {"not enough"}


def test_directions_are_paired_at_the_same_other_factors() -> None:
    up, down = (swift.point("NAT", 1518, way) for way in ("up", "down"))
    other = down.about(point={**down.point, "flows": 1000})
    assert shares([up, other], GIGABIT) == []
    assert len(shares([up, other, down], GIGABIT)) == 1


def test_one_trial_answers_nothing() -> None:
    single = Interval(1e12, 1e12, 1e12, 1, 0.0)
    points = [
        replace(point, values=point.values | {"received_l1_bps": single})
        for point in swift.points()
    ]
    assert {share.answer for share in shares(points, GIGABIT)} == {"not known"}
