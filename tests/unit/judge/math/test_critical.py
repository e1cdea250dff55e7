# SPDX-License-Identifier: Apache-2.0
"""The critical rate of made-up trials: it is near what they were made with, and inside its band."""

import random

import pytest

from gatemark.judge.math.critical import Counted, critical, normal, stretch

LOADS = (20e3, 23e3, 25e3, 27e3, 29e3, 32e3)
SHARE = 0.001


def counted(chance: random.Random, m: float, s: float, seconds: float = 10.0) -> list[Counted]:
    """Twelve trials of each load, by the curve `stretch` and chance."""
    made: list[Counted] = []
    for load in LOADS:
        due = stretch(load, m, s) * seconds
        made += [
            Counted(load, seconds, round(max(0.0, chance.gauss(due, due**0.5)))) for _ in range(12)
        ]
    return made


def at(m: float, s: float) -> float:
    """The load of which the share is lost, by a finer search than the code's."""
    return min((x for x in range(1000, 40_000, 5)), key=lambda x: abs(stretch(x, m, s) - SHARE * x))


@pytest.mark.parametrize("s", [100.0, 600.0, 1500.0])
def test_the_rate_is_inside_its_band(s: float) -> None:
    interval = critical(counted(random.Random(61), 28e3, s), SHARE)
    assert interval is not None
    assert interval.lo * 0.99 <= at(28e3, s) <= interval.hi * 1.01
    assert interval.value == pytest.approx(at(28e3, s), rel=0.05)


def test_bands_of_95_percent_hold_it_mostly() -> None:
    """Of thirty 29: the first ten are drawn here."""
    truth = at(28e3, 600.0)
    bands = [critical(counted(random.Random(seed), 28e3, 600.0), SHARE) for seed in range(10)]
    assert sum(band is not None and band.lo <= truth <= band.hi for band in bands) >= 9


def test_longer_trials_have_a_narrower_band() -> None:
    widths = []
    for seconds in (0.5, 50.0):
        interval = critical(counted(random.Random(61), 28e3, 600.0, seconds), SHARE)
        assert interval is not None
        widths.append(interval.hi - interval.lo)
    assert widths[1] <= widths[0]


def test_trials_that_differ_more_than_by_chance_widen_it() -> None:
    made = counted(random.Random(61), 28e3, 600.0)
    bursty = [
        each._replace(lost=each.lost * (4 if n % 4 == 0 else 0)) for n, each in enumerate(made)
    ]
    calm, wild = (critical(each, SHARE) for each in (made, bursty))
    assert calm is not None
    assert wild is not None
    assert wild.hi - wild.lo > calm.hi - calm.lo


def test_without_loss_or_with_two_loads_nothing_is_known() -> None:
    assert critical([Counted(load, 1, 0) for load in LOADS], SHARE) is None
    assert critical([Counted(load, 1, 9) for load in LOADS[:2]], SHARE) is None


@pytest.mark.parametrize("curve", [stretch, normal])
def test_a_curve_loses_nothing_of_nothing_and_all_that_is_over(curve: object) -> None:
    assert callable(curve)
    assert curve(0.0, 1000.0, 50.0) == pytest.approx(0.0)
    assert curve(5000.0, 1000.0, 50.0) == pytest.approx(4000.0, rel=1e-6)
    assert curve(1000.0, 1000.0, 50.0) > 0
