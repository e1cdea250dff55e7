# SPDX-License-Identifier: Apache-2.0
"""The knee of simulated gateways of known capacity is found."""

from math import isfinite
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.point.knee import Sample, find_knee, peak, received_at, retained, straightness

from ..conftest import STEPS, Simulated, seeded


def knee_of_repeats(gateway: Simulated, seed: int, steps: tuple[float, ...] = STEPS) -> float:
    chance = seeded(seed)
    found = [find_knee(gateway.curve(chance, steps)) for _ in range(6)]
    return median(knee for knee in found if knee is not None)


@given(st.floats(1e3, 2e6), st.floats(-0.9, 0.6))
def test_knee_of_a_clean_curve_is_exact(knee: float, slope: float) -> None:
    curve = Simulated(knee, slope).curve(seeded(1))
    assert find_knee(curve) == pytest.approx(knee, rel=1e-6)


@pytest.mark.parametrize("slope", [0.3, 0.0, -0.3, -0.8])
def test_knee_of_six_noisy_repeats_is_within_1_percent(slope: float) -> None:
    gateway = Simulated(30_500, slope, jitter=0.006, hiccups=0.002)
    knees = [knee_of_repeats(gateway, seed) for seed in range(10)]
    assert knees == pytest.approx([30_500] * 10, rel=0.01)


@given(st.lists(st.floats(0, 0.002), min_size=12, max_size=12))
def test_hiccups_left_of_the_knee_do_not_move_it(losses: list[float]) -> None:
    curve = Simulated(30_500, -0.2).curve(seeded(1))
    shaken = [
        Sample(s.offered, s.received * (1 - loss)) if s.offered < 30_500 else s
        for s, loss in zip(curve, losses, strict=True)
    ]
    assert find_knee(shaken) == pytest.approx(30_500, rel=0.002)


def test_one_trial_spoiled_below_the_knee_does_not_move_it() -> None:
    knees = []
    for place in range(5):
        curve = Simulated(30_500, -0.2).curve(seeded(1))
        curve[place] = Sample(curve[place].offered, 0.95 * curve[place].offered)
        knees.append(find_knee(curve))
    assert knees == pytest.approx([30_500] * 5, rel=0.01)


def test_plateau_that_breaks_down_later_keeps_its_knee() -> None:
    curve = Simulated(30_500).curve(seeded(1))
    broken = [Sample(s.offered, s.received * (0.3 if s.offered > 50_000 else 1)) for s in curve]
    assert find_knee(broken) == pytest.approx(30_500, rel=0.01)


def test_one_rate_beyond_the_knee_is_read_as_a_plateau() -> None:
    curve = Simulated(30_500).curve(seeded(1), (0.5, 0.8, 1.2))
    assert find_knee(curve) == pytest.approx(30_500)


def test_sweep_that_begins_beyond_the_knee_is_extended_down() -> None:
    curve = Simulated(30_500).curve(seeded(1), (1.3, 1.5, 2.0))
    assert find_knee(curve) == pytest.approx(30_500)


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=9), st.floats(0.995, 1.0))
def test_curve_that_follows_has_no_knee(rates: list[float], share: float) -> None:
    assert find_knee([Sample(rate, rate * min(1.0, share + 1e-9)) for rate in rates]) is None


def test_loss_below_a_highest_rate_that_came_through_is_no_knee() -> None:
    assert find_knee([Sample(10, 10), Sample(20, 18), Sample(30, 30)]) is None


def test_gateway_that_delivers_nothing_has_its_knee_at_zero() -> None:
    assert find_knee([Sample(rate, 0.0) for rate in (10.0, 20.0, 30.0)]) == 0.0


@given(st.lists(st.tuples(st.floats(1, 1e6), st.floats(0, 1)), min_size=1, max_size=15))
def test_any_curve_has_a_finite_knee_within_the_sweep(points: list[tuple[float, float]]) -> None:
    curve = [Sample(rate, rate * share) for rate, share in points]
    knee = find_knee(curve)
    assert knee is None or (isfinite(knee) and 0 <= knee <= max(s.offered for s in curve))


def test_order_of_the_trials_does_not_matter() -> None:
    curve = Simulated(30_500, -0.2).curve(seeded(1))
    seeded(2).shuffle(curve)
    assert find_knee(curve) == pytest.approx(30_500)


def test_peak_is_the_most_received() -> None:
    assert peak([Sample(10, 10), Sample(20, 15), Sample(30, 12)]) == 15


def test_received_is_read_between_two_rates() -> None:
    assert received_at([Sample(10, 10), Sample(20, 14)], 15) == 12


@pytest.mark.parametrize("offered", [5, 21])
def test_received_is_unknown_outside_the_sweep(offered: float) -> None:
    assert received_at([Sample(10, 10), Sample(20, 14)], offered) is None


def test_sweep_that_ends_2_percent_short_is_read_at_its_end() -> None:
    assert received_at([Sample(10, 10), Sample(20, 14)], 20.3) == 14


def test_collapse_is_a_share_of_the_peak() -> None:
    curve = [Sample(10, 10), Sample(20, 20), Sample(40, 5)]
    assert retained(curve, 20, 2.0) == 0.25


def test_collapse_of_nothing_is_absent() -> None:
    assert retained([Sample(10, 0), Sample(20, 0)], 10, 2.0) is None


def test_straight_line_has_r2_of_one() -> None:
    assert straightness([1, 2, 3, 4], [2, 4, 6, 8]) == pytest.approx(1.0)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5])])
def test_straightness_of_too_little_is_absent(x: list[float], y: list[float]) -> None:
    assert straightness(x, y) is None
