# SPDX-License-Identifier: Apache-2.0
"""The median's interval keeps its promise."""

from statistics import median

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.interval import Interval, coverage, less, median_interval, plus

from ..conftest import seeded

FEWER = few()
SAMPLES = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60)


def test_ranks_are_those_of_published_tables() -> None:
    """Conover, Practical Nonparametric Statistics, table A3 and its use for quantiles."""
    insets = {6: 0, 8: 0, 9: 1, 20: 5, 100: 39}
    intervals = {n: median_interval(range(n)) for n in insets}
    ends = {n: (interval.lo, interval.hi) for n, interval in intervals.items()}
    assert ends == {n: (inset, n - 1 - inset) for n, inset in insets.items()}


@pytest.mark.parametrize("n", [1, 2, 7, 10])
def test_coverage_counts_every_choice_of_which_samples_lie_below(n: int) -> None:
    below = [choice.bit_count() for choice in range(1 << n)]
    for inset in range((n + 1) // 2):
        within = sum(inset < count < n - inset for count in below)
        assert coverage(n, inset) == pytest.approx(within / (1 << n))


@FEWER
@given(SAMPLES)
def test_interval_encloses_its_median(samples: list[float]) -> None:
    interval = median_interval(samples)
    assert interval.lo <= interval.value <= interval.hi
    assert interval.level >= 0.95 or len(samples) < 6


def test_fewer_samples_tell_the_level_of_their_range() -> None:
    levels = {1: 0.0, 2: 0.5, 3: 0.75, 5: 0.9375}
    assert {n: median_interval(range(n)).level for n in levels} == levels


def held(n: int, times: int) -> float:
    """How often the interval of skewed samples holds the true median."""
    chance = seeded(n)
    intervals = (
        median_interval([chance.lognormvariate(0, 1.5) for _ in range(n)]) for _ in range(times)
    )
    return sum(interval.lo <= 1.0 <= interval.hi for interval in intervals) / times


def test_interval_of_skewed_samples_holds_the_true_median() -> None:
    assert held(10, 500) >= 0.93


@pytest.mark.long
@pytest.mark.parametrize("n", [6, 7, 10, 25])
def test_interval_of_many_skewed_samples_holds_the_true_median(n: int) -> None:
    assert held(n, 2000) >= 0.93


def test_value_is_the_median() -> None:
    assert median_interval([3, 1, 2, 10]).value == median([3, 1, 2, 10])


def test_no_samples_have_no_median() -> None:
    with pytest.raises(ValueError, match="no samples"):
        median_interval([])


def test_of_a_sum_and_a_difference_both_are_at_their_worst() -> None:
    a, b = Interval(10, 8, 13, 6, 0.95), Interval(4, 3, 6, 5, 0.9)
    assert plus(a, b) == Interval(14, 11, 19, 5, 0.9)
    assert less(a, b) == Interval(6, 2, 10, 5, 0.9)
