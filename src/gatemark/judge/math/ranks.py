# SPDX-License-Identifier: Apache-2.0
"""The rank sum test, exact: Wilcoxon 1945; Mann and Whitney 1947.

If old and new samples come from one distribution, every choice of which ranks are the new ones is
as likely as any other. So the rank sums of all choices are counted. Ties share their mean rank,
and the choices are counted with these shared ranks: exact, given the ties (Lehmann, Nonparametrics,
section 1.4).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb, sqrt
from statistics import NormalDist

from gatemark.judge.math.real import require_no_nan

MOST_EXACT = 80  # samples in all; beyond, the normal approximation is good to the third digit
STANDARD = NormalDist()


def p_value(old: Sequence[float], new: Sequence[float]) -> float:
    """Return how likely ranks as far apart as these are if nothing differs; two-sided."""
    ranks = doubled((*old, *new))
    few, at = (len(old), 0) if len(old) <= len(new) else (len(new), len(old))
    taken = sum(ranks[at : at + few])
    if len(ranks) > MOST_EXACT:
        return _normal_p(ranks, few, taken)
    # Distances from the mean are taken times the number of samples, so that all are integers.
    n, middle = len(ranks), few * sum(ranks)
    far = abs(n * taken - middle)
    counts = _sums(tuple(sorted(ranks)), few)
    ways = sum(count for total, count in counts.items() if abs(n * total - middle) >= far)
    return ways / comb(n, few)


@lru_cache(maxsize=256)
def inset(n: int, m: int, level: float) -> tuple[int, float]:
    """Return how many of the n * m ordered pairs to cut at each end, and the level reached.

    As many as leave `level`; none where even the range of all pairs does not reach it.
    """
    if n + m > MOST_EXACT:
        spread = sqrt(n * m * (n + m + 1) / 12)
        cut = int(n * m / 2 - STANDARD.inv_cdf((1 + level) / 2) * spread - 0.5)
        cut = max(0, cut)
        return cut, 1 - 2 * STANDARD.cdf((cut + 0.5 - n * m / 2) / spread)
    counts = _sums(tuple(range(2, 2 * (n + m) + 1, 2)), min(n, m))
    least, choices = min(counts), comb(n + m, n)
    cut, below = 0, counts[least]
    while (more := below + counts[least + 2 * (cut + 1)]) * 2 <= (1 - level) * choices:
        cut, below = cut + 1, more
    return cut, max(0.0, 1 - 2 * below / choices)


def doubled(samples: Sequence[float]) -> list[int]:
    """Return twice the mean rank of each sample, from 2: an integer even where two share a rank.

    Raises ValueError of NaN, which has no rank.
    """
    require_no_nan(samples)
    seen = Counter(samples)
    ranks: dict[float, int] = {}
    before = 0
    for value in sorted(seen):
        ranks[value] = 2 * before + seen[value] + 1
        before += seen[value]
    return [ranks[value] for value in samples]


@lru_cache(maxsize=64)
def _sums(ranks: tuple[int, ...], few: int) -> Counter[int]:
    """Count the choices of `few` ranks by their sum.

    A polynomial for each number of ranks chosen; its coefficients lie side by side in one long
    integer, so that Python's own arithmetic adds them all at once.
    """
    width = len(ranks) + 1  # bits: no count is above 2 ** len(ranks)
    chosen = [1, *[0] * few]
    for rank in ranks:
        for k in range(few, 0, -1):
            chosen[k] += chosen[k - 1] << (rank * width)
    mask, left = (1 << width) - 1, chosen[few]
    counts: Counter[int] = Counter()
    for total in range(sum(ranks[-few:]) + 1):
        if count := (left >> (total * width)) & mask:
            counts[total] = count
    return counts


def _normal_p(ranks: Sequence[int], few: int, taken: int) -> float:
    """With corrections for continuity and for ties (Lehmann, section 1.4)."""
    n = len(ranks)
    tied = sum(count**3 - count for count in Counter(ranks).values())
    variance = few * (n - few) / 12 * (n + 1 - tied / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    far = abs(taken / 2 - few * sum(ranks) / (2 * n)) - 0.5
    return min(1.0, 2 * STANDARD.cdf(-max(0.0, far) / sqrt(variance)))
