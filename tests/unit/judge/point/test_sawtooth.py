# SPDX-License-Identifier: Apache-2.0
"""A delay that swings: its period and its queue on made-up series, none where there is none."""

import random

import pytest

from gatemark.judge.point.sawtooth import (
    Sawtooth,
    sawtooth,
    standing_bytes,
    typical,
)

STEP_S = 0.1


def teeth(period: float, count: int, low: float = 20e6, high: float = 80e6) -> list[float]:
    """A delay that rises evenly and falls at once."""
    return [low + (high - low) * ((at % period) / period) for at in range(count)]


@pytest.mark.parametrize("period", [8, 30])
def test_a_sawtooth_has_its_period_swing_and_trough(period: float) -> None:
    chance = random.Random(3)
    found = sawtooth([v * chance.gauss(1, 0.03) for v in teeth(period, 120)], STEP_S)
    assert found is not None
    assert found.period_s == pytest.approx(period * STEP_S, rel=0.06)
    assert found.swing_ns == pytest.approx(60e6, rel=0.15)
    assert found.trough_ns == pytest.approx(20e6, rel=0.25)


def test_noise_is_no_sawtooth() -> None:
    chances = [random.Random(seed) for seed in range(20)]
    noises = [[chance.gauss(50e6, 5e6) for _ in range(100)] for chance in chances]
    assert [sawtooth(noise, STEP_S) for noise in noises] == [None] * 20


@pytest.mark.parametrize(
    "delays",
    [
        [],
        [5e6] * 100,
        [1e6 * at for at in range(100)],  # fills once
        teeth(40, 100),  # two and a half teeth are no period
        teeth(10, 100, low=50e6, high=51e6),  # 2 %
    ],
)
def test_what_does_not_swing_has_no_period(delays: list[float]) -> None:
    assert sawtooth(delays, STEP_S) is None


def test_a_standing_queue_is_its_delay_times_the_rate_that_drains_it() -> None:
    found = sawtooth(teeth(10, 100, low=21e6), STEP_S)
    assert found is not None
    assert standing_bytes(found, 1e6, 1e6) == pytest.approx(0.02 * 1e6 / 8)
    assert standing_bytes(found, 30e6, 1e6) == 0.0


@pytest.mark.parametrize("period", [10, 12.5])
def test_a_period_between_two_steps_is_found(period: float) -> None:
    found = sawtooth(teeth(period, 100), STEP_S)
    assert found is not None
    assert found.period_s == pytest.approx(period * STEP_S, rel=0.01)


def test_the_typical_one_of_several_is_the_median_of_each_number() -> None:
    several = [Sawtooth(1.0, 9.0, 4.0), Sawtooth(3.0, 7.0, 6.0), Sawtooth(2.0, 8.0, 5.0)]
    assert typical(several) == Sawtooth(2.0, 8.0, 5.0)
