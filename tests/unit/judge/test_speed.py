# SPDX-License-Identifier: Apache-2.0
"""The answer at full speed: which points, what NAT takes, in which words."""

import pytest
import swift
from msgspec.structs import replace

from gatemark.judge.judgement import Comparison, PointResult
from gatemark.judge.speed import fewer, speed
from gatemark.tell.sentence import answer as sentence

from .conftest import run


def answer(*points: PointResult, compared: tuple[Comparison, ...] = ()) -> str:
    made = replace(swift.judgement(), points=points, knees=(), ladders=(), comparisons=compared)
    return sentence.answer(run(), (), made)


def test_small_and_full_frames_and_what_nat_costs_are_the_first_sentence() -> None:
    assert answer(*swift.points(), compared=swift.comparisons()) == (
        "This machine's kernel routes 500 k packets/s of 64 bytes (6.15 Gbit/s at 1518 bytes) and "
        "NATs 20.0 ± 1.3 % fewer; its CPU is the bottleneck."
    )


def test_nothing_is_said_of_nat_where_its_trials_did_not_show_it() -> None:
    for compared in ((), swift.comparisons("inconclusive")):
        assert "at 1518 bytes); its CPU" in answer(*swift.points(), compared=compared)


def test_what_a_filter_or_tracking_costs_is_not_what_nat_costs() -> None:
    others = tuple(c for c in swift.comparisons() if c.arm != "NAT")
    assert "NATs" not in answer(*swift.points(), compared=others)


def test_an_arm_has_one_bottleneck() -> None:
    full = swift.point("route", 1518, limit="unknown")
    assert answer(swift.point("route", 64), full).endswith("; its CPU is the bottleneck.")


def test_single_trials_make_no_headline() -> None:
    once = [
        replace(p, values={name: replace(i, n=1) for name, i in p.values.items()})
        for p in swift.points()
    ]
    assert answer(*once).startswith("No rate is told yet: it needs two trials at least.")


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


def test_a_rate_that_the_tester_bounds_has_no_share() -> None:
    compared = swift.comparisons()[0]
    share = fewer(compared)
    assert share is not None
    assert (share.value, share.lo, share.hi) == pytest.approx((0.2, 0.187, 0.213))
    assert fewer(replace(compared, at_least=True)) is None


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
