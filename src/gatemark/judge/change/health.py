# SPDX-License-Identifier: Apache-2.0
"""The control of a station against its past: a step and a drift, on logarithms.

The first thirty good controls of a station are its history. Where there are fewer than eight,
nothing is told.
"""

from collections.abc import Sequence
from math import log, sqrt
from statistics import median
from typing import Final, Literal

FEWEST: Final = 8
HISTORY: Final = 30
LEAST_SPREAD: Final = 0.005
STEP_SPREADS, STEP_LEAST = 4.0, 0.02
DRIFT_SPREADS, DRIFT_LEAST = 5.0, 0.01
WEIGHT: Final = 0.2  # of the newest, in the moving mean
NORMAL: Final = 1.4826  # a normal distribution's spread, in median absolute deviations


def verdict(good: Sequence[float], value: float) -> Literal["good", "step", "drift"]:
    """Judge a new control by the good ones before it, in their order; all above 0."""
    if len(good) < FEWEST:
        return "good"
    history = [log(each) for each in good]
    first = history[:HISTORY]
    centre = median(first)
    spread = max(NORMAL * median(abs(each - centre) for each in first), LEAST_SPREAD)
    if abs(log(value) - centre) > max(STEP_SPREADS * spread, STEP_LEAST):
        return "step"
    mean = centre
    for each in (*history, log(value)):
        mean += WEIGHT * (each - mean)
    bound = DRIFT_SPREADS * spread * sqrt(WEIGHT / (2 - WEIGHT))
    return "drift" if abs(mean - centre) > max(bound, DRIFT_LEAST) else "good"
