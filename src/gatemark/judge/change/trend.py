# SPDX-License-Identifier: Apache-2.0
"""Steps in a series of builds: a rank scan, which assumes no distribution and takes no outlier.

At each split of the series with two or more values on either side the rank sum is standardised;
the largest is held against its own distribution over random orders of as many values. A step that
is large enough cuts the series, and both halves are looked through alike. It draws history only:
what is new is judged by gates (gate.py).
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import expm1, sqrt
from statistics import median
from typing import Final

import msgspec

from gatemark.judge.change.compare import log_ratio, size
from gatemark.judge.math.ranks import doubled

FEWEST: Final = 8  # values; below that nothing is told
SIDE: Final = 2  # values on either side of a split
ALPHA: Final = 0.01
ORDERS: Final = 2000  # random ones, for each number of values


class Step(msgspec.Struct, frozen=True):
    """A lasting change."""

    at: int  # place of the first value after it
    change: float  # after / before - 1


def steps(values: Sequence[float], allow: float = 0.01) -> list[Step]:
    """The steps of a series of ratios, in order; those up to `allow` are none."""
    return sorted(_steps(values, 0, allow), key=lambda step: step.at)


def _steps(values: Sequence[float], first: int, allow: float) -> Iterator[Step]:
    if len(values) < FEWEST:
        return
    at, height = highest(doubled(values))
    if height <= critical(len(values)):
        return
    shift = _shift(values[:at], values[at:])
    if size(shift) <= allow:
        return
    yield Step(first + at, shift)
    yield from _steps(values[:at], first, allow)
    yield from _steps(values[at:], first + at, allow)


def highest(ranks: Sequence[int]) -> tuple[int, float]:
    """The split with the largest standardised rank sum, and that; ranks are doubled."""
    n = len(ranks)
    best, height, total = SIDE, -1.0, 0
    for at in range(1, n - SIDE + 1):
        total += ranks[at - 1]
        if at < SIDE:
            continue
        here = abs(total - at * (n + 1)) / sqrt(at * (n - at) * (n + 1) / 3)
        if here > height:
            best, height = at, here
    return best, height


@lru_cache(maxsize=256)
def critical(n: int) -> float:
    """Return the bound that the largest exceeds in one random order of a hundred."""
    rng = random.Random(n)  # noqa: S311  not for secrets
    ranks = list(range(2, 2 * n + 1, 2))
    heights = []
    for _ in range(ORDERS):
        rng.shuffle(ranks)
        heights.append(highest(ranks)[1])
    return sorted(heights)[int((1 - ALPHA) * ORDERS)]


def _shift(before: Sequence[float], after: Sequence[float]) -> float:
    """The median of all ratios (Hodges and Lehmann 1963), less 1."""
    return expm1(median(log_ratio(old, new) for old in before for new in after))
