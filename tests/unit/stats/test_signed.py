# SPDX-License-Identifier: Apache-2.0
"""The signed rank test against scipy's, and against counting every choice of signs."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from gatemark.stats.signed import inset, p_value

from .conftest import seeded


@pytest.mark.parametrize("n", [3, 6, 11, 40])
def test_p_without_ties_agrees_with_scipy(n: int) -> None:
    chance = seeded(n)
    differences = [chance.gauss(0.3, 1) for _ in range(n)]
    assert p_value(differences) == pytest.approx(wilcoxon(differences, method="exact").pvalue)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_p_is_the_share_of_signs_that_lie_as_far_out(differences: list[int]) -> None:
    ranks = rankdata([abs(value) for value in differences])
    signed = [(rank, value) for rank, value in zip(ranks, differences, strict=True) if value]
    middle = sum(rank for rank, _ in signed) / 2
    far = abs(sum(rank for rank, value in signed if value > 0) - middle)
    every = [
        sum(rank for (rank, _), taken in zip(signed, signs, strict=True) if taken)
        for signs in product((False, True), repeat=len(signed))
    ]
    share = sum(abs(total - middle) >= far - 1e-9 for total in every) / len(every)
    assert p_value([float(value) for value in differences]) == pytest.approx(share)


# Hollander and Wolfe, Nonparametric Statistical Methods, table A.4.
@pytest.mark.parametrize(
    ("n", "cut", "level"),
    [(1, 0, 0.0), (5, 0, 0.9375), (6, 0, 0.96875), (8, 3, 0.9609375), (10, 8, 0.951171875)],
)
def test_the_cut_leaves_the_level(n: int, cut: int, level: float) -> None:
    found = inset(n, 0.95)
    assert found[0] == cut
    assert found[1] == pytest.approx(level)
