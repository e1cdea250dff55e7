# SPDX-License-Identifier: Apache-2.0
"""The signed rank test against scipy's, and by its own rules."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from gatemark.stats.ranks import MOST_EXACT
from gatemark.stats.signed import p_value

SOME = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=25)


@pytest.mark.parametrize("n", [6, 11, 30])
@pytest.mark.parametrize("shift", [0.0, 0.4, 3.0])
def test_without_ties_it_is_scipys_exact_test(n: int, shift: float) -> None:
    chance = random.Random(n)
    found = [chance.gauss(shift, 1) for _ in range(n)]
    assert p_value(found) == pytest.approx(wilcoxon(found, method="exact").pvalue)


def test_ties_are_counted_as_they_are() -> None:
    """Of 2^3 signs of ranks 1.5, 1.5, 3 two sum to 6 or to 0."""
    assert p_value([2.0, 2.0, 5.0]) == pytest.approx(2 / 8)


def test_differences_of_nothing_are_left_out() -> None:
    assert p_value([0.0, 1.0, 2.0, 3.0]) == p_value([1.0, 2.0, 3.0])
    assert p_value([0.0, 0.0]) == 1.0


@given(SOME)
def test_up_and_down_are_alike(found: list[float]) -> None:
    assert p_value(found) == pytest.approx(p_value([-one for one in found]))


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_many_differences_take_the_normal_approximation(shift: float) -> None:
    chance = random.Random(3)
    found = [chance.gauss(shift, 1) for _ in range(MOST_EXACT + 20)]
    near = wilcoxon(found, method="asymptotic", correction=True).pvalue
    assert p_value(found) == pytest.approx(near, abs=1e-6)
