# SPDX-License-Identifier: Apache-2.0
"""Claims on several boxes: on their clocks, of points that two have in common."""

import builder
import pytest
from msgspec.structs import replace

from gatemark.stats.coverage.boxes import CLOCK, Side, claimed
from gatemark.stats.math.interval import Interval


def side(label: str, clock: float | None, bps: float) -> Side:
    point = builder.judgement().points[0]
    value = Interval(bps, bps, bps, 6, 0.969)
    return Side(label, clock, [replace(point, values={"goodput_bps": value})])


def told(*sides: Side) -> list[tuple[str, str]]:
    return [(row.claim, row.holds) for row in claimed(sides)]


@pytest.mark.parametrize(
    ("clock", "bps", "holds"),
    [
        (400, 150e6, "holds"),
        (400, 250e6, "does not hold"),
        (100, 60e6, "holds"),
        (100, 40e6, "does not hold"),
        (201, 150e6, "cannot be told"),
    ],
)
def test_payload_is_held_against_the_clock(clock: float, bps: float, holds: str) -> None:
    assert told(side("a", 200, 100e6), side("b", clock, bps)) == [(CLOCK, holds)]


def test_without_clocks_nothing_is_told() -> None:
    assert told(side("a", None, 100e6), side("b", None, 900e6)) == []


def test_each_two_of_three_are_compared() -> None:
    sides = (side("a", 200, 100e6), side("b", 400, 150e6), side("c", 800, 150e6))
    assert len(told(*sides)) == 3
