# SPDX-License-Identifier: Apache-2.0
"""Packets/s that rise with the frame size: planted, and warned of."""

import pytest

from gatemark.judge.change.rising import rising, searched
from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition
from gatemark.tell.fact import say

PEAK = {128: 29_300.0, 256: 34_000.0, 512: 29_300.0}


def point(size: int, pps: float) -> PointResult:
    definition = Definition(quantity="throughput", path="nat", frame_bytes=size, loss_criterion=0.0)
    return PointResult(
        subject=Subject(
            plan="rfc/throughput",
            arm="nat",
            setup="nat",
            point={"frame_bytes": size, "goal": "ndr"},
            definition=definition,
        ),
        values={"throughput_pps": Interval(pps, pps * 0.99, pps * 1.01, 6, 0.969)},
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
    )


def points(rates: dict[int, float]) -> list[PointResult]:
    return [point(size, pps) for size, pps in rates.items()]


def test_a_peak_in_the_middle_is_warned_of_with_both_rates() -> None:
    (warned,) = rising(points(PEAK))
    assert warned.code == "rises-with-size"
    assert say.words(warned.seen).startswith("nat: 34.0 k packets/s at 256 bytes, 29.3 k")


@pytest.mark.parametrize("middle", [29_300.0, 25_000.0, 30_100.0])
def test_what_is_level_falls_or_may_be_chance_is_not(middle: float) -> None:
    assert list(rising(points({128: 29_300.0, 256: middle, 512: 20_000.0}))) == []


def test_sizes_are_in_order_whatever_ran_first() -> None:
    assert [w.code for w in rising(reversed(points(PEAK)))] == ["rises-with-size"]


def test_two_sizes_are_no_search_over_sizes() -> None:
    assert searched(points({128: 29_300.0, 256: 34_000.0})) == []
