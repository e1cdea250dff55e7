# SPDX-License-Identifier: Apache-2.0
"""The median with a distribution-free interval from order statistics.

Whatever the distribution, the number of samples below its median is binomial(n, 1/2). So the k-th
smallest and the k-th largest sample enclose the median with a probability that is known exactly
(David and Nagaraja, Order Statistics, section 7.1). Trials are skewed by hiccups; a t interval,
which takes them for normal, would not hold its promise here.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, islice, takewhile
from statistics import median

import msgspec

from gatemark.judge.math.real import require_no_nan

LEVEL = 0.95


class Interval(msgspec.Struct, frozen=True):
    """A median with its interval.

    `level` is the coverage that lo..hi has for the median (distribution-free, from order
    statistics): at least 0.95 where n >= 6; below that lo..hi is the range and `level` is smaller.
    """

    value: float  # the median
    lo: float  # its lower end
    hi: float  # its upper end
    n: int  # samples
    level: float  # coverage, from 0 to 1


def median_interval(samples: Sequence[float]) -> Interval:
    """Return the median of at least one sample; below six the range, with its true level.

    Raises ValueError of none, and of NaN.
    """
    require_no_nan(samples)
    ordered = sorted(samples)
    n = len(ordered)
    if not n:
        raise ValueError("no samples")
    inset = _inset(n)
    return Interval(
        value=median(ordered),
        lo=ordered[inset],
        hi=ordered[n - 1 - inset],
        n=n,
        level=coverage(n, inset),
    )


@cache
def _inset(n: int) -> int:
    """The most samples that can be cut at each end while the rest holds the median by LEVEL."""
    tails = islice(_tails(n), (n + 1) // 2)
    return max(0, sum(1 for _ in takewhile(lambda tail: _level(n, tail) >= LEVEL, tails)) - 1)


@cache
def coverage(n: int, inset: int) -> float:
    """How likely the median lies within the samples left when `inset` are cut at each end."""
    return _level(n, next(islice(_tails(n), inset, None)))


def _tails(n: int) -> Iterator[int]:
    """The choices, of 2^n, that put at most 0, 1, ... samples below the median.

    Each is made of the one before: to count them anew takes as many long products as pairs.
    """
    return accumulate(accumulate(range(n), lambda ways, i: ways * (n - i) // (i + 1), initial=1))


def _level(n: int, tail: int) -> float:
    return max(0.0, 1.0 - 2.0 * (tail / (1 << n)))


def less(a: Interval, b: Interval) -> Interval:
    """a - b with both at their worst: its interval is wider than the true one, never narrower."""
    level = min(a.level, b.level)
    return Interval(a.value - b.value, a.lo - b.hi, a.hi - b.lo, min(a.n, b.n), level)


def plus(a: Interval, b: Interval) -> Interval:
    """a + b likewise."""
    level = min(a.level, b.level)
    return Interval(a.value + b.value, a.lo + b.lo, a.hi + b.hi, min(a.n, b.n), level)
