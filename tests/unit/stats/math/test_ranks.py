# SPDX-License-Identifier: Apache-2.0
"""The rank sum test is exact, with ties and without."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from gatemark.stats.math import ranks

from ..conftest import seeded

FEW = st.lists(st.integers(0, 5), min_size=1, max_size=6)


@given(st.integers(1, 25), st.integers(1, 25), st.integers(0, 1000))
def test_p_without_ties_agrees_with_scipy(n: int, m: int, seed: int) -> None:
    drawn = seeded(seed).sample(range(1000), n + m)
    expected = mannwhitneyu(drawn[:n], drawn[n:], method="exact").pvalue
    assert ranks.p_value(drawn[:n], drawn[n:]) == pytest.approx(expected)


@given(FEW, FEW)
def test_p_with_ties_counts_every_choice(old: list[int], new: list[int]) -> None:
    shared = rankdata([*old, *new])
    mean = sum(shared) * len(old) / len(shared)
    far = [abs(sum(c) - mean) for c in combinations(shared, len(old))]
    as_far = sum(f >= abs(sum(shared[: len(old)]) - mean) - 1e-9 for f in far)
    assert ranks.p_value(old, new) == pytest.approx(as_far / len(far))


def test_p_of_many_samples_agrees_with_the_normal_approximation() -> None:
    chance = seeded(1)
    old = [round(chance.gauss(0, 1), 1) for _ in range(60)]
    new = [round(chance.gauss(0.4, 1), 1) for _ in range(70)]
    expected = mannwhitneyu(old, new, method="asymptotic").pvalue
    assert ranks.p_value(old, new) == pytest.approx(expected)


def test_p_of_many_equal_samples_is_one() -> None:
    assert ranks.p_value([3.0] * 60, [3.0] * 60) == 1.0


@pytest.mark.parametrize(
    ("n", "m", "cut"), [(3, 3, 0), (4, 4, 0), (5, 5, 2), (6, 6, 5), (10, 10, 23), (8, 15, 29)]
)
def test_cuts_are_those_of_published_tables(n: int, m: int, cut: int) -> None:
    """Conover, Practical Nonparametric Statistics, table A7: critical values of U at 5 %."""
    assert ranks.inset(n, m, 0.95)[0] == cut


@pytest.mark.parametrize(("n", "level"), [(1, 0.0), (2, 2 / 3), (3, 0.9), (4, 68 / 70)])
def test_few_samples_tell_the_level_of_their_range(n: int, level: float) -> None:
    cut, reached = ranks.inset(n, n, 0.95)
    assert cut == 0
    assert reached == pytest.approx(level)


def test_cut_of_many_samples_goes_on_where_the_exact_one_ends() -> None:
    exact, normal = ranks.inset(40, 40, 0.95), ranks.inset(41, 41, 0.95)
    assert exact[0] < normal[0] < exact[0] + 50
    assert normal[1] == pytest.approx(0.95, abs=0.001)
