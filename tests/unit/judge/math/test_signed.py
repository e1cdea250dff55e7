# SPDX-License-Identifier: Apache-2.0
"""The signed rank test against counting every choice of signs, and against scipy's."""

from itertools import product

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math import signed as module
from gatemark.judge.math.interval import median_interval
from gatemark.judge.math.signed import inset, middle, p_value

from ..conftest import seeded

FEWER = few()


@pytest.mark.parametrize(("n", "p"), [(11, 0.7001953125), (40, 0.0009936344267771346)])
def test_p_of_many_without_ties_is_scipys(n: int, p: float) -> None:
    """By wilcoxon, exact; of more than can be counted by hand."""
    chance = seeded(n)
    assert p_value([chance.gauss(0.3, 1) for _ in range(n)]) == pytest.approx(p)


def test_many_are_near_the_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = seeded(7)
    values = [chance.gauss(0.2, 1) for _ in range(80)]
    exact, cut = p_value(values), inset.__wrapped__(80, 0.95)
    monkeypatch.setattr(module, "MOST_EXACT", 79)
    assert p_value(values) == pytest.approx(exact, rel=0.03)
    assert inset.__wrapped__(80, 0.95) == pytest.approx(cut, abs=1)


def mean_ranks(sizes: list[int]) -> list[float]:
    """By counting the sizes below each and the like ones."""
    return [sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2 for size in sizes]


@FEWER
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_p_is_the_share_of_signs_that_lie_as_far_out(differences: list[int]) -> None:
    ranks = mean_ranks([abs(value) for value in differences])
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
def test_the_cut_leaves_the_level() -> None:
    cuts = {
        1: (0, 0.0), 5: (0, 0.9375), 6: (0, 0.96875), 8: (3, 0.9609375), 10: (8, 0.951171875)
    }  # fmt: skip
    assert {n: inset(n, 0.95) for n in cuts} == cuts


def test_the_cut_of_many_is_that_of_published_tables() -> None:
    """Wilcoxon and Wilcox 1964: critical values of the smaller rank sum at 5 %, two-sided."""
    cuts = {15: 25, 20: 52, 25: 89, 40: 264}
    assert {n: inset(n, 0.95)[0] for n in cuts} == cuts


def test_the_middle_is_hodges_and_lehmanns() -> None:
    """By hand: the means of all pairs of 1, 2 and 6 are 1, 1.5, 2, 3.5, 4 and 6."""
    found = middle([6.0, 1.0, 2.0])
    assert (found.value, found.lo, found.hi, found.n) == (2.75, 1.0, 6.0, 3)
    assert found.level == pytest.approx(0.75)


def test_no_difference_has_no_middle() -> None:
    with pytest.raises(ValueError, match="no samples"):
        middle([])


SIZES = st.lists(st.integers(1, 10_000), min_size=6, max_size=14, unique=True)


@FEWER
@given(SIZES, st.data())
def test_the_interval_has_zero_where_the_test_finds_nothing(
    sizes: list[int], data: st.DataObject
) -> None:
    signs = data.draw(st.lists(st.sampled_from((-1, 1)), min_size=len(sizes), max_size=len(sizes)))
    differences = [float(size * sign) for size, sign in zip(sizes, signs, strict=True)]
    found = middle(differences)
    if p_value(differences) <= 1 - found.level:
        assert not found.lo < 0 < found.hi
    else:
        assert found.lo <= 0 <= found.hi


@pytest.mark.parametrize("n", [6, 12, pytest.param(40, marks=pytest.mark.long)])
def test_the_interval_holds_the_middle_as_often_as_it_says(n: int) -> None:
    chance, held = seeded(n), 0
    for _ in range(300):
        found = middle([chance.gauss(2.0, 1.0) for _ in range(n)])
        held += found.lo <= 2.0 <= found.hi
    assert held / 300 >= middle([1.0] * n).level - 0.04


def test_it_is_narrower_than_the_median_s() -> None:
    chance = seeded(1)
    samples = [[chance.gauss(0, 1) for _ in range(40)] for _ in range(20)]
    widths = [
        [interval.hi - interval.lo for interval in map(way, samples)]
        for way in (middle, median_interval)
    ]
    assert sum(widths[0]) < 0.9 * sum(widths[1])
