# SPDX-License-Identifier: Apache-2.0
"""The signed rank test, exact: Wilcoxon 1945; and the middle that goes with it.

Of each block one value is the old arm's and one the new arm's, which of them came first was left to
chance. If the arms do not differ, the sign of a block's difference is as likely the one as the
other, whatever the blocks have in common. So the sums of the positive ranks over all choices of
signs are counted: exact, given ties; a difference of 0 keeps its rank and has no sign (Pratt 1959).
Beyond `MOST_EXACT` blocks, where the sums are too many to count, stands the normal approximation.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import sqrt
from statistics import median

from gatemark.judge.math.interval import LEVEL, Interval
from gatemark.judge.math.ranks import MOST_EXACT, STANDARD, doubled
from gatemark.judge.math.real import require_no_nan


def p_value(differences: Sequence[float]) -> float:
    """Return how likely positive ranks as far from the middle are if nothing differs."""
    ranks = doubled([abs(value) for value in differences])
    pairs = zip(ranks, differences, strict=True)
    signed = [(rank, value) for rank, value in pairs if value]
    whole = sum(rank for rank, _ in signed)
    far = abs(2 * sum(rank for rank, value in signed if value > 0) - whole)
    if len(signed) > MOST_EXACT:
        spread = sqrt(sum(rank * rank for rank, _ in signed))
        return min(1.0, 2 * STANDARD.cdf(-max(0.0, far - 2) / spread))
    counts = _sums(tuple(sorted(rank for rank, _ in signed)))
    ways = sum(count for total, count in counts.items() if abs(2 * total - whole) >= far)
    return ways / (1 << len(signed))


def middle(differences: Sequence[float]) -> Interval:
    """The median of the means of all pairs (Hodges and Lehmann 1963), a value with itself too.

    Its interval is cut from the same means by the distribution of the rank sum (Tukey 1949), so
    that it has 0 where the test finds nothing. With fewer than six differences 95 % cannot be
    reached: then it is the range of all means, with its true level. Raises ValueError without any,
    and of NaN.
    """
    require_no_nan(differences)
    if not differences:
        raise ValueError("no samples")
    means = sorted([(a + b) / 2 for a, b in combinations_with_replacement(differences, 2)])
    cut, level = inset(len(differences), LEVEL)
    return Interval(median(means), means[cut], means[-1 - cut], len(differences), level)


@lru_cache(maxsize=256)
def inset(n: int, level: float) -> tuple[int, float]:
    """Return how many of the n (n + 1) / 2 ordered means to cut at each end, and the level then.

    As many as leave `level`; none where even the range of all of them does not reach it.
    """
    if n > MOST_EXACT:
        middle, spread = n * (n + 1) / 4, sqrt(n * (n + 1) * (2 * n + 1) / 24)
        cut = max(0, int(middle - STANDARD.inv_cdf((1 + level) / 2) * spread - 0.5))
        return cut, 1 - 2 * STANDARD.cdf((cut + 0.5 - middle) / spread)
    counts = _sums(tuple(range(1, n + 1)))
    cut, below = 0, counts[0]
    choices = 1 << n
    while (more := below + counts[cut + 1]) * 2 <= (1 - level) * choices:
        cut, below = cut + 1, more
    return cut, max(0.0, 1 - 2 * below / choices)


@lru_cache(maxsize=64)
def _sums(ranks: tuple[int, ...]) -> Counter[int]:
    """Count the choices of signs by their sum of positive ranks."""
    counts = Counter({0: 1})
    for rank in ranks:
        taken = Counter({total + rank: count for total, count in counts.items()})
        counts.update(taken)
    return counts
