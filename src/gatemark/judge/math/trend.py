# SPDX-License-Identifier: Apache-2.0
"""The slope of a series with its interval: Theil 1950, Sen 1968; the test of Mann and Kendall.

A series may be in parts, as a run that was stopped: only values of one part are compared. Values
that follow each other are like each other, and a test that takes them for independent finds trends
in noise. So they are put together in blocks, by medians, until what is left beside the line is
hardly like what comes next; what likeness is left makes the variance larger (Bayley and Hammersley
1946). A second test takes no more for granted than that a rise is as likely as a fall: the signs
of the steps from block to block. It finds what rises without noise. p is twice the smaller one's.
Counted here, as `scipy.stats` takes more than a second to load for `show`; a test compares.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise
from math import comb, sqrt
from statistics import mean, median
from typing import Final, NamedTuple

from gatemark.judge.math.interval import LEVEL
from gatemark.judge.math.ranks import STANDARD

MOST_BLOCKS: Final = 40
FEWEST_BLOCKS: Final = 10
LIKE: Final = 0.2  # correlation of a block with the next: more is put together further
MOST_LIKE: Final = 0.9

Series = Sequence[tuple[float, float]]  # when, what


class Trend(NamedTuple):
    """The slope of a series: its rise in a unit of its time."""

    slope: float
    lo: float  # ends of the 95 % interval
    hi: float
    p: float  # of no trend, two-sided
    parts: tuple[tuple[tuple[float, float], ...], ...]  # the blocks


def trend(parts: Sequence[Series]) -> Trend | None:
    """Return the trend of all parts; None of fewer values than blocks are needed."""
    length = sum(map(len, parts))
    size = -(-length // MOST_BLOCKS) or 1
    if length // size < FEWEST_BLOCKS:
        return None
    signs_p = _signs_p([_blocks(part, size) for part in parts])
    while True:
        made = [_blocks(part, size) for part in parts]
        slope = _slope(made)
        likeness = _likeness(made, slope)
        if likeness <= LIKE or length // (size + 1) < FEWEST_BLOCKS:
            break
        size += 1
    return _tested([part for part in made if part], slope, likeness, signs_p)


def _blocks(part: Series, size: int) -> list[tuple[float, float]]:
    """Medians of as many values; what is left at the end is a part of the last block."""
    starts = range(0, max(1, len(part) // size) * size, size)
    ends = [*starts[1:], len(part)]
    blocks = [part[start:end] for start, end in zip(starts, ends, strict=True)]
    return [(mean(at for at, _ in block), median(v for _, v in block)) for block in blocks if block]


def _slopes(parts: Sequence[Series]) -> list[float]:
    return sorted(
        (after - before) / (later - at)
        for part in parts
        for (at, before), (later, after) in combinations(part, 2)
        if later > at
    )


def _slope(parts: Sequence[Series]) -> float:
    return median(_slopes(parts) or [0.0])


def _likeness(parts: Sequence[Series], slope: float) -> float:
    """The correlation of what is beside the line with what comes next; 0 at least."""
    products, squares = 0.0, 0.0
    for part in parts:
        beside = [value - slope * at for at, value in part]
        middle = median(beside)
        rest = [each - middle for each in beside]
        products += sum(a * b for a, b in pairwise(rest))
        squares += sum(each * each for each in rest)
    return min(MOST_LIKE, max(0.0, products / squares)) if squares else 0.0


def _signs_p(parts: Sequence[Series]) -> float:
    """The chance of as many steps the same way; those that go nowhere do not count."""
    steps = [b - a for part in parts for (_, a), (_, b) in pairwise(part) if a != b]
    up = sum(step > 0 for step in steps)
    few, n = min(up, len(steps) - up), len(steps)
    ways: int = sum(comb(n, k) for k in range(few + 1))
    return min(1.0, 2 * ways / 2.0**n)


def _tested(parts: Sequence[Series], slope: float, likeness: float, signs_p: float) -> Trend:
    """Kendall's statistic summed over the parts, its variance with ties, and Sen's interval."""
    score = sum(map(_score, parts))
    variance = sum(map(_variance, parts)) * (1 + likeness) / (1 - likeness)
    far = max(0.0, abs(score) - 1) / sqrt(variance) if variance > 0 else 0.0
    slopes = _slopes(parts)
    half = STANDARD.inv_cdf((1 + LEVEL) / 2) * sqrt(max(0.0, variance))
    cut = min(max(0, round((len(slopes) - half) / 2) - 1), (len(slopes) - 1) // 2)
    return Trend(
        slope,
        slopes[cut],
        slopes[-1 - cut],
        min(1.0, 2 * min(2 * STANDARD.cdf(-far), signs_p)),
        tuple(tuple(part) for part in parts),
    )


def _score(part: Series) -> int:
    """Pairs that rise less those that fall."""
    before: list[float] = []
    score = 0
    for _, value in part:
        at, behind = bisect_left(before, value), bisect_right(before, value)
        score += at - (len(before) - behind)
        before.insert(at, value)
    return score


def _variance(part: Series) -> float:
    def term(n: int) -> int:
        return n * (n - 1) * (2 * n + 5)

    tied = sum(map(term, Counter(value for _, value in part).values()))
    return (term(len(part)) - tied) / 18
