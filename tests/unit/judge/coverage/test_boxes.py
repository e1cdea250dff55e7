# SPDX-License-Identifier: Apache-2.0
"""Claims on several boxes: on their clocks, of points that two have in common."""

from typing import Any

import pytest
import swift
from msgspec.structs import replace

from gatemark.judge.coverage.boxes import CLOCK, Side, claimed
from gatemark.judge.math.interval import Interval


def side(label: str, clock: float | None, *rates: float, **fields: Any) -> Side:
    """A gateway with one point, measured in as many runs as there are rates."""
    definition = {name: fields.pop(name) for name in ("slow_to_pps", "line") if name in fields}
    point = replace(swift.point("route", 64), **fields)
    point = point.about(definition=replace(point.definition, **definition))
    values = [{"goodput_bps": Interval(bps, bps, bps, 6, 0.969)} for bps in rates]
    return Side(label, clock, [replace(point, values=own) for own in values])


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


@pytest.mark.parametrize(
    "fields",
    [
        {"limit": "tester", "at_least": True},
        {"limit": "none"},
        {"slow_to_pps": 30_000},
        {"line": "10 Mbit/s, 100 packets"},
    ],
)
def test_what_the_gateway_did_not_make_is_compared_with_nothing(fields: dict[str, Any]) -> None:
    assert told(side("a", 200, 100e6, **fields), side("b", 400, 150e6)) == []
    assert told(side("a", 200, 100e6), side("b", 400, 150e6, **fields)) == []


def test_a_rate_that_was_set_is_no_gateways() -> None:
    first, second = (side(name, clock, 100e6) for name, clock in (("a", 200), ("b", 400)))
    paced = [
        own._replace(points=[p.about(point={"rate_bps": 100_000_000}) for p in own.points])
        for own in (first, second)
    ]
    assert told(first, second) == [(CLOCK, "holds")]
    assert told(*paced) == []


def test_two_runs_of_one_gateway_count_by_their_median() -> None:
    (row,) = claimed([side("a", 200, 100e6), side("b", 400, 120e6, 160e6)])
    assert row.rate == pytest.approx(1.4)


def test_without_clocks_nothing_is_told() -> None:
    assert told(side("a", None, 100e6), side("b", None, 900e6)) == []


def test_each_two_of_three_are_compared() -> None:
    sides = (side("a", 200, 100e6), side("b", 400, 150e6), side("c", 800, 150e6))
    assert len(told(*sides)) == 3
