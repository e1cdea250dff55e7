# SPDX-License-Identifier: Apache-2.0
"""Simulated boots: a planted regression is found, chance alone is not, drift falls out."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import log
from random import Random
from statistics import median

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.change.compare import UNBOUNDED, compare
from gatemark.judge.change.paired import compare_pairs
from gatemark.judge.judgement import Change

from ..conftest import seeded

CASES = 400
FEWER = few()
TRIALS = 3  # a boot
ANY = st.lists(st.tuples(st.floats(-10, 1e12), st.floats(-10, 1e12)), min_size=1, max_size=9)
Boots = tuple[list[float], list[float]]


def boots(chance: Random, n: int, change: float, drift: float = 0.0) -> Boots:
    """n boots of each arm, in random order: 0.5 % from boot to boot, 1 % from trial to trial.

    `drift`: the machine's speed wanders by so much from each boot to the next.
    """
    old: list[float] = []
    new: list[float] = []
    speed = 1.0
    for _ in range(n):
        for arm in chance.sample((old, new), 2):
            speed *= 1 + chance.gauss(0, drift)
            boot = speed * chance.gauss(1, 0.005) * (1 + change * (arm is new))
            arm.append(median(boot * chance.gauss(1, 0.01) for _ in range(TRIALS)))
    return old, new


def found(n: int, change: float, drift: float = 0.0) -> list[Change]:
    chance = seeded(n)
    return [compare_pairs(*boots(chance, n, change, drift)) for _ in range(CASES)]


def share(changes: Sequence[Change], *verdicts: str) -> float:
    return sum(change.verdict in verdicts for change in changes) / len(changes)


@pytest.mark.parametrize("drift", [pytest.param(0.0, marks=pytest.mark.long), 0.005])
def test_a_planted_regression_is_told_with_six_boots(drift: float) -> None:
    assert share(found(6, -0.05, drift), "slower") > 0.97


@pytest.mark.parametrize(
    ("n", "drift"),
    [
        (6, 0.02),
        pytest.param(6, 0.0, marks=pytest.mark.long),
        pytest.param(6, 0.005, marks=pytest.mark.long),
        pytest.param(10, 0.0, marks=pytest.mark.long),
        pytest.param(10, 0.005, marks=pytest.mark.long),
        pytest.param(10, 0.02, marks=pytest.mark.long),
    ],
)
def test_chance_alone_is_not_told(n: int, drift: float) -> None:
    assert share(found(n, 0.0, drift), "faster", "slower") < 0.02


@pytest.mark.parametrize("drift", [pytest.param(0.0, marks=pytest.mark.long), 0.02])
def test_the_interval_holds_the_truth_as_often_as_it_says(drift: float) -> None:
    changes = found(8, -0.02, drift)
    held = sum(c.change.lo <= -0.02 <= c.change.hi for c in changes) / CASES
    assert held > changes[0].change.level - 0.03


def test_drift_falls_out_of_pairs_and_not_out_of_all_against_all() -> None:
    chance = seeded(3)
    drifting = [boots(chance, 8, 0.0, drift=0.02) for _ in range(50)]
    pairs, every = (
        median(c.change.hi - c.change.lo for c in (judge(*both) for both in drifting))
        for judge in (compare_pairs, compare)
    )
    assert pairs < 0.7 * every


@pytest.mark.parametrize("n", [6, pytest.param(12, marks=pytest.mark.long)])
def test_the_mde_change_is_told_in_four_cases_of_five(n: int) -> None:
    mde = median(change.mde for change in found(n, 0.0))
    assert 0.6 < share(found(n, mde), "faster") < 0.95


def test_the_mde_change_is_that_of_scipys_t() -> None:
    """By the docstring of `compare`, with quantiles of scipy: five degrees of freedom."""
    change = compare_pairs([100.0] * 6, [100.0, 101.0, 102.0, 103.0, 104.0, 105.0])
    assert change.mde == pytest.approx(0.0448084869)


def test_more_boots_are_asked_for_where_they_would_tell() -> None:
    (old, new), few = boots(seeded(1), 5, -0.05), compare_pairs([1.0] * 5, [0.9] * 5)
    assert (few.verdict, few.more) == ("inconclusive", 1)
    unsure = compare_pairs([*old, 1.0], [*new, 1.0])
    assert (unsure.verdict, unsure.more > 1) == ("inconclusive", True)


@FEWER
@given(ANY)
def test_any_boots_give_finite_numbers_in_order(pairs: list[tuple[float, float]]) -> None:
    change = compare_pairs([old for old, _ in pairs], [new for _, new in pairs])
    assert -1 < change.change.lo <= change.change.value <= change.change.hi <= UNBOUNDED * 1.001
    assert 0 <= change.p <= 1


@FEWER
@given(st.lists(st.tuples(st.floats(1, 1e5), st.floats(1, 1e5)), min_size=1, max_size=9))
def test_the_change_is_the_median_of_the_means_of_all_pairs(
    pairs: list[tuple[float, float]],
) -> None:
    ratios = [log(new / old) for old, new in pairs]
    middle = median((a + b) / 2 for a, b in combinations_with_replacement(ratios, 2))
    told = compare_pairs([old for old, _ in pairs], [new for _, new in pairs])
    assert log(1 + told.change.value) == pytest.approx(middle, abs=1e-6)


def test_one_without_the_other_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        compare_pairs([1.0, 2.0], [1.0])


@pytest.mark.parametrize(("factor", "p"), [(0.8, 4.706409e-10), (1.25, 4.713639e-10)])
def test_where_all_pairs_agree_p_is_that_of_student(factor: float, p: float) -> None:
    """By scipy's ttest_1samp of the logarithms."""
    old = [100.0, 103.0, 98.0, 101.0, 99.0, 104.0, 97.0]
    new = [factor * x * wobble for x, wobble in zip(old, (1, 1.01, 0.99) * 3, strict=False)]
    change = compare_pairs(old, new)
    assert change.tail == pytest.approx(p, rel=1e-3)
    assert change.tail is not None
    assert change.tail < change.p


def test_pairs_that_do_not_all_agree_are_told_by_ranks_alone() -> None:
    change = compare_pairs([100.0] * 9, [140.0] * 8 + [99.0])
    assert change.p < 0.05
    assert change.tail == change.p
