# SPDX-License-Identifier: Apache-2.0
"""Made-up series of builds: noise of three kinds, and a step at a place."""

import random
from collections.abc import Callable
from math import sqrt

BUILDS = 60
Noise = Callable[[random.Random], float]


def normal(rng: random.Random) -> float:
    """Of 3 %."""
    return rng.gauss(1.0, 0.03)


def heavy(rng: random.Random) -> float:
    """Student's t with 3 degrees of freedom, of the same size."""
    square = sum(rng.gauss(0, 1) ** 2 for _ in range(3)) / 3
    return 1.0 + 0.02 * rng.gauss(0, 1) / sqrt(max(square, 0.01))


def spiked(rng: random.Random) -> float:
    """Three of a hundred builds are 30 % slower."""
    return rng.gauss(1.0, 0.03) * (0.7 if rng.random() < 0.03 else 1.0)


def stepped(rng: random.Random, noise: Noise, change: float, at: int) -> list[float]:
    """One series, whose level changes by a share from a build on."""
    return [noise(rng) * (1 + change if build >= at else 1.0) for build in range(BUILDS)]
