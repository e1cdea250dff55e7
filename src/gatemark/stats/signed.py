# SPDX-License-Identifier: Apache-2.0
"""The signed rank test, exact: Wilcoxon 1945.

Two values of one block that differ by chance alone may change places, so each difference is as
likely up as down: of n differences all 2^n choices of signs are counted, by the sum of the ranks
that are positive. Ties share their mean rank; differences of nothing say nothing and are left out
(Lehmann, Nonparametrics, section 3.2).
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

from gatemark.stats.ranks import MOST_EXACT, STANDARD, doubled


def p_value(differences: Sequence[float]) -> float:
    """How likely signs as one-sided as these are if nothing differs; two-sided."""
    told = [one for one in differences if one]
    if not told:
        return 1.0
    ranks = doubled([abs(one) for one in told])
    risen = sum(rank for rank, one in zip(ranks, told, strict=True) if one > 0)
    if len(told) > MOST_EXACT:
        return _normal_p(ranks, risen)
    far, counts = abs(2 * risen - sum(ranks)), _sums(tuple(sorted(ranks)))
    ways = sum(count for total, count in counts.items() if abs(2 * total - sum(ranks)) >= far)
    return ways / (1 << len(told))


@lru_cache(maxsize=64)
def _sums(ranks: tuple[int, ...]) -> dict[int, int]:
    """How many choices of signs have each sum of positive ranks.

    A polynomial whose coefficients lie side by side in one long integer, as in `ranks`.
    """
    width = len(ranks) + 1  # bits: no count is above 2 ** len(ranks)
    chosen = 1
    for rank in ranks:
        chosen += chosen << (rank * width)
    mask = (1 << width) - 1
    found = ((total, (chosen >> (total * width)) & mask) for total in range(sum(ranks) + 1))
    return {total: count for total, count in found if count}


def _normal_p(ranks: Sequence[int], risen: int) -> float:
    """With corrections for continuity and for ties; the ranks are doubled."""
    n, tied = len(ranks), sum(count**3 - count for count in Counter(ranks).values())
    variance = n * (n + 1) * (2 * n + 1) / 24 - tied / 48
    far = abs(risen / 2 - n * (n + 1) / 4) - 0.5
    return min(1.0, 2 * STANDARD.cdf(-max(0.0, far) / sqrt(variance)))
