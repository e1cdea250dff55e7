# SPDX-License-Identifier: Apache-2.0
"""A station's control: a step and a drift are told, noise hardly ever."""

import random

from gatemark.judge.change.health import FEWEST, verdict


def runs(shift: float, slope: float, series: int = 60, controls: int = 100) -> list[int]:
    """After how many controls of each run one was not good; 0: all were."""
    rng = random.Random(3)
    ends = []
    for _ in range(series):
        good = [rng.gauss(1.0, 0.01) for _ in range(40)]
        end = 0
        for at in range(1, controls + 1):
            value = rng.gauss(1.0 + shift + slope * at, 0.01)
            if verdict(good, value) != "good":
                end = at
                break
            good.append(value)
        ends.append(end)
    return ends


def test_a_station_that_stays_is_good() -> None:
    assert sum(map(bool, runs(0.0, 0.0))) <= 15  # a single one is measured again before it counts


def test_five_per_cent_are_seen_soon() -> None:
    ends = sorted(runs(-0.05, 0.0, controls=20))
    assert ends[0] >= 1
    assert ends[30] <= 3


def test_a_drift_is_seen() -> None:
    ends = sorted(runs(0.0, -0.002, controls=60))
    assert ends[0] >= 1
    assert ends[30] <= 25


def test_a_new_station_is_taken_as_it_is() -> None:
    assert verdict([1.0] * (FEWEST - 1), 0.5) == "good"
    assert verdict([1.0] * FEWEST, 0.5) == "step"
