# SPDX-License-Identifier: Apache-2.0
"""Differences within blocks: drift falls out, promises are kept."""

import random

import pytest

from gatemark.judge.change import block
from gatemark.judge.judgement import Cost, Verdict

CASES = 300


def values(n: int, of: float, chance: random.Random, spread: float = 1.0) -> dict[int, float]:
    return {at: of + chance.gauss(0, spread) for at in range(n)}


def cost(found: list[float], noise: float = 0.0, rows: int = 1) -> Cost:
    return block.cost(found, noise, block.least_p(found), rows=rows)


def told(n: int, adds: float, noise: float, rows: int = 1) -> float:
    """How often a step that adds so much, at a spread of 1 a trial, is told."""
    chance = random.Random(n)
    count = 0
    for _ in range(CASES):
        found = block.differences(values(n, 100, chance), values(n, 100 + adds, chance))
        p = min(1.0, rows * block.least_p(found))
        count += block.cost(found, noise, p, rows=rows).verdict == "slower"
    return count / CASES


def test_only_blocks_that_have_both_make_a_difference() -> None:
    assert block.differences({1: 10.0, 2: 20.0, 4: 5.0}, {2: 23.0, 3: 1.0, 4: 4.0}) == [3.0, -1.0]


def test_what_drifts_from_block_to_block_is_in_no_difference() -> None:
    drift = {at: 100.0 * (1 + at % 7) for at in range(20)}
    more = {at: value + 3 for at, value in drift.items()}
    found = cost(block.differences(drift, more), noise=1.0)
    assert (found.difference.lo, found.difference.hi, found.verdict) == (3, 3, "slower")


@pytest.mark.parametrize(
    "n", [6, pytest.param(20, marks=pytest.mark.long), pytest.param(40, marks=pytest.mark.long)]
)
def test_the_interval_holds_the_true_difference(n: int) -> None:
    chance, held = random.Random(n), 0
    for _ in range(CASES):
        i = cost(block.differences(values(n, 0, chance), values(n, 2, chance))).difference
        held += i.lo <= 2 <= i.hi
    assert held / CASES >= 0.92


@pytest.mark.parametrize(
    "n", [6, pytest.param(20, marks=pytest.mark.long), pytest.param(40, marks=pytest.mark.long)]
)
def test_nothing_is_called_a_cost_in_5_percent_at_most(n: int) -> None:
    assert told(n, 0.0, noise=0.0) <= 0.05


def test_a_difference_within_the_noise_is_never_called_a_cost() -> None:
    assert told(20, 0.9, noise=1.5) <= 0.01


@pytest.mark.parametrize(
    ("n", "rows"),
    [
        (20, 1),
        pytest.param(40, 1, marks=pytest.mark.long),
        pytest.param(40, 10, marks=pytest.mark.long),
    ],
)
def test_the_mde_difference_is_told_in_four_of_five(n: int, rows: int) -> None:
    chance, mde = random.Random(7), []
    for _ in range(40):
        found = block.differences(values(n, 0, chance), values(n, 0, chance))
        mde.append(cost(found, 0.5, rows).mde or 0.0)
    typical = sorted(mde)[len(mde) // 2]
    assert 0.6 <= told(n, typical, 0.5, rows) <= 0.98


def test_the_mde_difference_is_that_of_scipys_t() -> None:
    """By the docstring of `compare`, with quantiles of scipy; then in a table of ten rows."""
    costs = [block.cost([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.5, 0.01, rows=rows) for rows in (1, 10)]
    assert [cost.mde for cost in costs] == pytest.approx([3.97234655, 5.80530596])


@pytest.mark.parametrize(
    ("found", "noise", "verdict"),
    [
        ([5.0, 5.1, 5.2, 5.3, 5.4, 5.5, 5.6], 1.0, "slower"),
        ([-5.0, -5.1, -5.2, -5.3, -5.4, -5.5, -5.6], 1.0, "faster"),
        ([0.5, 0.51, 0.52, 0.53, 0.54, 0.55, 0.56], 1.0, "within noise"),
        ([-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, -0.3], 1.0, "no change"),
        ([-9.0, 9.0, 8.0, -8.0, 1.0, -1.0, 0.0], 1.0, "inconclusive"),
        ([0.2, 0.8, 1.5, 2.2, 2.9, 3.4, 4.1], 1.0, "inconclusive"),
    ],
)
def test_verdicts(found: list[float], noise: float, verdict: Verdict) -> None:
    assert cost(found, noise).verdict == verdict


def test_more_packets_are_better() -> None:
    made = block.cost([5.0] * 8, 1.0, 0.01, higher_is_better=True)
    assert made.verdict == "faster"


def test_five_blocks_show_nothing() -> None:
    found = cost([5.0, 5.1, 5.2, 5.3, 5.4])
    assert found.mde is None


def test_six_blocks_of_one_sign_survive_a_table_by_their_size() -> None:
    assert block.least_p([5.0, 5.1, 5.2, 5.3, 5.4, 5.5]) < 1e-4
