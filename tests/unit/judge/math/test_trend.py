# SPDX-License-Identifier: Apache-2.0
"""Slopes with their intervals, against scipy; alarms of series in which nothing grows."""

import random
from collections.abc import Callable
from itertools import accumulate

import pytest
from scipy.stats import kendalltau, theilslopes

from gatemark.judge.math.trend import FEWEST_BLOCKS, trend

SEED = 61
SERIES = 200
Drawn = Callable[[random.Random, int], list[float]]


def noise(chance: random.Random, n: int) -> list[float]:
    return [chance.gauss(0, 1) for _ in range(n)]


def correlated(chance: random.Random, n: int) -> list[float]:
    """Each value has 0.7 of the one before in it."""
    return list(accumulate(noise(chance, n), lambda before, new: 0.7 * before + new))


def pages(chance: random.Random, n: int) -> list[float]:
    """The memory of a program that takes and gives back pages."""
    return [4096.0 * round(each) for each in correlated(chance, n)]


def step(chance: random.Random, n: int) -> list[float]:
    """A program that once takes more."""
    at = chance.randrange(n)
    return [0.0] * at + [1.0] * (n - at)


def test_slope_and_interval_are_those_of_scipy() -> None:
    chance = random.Random(SEED)
    values = [3 * at + chance.gauss(0, 20) for at in range(30)]
    seen = trend([[*enumerate(values)]])
    assert seen is not None
    known = theilslopes(values, range(30), alpha=0.95)
    assert seen.slope == pytest.approx(known.slope)
    assert seen.lo <= known.low_slope < known.high_slope <= seen.hi + 0.01
    assert seen.p < 10 * kendalltau(range(30), values).pvalue + 1e-6


def test_too_few_values_have_no_trend() -> None:
    assert trend([[(at, at) for at in range(FEWEST_BLOCKS - 1)]]) is None


def test_parts_are_compared_each_with_itself() -> None:
    """Two parts that fall, of which the second one stands higher: a run that went on later."""
    parts = [[(float(at), 100.0 * part - at) for at in range(20)] for part in range(2)]
    seen = trend(parts)
    assert seen is not None
    assert seen.slope == -1
    assert seen.p < 1e-6


@pytest.mark.parametrize("drawn", [noise, correlated, pages, step])
def test_what_does_not_grow_is_hardly_ever_called_growing(drawn: Drawn) -> None:
    """At a thousandth, before all series of a setup are taken together."""
    chance = random.Random(SEED)
    seen = [trend([[*enumerate(drawn(chance, 48))]]) for _ in range(SERIES)]
    assert sum(each is not None and each.p < 0.001 for each in seen) <= 2


@pytest.mark.parametrize("drawn", [noise, correlated])
def test_what_grows_is_found_beside_noise(drawn: Drawn) -> None:
    chance = random.Random(SEED)
    named = 0
    for _ in range(50):
        rise = 16 if drawn is correlated else 6
        values = [rise * at / 48 + each for at, each in enumerate(drawn(chance, 48))]
        seen = trend([[*enumerate(values)]])
        named += seen is not None and seen.p < 0.001
    assert named >= 25
