# SPDX-License-Identifier: Apache-2.0
"""The search for the rate that a shaper holds, on a made-up gateway: its steps and its end."""

import pytest

from gatemark.plan.model import Arm, Search
from gatemark.plan.shaper.shape import parse
from gatemark.plan.shaper.shaping import HELD, at_rate, shaper
from gatemark.run.search.ask import Answer, Ask, Bounds
from gatemark.run.search.shaped import highest
from gatemark.run.search.shaping import counted_bytes

TERMS = Search(profile="shaper", trial_s=19, width=0.05, min_mbit=1, max_mbit=1000)
CAKE = Arm(path="nat", features=("conntrack", "shape:cake:1000:wan"))


def answered(ask: Ask, limit_mbit: float, *, fails: bool = False) -> Answer:
    """Of a gateway whose CPU ends at a rate; `fails`: something else disturbs this trial."""
    held = ask.mbit <= limit_mbit and not fails
    return Answer(
        tried=1000, lost=0, scheduled=0, offered_pps=0.0, received_pps=0.0,
        held=held, came_mbit=min(ask.mbit, limit_mbit),
    )  # fmt: skip


def searched(limit_mbit: float, odd: int = -1) -> tuple[Bounds, list[float]]:
    """What the search of such a gateway ends with, and the rates that it asked for."""
    steps, asked = highest(TERMS), []
    ask = next(steps)
    try:
        while True:
            asked.append(ask.mbit)
            ask = steps.send(answered(ask, limit_mbit, fails=len(asked) == odd))
    except StopIteration as end:
        (bounds,) = end.value
        return bounds, asked


@pytest.mark.parametrize("limit_mbit", [1.5, 47.0, 169.4, 930.0])
def test_the_limit_lies_between_the_bounds_and_these_within_5_percent(limit_mbit: float) -> None:
    bounds, asked = searched(limit_mbit)
    assert bounds.goal == HELD
    assert bounds.lower
    assert bounds.upper
    assert bounds.lower.mbit <= limit_mbit < bounds.upper.mbit
    assert bounds.upper.mbit - bounds.lower.mbit <= 0.05 * bounds.upper.mbit
    assert len(asked) < 20


def test_the_highest_rate_may_be_held() -> None:
    bounds, asked = searched(2000)
    assert bounds.lower
    assert (bounds.lower.mbit, bounds.upper, asked) == (1000, None, [1000, 1000])


def test_a_gateway_may_hold_nothing() -> None:
    bounds, _ = searched(0.1)
    assert bounds.lower is None
    assert bounds.upper
    assert bounds.upper.mbit == 1


def test_a_third_trial_decides_where_two_differ() -> None:
    bounds, asked = searched(2000, odd=1)
    assert asked == [1000] * 3
    assert bounds.upper is None


def test_the_asked_rate_takes_the_place_of_the_features() -> None:
    assert at_rate(CAKE, 47.5).features == ("conntrack", "shape:cake:47.5:wan")
    asked = shaper(at_rate(CAKE, 47.5))
    assert asked
    assert (asked.up_bps, asked.down_bps) == (47_500_000, 0)


@pytest.mark.parametrize(
    ("words", "counted"),
    [((), 1514), (("overhead=44",), 1544), (("overhead=44", "atm"), 33 * 53), (("ptm",), 1538)],
)
def test_a_frame_counts_as_the_shaper_counts_it(words: tuple[str, ...], counted: int) -> None:
    asked = parse(("cake", "100", *words))
    assert counted_bytes(asked, 1514) == pytest.approx(counted, abs=0.5)
