# SPDX-License-Identifier: Apache-2.0
"""The rank sum test is exact, with ties and without."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math import ranks

from ..conftest import seeded

FEWER = few()
FEW = st.lists(st.integers(0, 5), min_size=1, max_size=6)


def mean_ranks(samples: Sequence[float]) -> list[float]:
    """By counting the samples below each and the like ones."""
    return [
        sum(other < value for other in samples) + (samples.count(value) + 1) / 2
        for value in samples
    ]


@pytest.mark.long
@given(st.integers(1, 25), st.integers(1, 25), st.integers(0, 1000))
def test_p_without_ties_agrees_with_scipy(n: int, m: int, seed: int) -> None:
    from scipy.stats import mannwhitneyu

    drawn = seeded(seed).sample(range(1000), n + m)
    expected = mannwhitneyu(drawn[:n], drawn[n:], method="exact").pvalue
    assert ranks.p_value(drawn[:n], drawn[n:]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("n", "m", "p"),
    [(25, 25, 0.7729861781646687), (24, 9, 0.32823925055293246), (9, 24, 0.827233367300108)],
)
def test_p_of_many_without_ties_is_scipys(n: int, m: int, p: float) -> None:
    """By mannwhitneyu, exact; more samples than can be counted by hand."""
    drawn = seeded({25: 1, 24: 2, 9: 3}[n]).sample(range(1000), n + m)
    assert ranks.p_value(drawn[:n], drawn[n:]) == pytest.approx(p)


@FEWER
@given(FEW, FEW)
def test_p_with_ties_counts_every_choice(old: list[int], new: list[int]) -> None:
    shared = mean_ranks([*old, *new])
    mean = sum(shared) * len(old) / len(shared)
    far = [abs(sum(c) - mean) for c in combinations(shared, len(old))]
    as_far = sum(f >= abs(sum(shared[: len(old)]) - mean) - 1e-9 for f in far)
    assert ranks.p_value(old, new) == pytest.approx(as_far / len(far))


def test_p_of_many_samples_is_that_of_the_normal_approximation() -> None:
    """By scipy's mannwhitneyu, asymptotic; among 130 samples many are alike."""
    chance = seeded(1)
    old = [round(chance.gauss(0, 1), 1) for _ in range(60)]
    new = [round(chance.gauss(0.4, 1), 1) for _ in range(70)]
    assert ranks.p_value(old, new) == pytest.approx(0.22605148528075314)
    assert ranks.p_value(new, old) == pytest.approx(0.22605148528075314)


def test_p_is_counted_up_to_80_samples() -> None:
    """By scipy, exact and asymptotic: 0.000350 and 0.000453 of 40 against 40."""
    old = range(0, 82, 2)
    new = [value + 21 for value in old]
    assert ranks.p_value(old[:40], new[:40]) == pytest.approx(0.0003503282572655932)
    assert ranks.p_value(old, new) == pytest.approx(0.0005056317886621226)


def test_p_of_many_equal_samples_is_one() -> None:
    assert ranks.p_value([3.0] * 60, [3.0] * 60) == 1.0


def test_cuts_are_those_of_published_tables() -> None:
    """Conover, Practical Nonparametric Statistics, table A7: critical values of U at 5 %."""
    cuts = {(3, 3): 0, (4, 4): 0, (5, 5): 2, (6, 6): 5, (10, 10): 23, (8, 15): 29}
    assert {sizes: ranks.inset(*sizes, 0.95)[0] for sizes in cuts} == cuts


@pytest.mark.parametrize(("n", "level"), [(1, 0.0), (2, 2 / 3), (3, 0.9), (4, 68 / 70)])
def test_few_samples_tell_the_level_of_their_range(n: int, level: float) -> None:
    cut, reached = ranks.inset(n, n, 0.95)
    assert cut == 0
    assert reached == pytest.approx(level)


def test_cut_of_many_samples_goes_on_where_the_exact_one_ends() -> None:
    exact, normal = ranks.inset(40, 40, 0.95), ranks.inset(41, 41, 0.95)
    assert exact[0] < normal[0] < exact[0] + 50
    assert normal[1] == pytest.approx(0.95, abs=0.001)
