# SPDX-License-Identifier: Apache-2.0
"""The answer at full speed: which points, what NAT takes, in which words."""

import pytest
import swift
from msgspec.structs import replace

from gatemark.stats.math.interval import Interval
from gatemark.stats.sentence import sentence
from gatemark.stats.speed import fewer, nat_costs, speed

from .conftest import run


def test_small_and_full_frames_and_what_nat_costs_are_the_first_sentence() -> None:
    text = sentence(run(), (), (), swift.points(), (), (swift.ladder(),))
    assert text == (
        "This machine's kernel routes 500 k packets/s of 64 bytes (6.15 Gbit/s at 1518 bytes) and "
        "NATs 20.0 ± 1.3 % fewer; its CPU is the bottleneck."
    )


def test_nothing_is_said_of_nat_where_the_ladder_did_not_see_it() -> None:
    for ladders in ((), (swift.ladder("inconclusive"),)):
        text = sentence(run(), (), (), swift.points(), (), ladders)
        assert "at 1518 bytes); its CPU" in text


def test_a_mix_is_neither_small_nor_full() -> None:
    sizes = [swift.point("route", size) for size in ("imix", 64, 1518)]
    routed = speed(sizes)
    assert routed is not None
    assert [p.definition.frame_bytes for p in (routed.small, routed.full)] == [64, 1518]


def test_without_full_frames_routed_at_full_speed_there_is_no_such_sentence() -> None:
    others = {
        "NATed": swift.point("NAT", 1518),
        "down": swift.point("route", 1518, "down"),
        "slowed": swift.point("route", 1518, slow_to_pps=30_000),
        "a mix": swift.point("route", "imix"),
    }
    told = [name for name, full in others.items() if speed([swift.point("route", 64), full])]
    assert told == []


def test_a_rate_that_was_set_is_not_full_speed() -> None:
    paced = swift.point("route", 1518).about(point={"rate_pps": 1000})
    assert speed([swift.point("route", 64), paced]) is None


def test_a_quarter_more_time_is_a_fifth_fewer_packets() -> None:
    seen = fewer(Interval(0.25, 0.2, 0.3, 14, 0.95))
    assert (seen.value, seen.lo, seen.hi) == pytest.approx((0.2, 1 - 1 / 1.2, 1 - 1 / 1.3))


def test_what_a_filter_adds_is_not_what_nat_costs() -> None:
    ladder, small = swift.ladder(), swift.point("route", 64).definition
    assert nat_costs([replace(ladder, steps=ladder.steps[:1])], small) is None
    assert nat_costs([replace(ladder, steps=ladder.steps[2:])], small) is None
    assert nat_costs([ladder], small) is not None
    assert nat_costs([ladder], replace(small, frame_bytes=1518)) is None


def test_the_two_sizes_are_alike_in_all_else() -> None:
    small, full = (swift.point("route", size) for size in (64, 1518))
    many = full.about(point={**full.point, "flows": 1000})
    assert speed([small, many]) is None
    routed = speed([small, many, full])
    assert routed is not None
    assert routed.full is full


def test_a_rate_that_came_through_whole_is_no_full_speed() -> None:
    whole = swift.point("route", 64, limit="none")
    assert speed([whole, swift.point("route", 1518)]) is None
