# SPDX-License-Identifier: Apache-2.0
"""The median's interval keeps its promise."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from gatemark.stats.math.interval import coverage, median_interval

from ..conftest import seeded

SAMPLES = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60)


@pytest.mark.parametrize(("n", "inset"), [(6, 0), (8, 0), (9, 1), (20, 5), (100, 39)])
def test_ranks_are_those_of_published_tables(n: int, inset: int) -> None:
    """Conover, Practical Nonparametric Statistics, table A3 and its use for quantiles."""
    interval = median_interval(range(n))
    assert (interval.lo, interval.hi) == (inset, n - 1 - inset)


@given(st.integers(1, 60), st.data())
def test_coverage_is_binomial(n: int, data: st.DataObject) -> None:
    inset = data.draw(st.integers(0, (n - 1) // 2))
    assert coverage(n, inset) == pytest.approx(max(0.0, 1 - 2 * binom.cdf(inset, n, 0.5)))


@given(SAMPLES)
def test_interval_encloses_its_median(samples: list[float]) -> None:
    interval = median_interval(samples)
    assert interval.lo <= interval.value <= interval.hi


@given(SAMPLES.filter(lambda samples: len(samples) >= 6))
def test_six_samples_reach_95_percent(samples: list[float]) -> None:
    assert median_interval(samples).level >= 0.95


@pytest.mark.parametrize(("n", "level"), [(1, 0.0), (2, 0.5), (3, 0.75), (5, 0.9375)])
def test_fewer_samples_tell_the_level_of_their_range(n: int, level: float) -> None:
    assert median_interval(range(n)).level == level


@pytest.mark.parametrize("n", [6, 7, 10, 25])
def test_interval_of_skewed_samples_covers_the_true_median(n: int) -> None:
    chance = seeded(n)
    covered = 0
    for _ in range(2000):
        interval = median_interval([chance.lognormvariate(0, 1.5) for _ in range(n)])
        covered += interval.lo <= 1.0 <= interval.hi
    assert covered / 2000 >= 0.93


def test_value_is_the_median() -> None:
    assert median_interval([3, 1, 2, 10]).value == median([3, 1, 2, 10])


def test_no_samples_have_no_median() -> None:
    with pytest.raises(ValueError, match="no samples"):
        median_interval([])
