# SPDX-License-Identifier: Apache-2.0
"""The rank scan: few false alarms, real steps, no outlier, on the specification's series."""

import random

import pytest
from series import Noise, heavy, normal, spiked, stepped

from gatemark.judge.change.trend import FEWEST, highest, steps


def share(noise: Noise, change: float, at: int, series: int = 100) -> float:
    """Of so many series, those of which a step is told."""
    rng = random.Random(11)
    told = 0
    for _ in range(series):
        told += bool(steps(stepped(rng, noise, change, at)))
    return told / series


@pytest.mark.parametrize(
    "noise",
    [
        normal,
        pytest.param(heavy, marks=pytest.mark.long),
        pytest.param(spiked, marks=pytest.mark.long),
    ],
)
def test_noise_alone_is_no_step(noise: Noise) -> None:
    assert share(noise, 0.0, 0) <= 0.03


@pytest.mark.long
def test_five_per_cent_are_found_in_three_per_cent_of_noise() -> None:
    assert share(normal, -0.05, 30) >= 0.9


@pytest.mark.long
def test_ten_per_cent_are_found_beside_outliers() -> None:
    assert share(spiked, -0.1, 30) >= 0.95


def test_the_highest_split_is_standardised_by_its_own_spread() -> None:
    """By hand: of eight in order the lower four have a rank sum of 10, 8 below its mean."""
    place, height = highest([2, 4, 6, 8, 10, 12, 14, 16])
    assert place == 4
    assert height == pytest.approx(16 / 48**0.5)


def test_a_clean_step_is_named_with_its_size() -> None:
    values = [1.0 + 0.001 * (k % 3) for k in range(20)]
    values += [0.9 + 0.001 * (k % 3) for k in range(20)]
    (step,) = steps(values)
    assert step.at == 20
    assert step.change == pytest.approx(-0.1, abs=0.005)


def test_two_steps_are_in_order() -> None:
    values = [level + 0.0001 * k for level in (1.0, 0.9, 0.95) for k in range(20)]
    assert [step.at for step in steps(values)] == [20, 40]


def test_what_is_allowed_is_no_step() -> None:
    values = [1.0] * 20 + [0.98] * 20
    assert [len(steps(values, allow)) for allow in (0.01, 0.03)] == [1, 0]


def test_of_few_builds_nothing_is_told() -> None:
    assert steps([1.0] * (FEWEST - 4) + [0.5] * 3) == []
