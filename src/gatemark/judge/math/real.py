# SPDX-License-Identifier: Apache-2.0
"""NaN is refused: it is no rank, has no place in an order, and would make a number of nothing."""

from collections.abc import Iterable
from math import isnan


def require_no_nan(values: Iterable[float]) -> None:
    """Raise ValueError where a value is NaN; infinite ones have a place in an order."""
    if any(map(isnan, values)):
        raise ValueError("a value is not a number (NaN)")
