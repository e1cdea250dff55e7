# SPDX-License-Identifier: Apache-2.0
"""Student's t for whole degrees of freedom, without scipy, which costs a second to import.

Up to 400 of them in closed form (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3
and 26.7.4), beyond by the normal deviate of the same probability (G. W. Hill, "Algorithm 395:
Student's t-distribution", Communications of the ACM 13, 1970).
"""

from functools import lru_cache
from math import atan, cos, erfc, fsum, isinf, log1p, pi, sin, sqrt

from gatemark.judge.math.real import require_no_nan

MOST_TERMS = 400  # degrees of freedom: the closed form takes time by their number


def two_sided(t: float, df: int) -> float:
    """Return how likely |T| is at least |t|; absolute error below 1e-12. Raises ValueError of NaN.

    Less than one degree of freedom is taken for one.
    """
    require_no_nan((t, df))
    df = max(df, 1)
    if isinf(t) or isinf(df):
        return erfc(abs(t) / sqrt(2))
    return _closed(t, df) if df <= MOST_TERMS else erfc(_normal(t, df) / sqrt(2))


def _normal(t: float, df: int) -> float:
    """The normal deviate that is exceeded as likely as |t| (Hill's equation 9)."""
    a = df - 0.5
    b = 48 * a * a
    square = a * log1p(t * t / df)
    term = (((-0.4 * square - 3.3) * square - 24) * square - 85.5) / (0.8 * square**2 + 100 + b)
    return ((term + square + 3) / b + 1) * sqrt(square)


def _closed(t: float, df: int) -> float:
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
    """Return the t that |T| exceeds with probability `p`, for 1e-9 <= p <= 1.

    Its relative error is below 1e-3, as the tail's is absolute. Raises ValueError of NaN.
    """
    require_no_nan((p, df))
    low, high = 0.0, 1.0
    while two_sided(high, df) > p and high < 1e12:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, df) > p else (low, middle)
    return high
