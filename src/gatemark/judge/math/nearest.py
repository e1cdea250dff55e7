# SPDX-License-Identifier: Apache-2.0
"""Percentiles by nearest rank: each is one of the values (RFC 2330 section 11.3)."""

from collections.abc import Sequence
from math import ceil

from gatemark.judge.math.real import require_no_nan


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of them does not exceed, in any order.

    Raises ValueError of none, and of NaN.
    """
    require_no_nan(values)
    if not values:
        raise ValueError("no values have no percentile")
    ordered = sorted(values)
    return ordered[max(1, ceil(share * len(ordered))) - 1]
