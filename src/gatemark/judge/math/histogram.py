# SPDX-License-Identifier: Apache-2.0
"""Histograms of times as the agent's sink keeps them: log-linear, 32 buckets an octave.

A histogram is a mapping of a bucket's lower bound in ns to its count (agent/src/count/histogram.h):
up to 64 ns a bucket holds one value, above that 1/32 to 1/64 of it. So a percentile is known to
within its bucket, 3.2 % at most. Inside a bucket its packets are taken to be evenly spread, which
is right on the average and makes no percentile finer than its bucket.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from gatemark.judge.math.real import require_no_nan

BUCKETS: Final = 32  # an octave
RESOLUTION: Final = 1 / BUCKETS  # of the value: the widest bucket
BEYOND: Final = 10  # packets above a percentile, or it is told by too few of them

Histogram = Mapping[int, float]  # lower bound of a bucket, ns -> packets


def merged(parts: Iterable[tuple[Sequence[int], Sequence[float]]]) -> dict[int, float]:
    """One histogram of several, each as columns of lower bounds and counts."""
    counts: dict[int, float] = {}
    for lows, numbers in parts:
        for low, count in zip(lows, numbers, strict=True):
            counts[low] = counts.get(low, 0) + count
    return {low: counts[low] for low in sorted(counts) if counts[low]}


def width(low: int) -> int:
    """Return how many values, in ns, a bucket holds that begins there."""
    return 1 << max(0, low.bit_length() - 6)


def is_told(share: float, packets: float) -> bool:
    """Return whether so many packets tell a percentile: ten lie above it, 10 / (1 - share) in all.

    The median is told by any number.
    """
    return share <= 0.5 or packets >= round(BEYOND / (1 - share))


def percentile(counts: Histogram, share: float) -> float:
    """The delay in ns that this share of the packets does not exceed, by nearest rank.

    Within the bucket of that packet by its rank there; raises ValueError if there is none.
    """
    require_no_nan((share, *counts.values()))
    lows = sorted(low for low in counts if counts[low])
    sums = list(accumulate(counts[low] for low in lows))
    if not lows:
        raise ValueError("an empty histogram has no percentile")
    wanted = share * sums[-1]
    at = next((i for i, so_far in enumerate(sums) if so_far >= wanted), len(lows) - 1)
    count = counts[lows[at]]
    rank = min(max(wanted - (sums[at] - count), 0.5), count)
    return lows[at] + (width(lows[at]) - 1) * (rank - 0.5) / count


def within(counts: Histogram, limit: float) -> float:
    """The share of the packets whose time in ns is at most a limit, even within its bucket."""
    require_no_nan((limit, *counts.values()))
    total = sum(counts.values())
    if not total:
        return 0.0
    return (
        sum(
            count * min(1.0, max(0.0, (limit - low + 1) / width(low)))
            for low, count in counts.items()
        )
        / total
    )


def mean(counts: Histogram) -> float:
    """The mean time in ns, of the middles of the buckets; raises ValueError if there is none."""
    total = sum(counts.values())
    if not total:
        raise ValueError("an empty histogram has no mean")
    return sum(count * (low + (width(low) - 1) / 2) for low, count in counts.items()) / total


def reached(counts: Histogram) -> Iterator[tuple[int, float]]:
    """Each bucket's lower bound in ns, and the share of the packets that took so long or longer.

    Exact at these bounds, whatever the buckets' width.
    """
    left = total = sum(counts.values())
    for low in sorted(low for low in counts if counts[low]):
        yield low, left / total
        left -= counts[low]
