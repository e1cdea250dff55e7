# SPDX-License-Identifier: Apache-2.0
"""Intervals in print: digits that the interval justifies, `≥` before a lower bound.

A number alone is written by gatemark/number.py, and read from here as well.
"""

import math
from collections.abc import Sequence

from gatemark.number import (
    AT_LEAST,
    DASH,
    KPPS,
    MBPS,
    MINUS,
    MOST_DECIMALS,
    PERCENT,
    SEGMENTS,
    Scale,
    decimals_of,
    nominal,
    plain,
    quantity,
    scale,
    seconds,
)
from gatemark.stats.math.interval import Interval

__all__ = [
    "AT_LEAST",
    "DASH",
    "KPPS",
    "MBPS",
    "MINUS",
    "MOST_DECIMALS",
    "PERCENT",
    "SEGMENTS",
    "Scale",
    "compact",
    "decimals",
    "decimals_of",
    "interval",
    "label",
    "nominal",
    "plain",
    "quantity",
    "quantity_interval",
    "scale",
    "seconds",
]

LOPSIDED = 2.0  # a side that much longer than the other is shown as lo-hi, not as ±


def decimals(intervals: Sequence[Interval], to: Scale) -> int:
    """Decimals that a whole column shares, so that its points stand below each other."""
    return max(
        (decimals_of(i.value / to.factor, _longer_side(i) / to.factor) for i in intervals),
        default=0,
    )


def interval(i: Interval, to: Scale, places: int | None = None, *, at_least: bool = False) -> str:
    """`30.1 ± 0.2`, or `30.1 (29.9 to 30.8)` where one side is much the longer; without the unit.

    ± is the longer side, rounded up: the interval is no wider than what is printed.
    """
    count = decimals([i], to) if places is None else places
    low, value, high = (x / to.factor for x in (i.lo, i.value, i.hi))
    prefix = AT_LEAST if at_least else ""
    middle = prefix + plain(value, count)
    if i.n < 2 or low == value == high:
        return middle
    if _is_lopsided(value - low, high - value, 10.0**-count):
        return f"{middle} ({plain(low, count)}{DASH}{plain(high, count)})"
    return f"{middle} ± {_half(i, to, count)}"


def quantity_interval(i: Interval, unit: str, *, at_least: bool = False) -> str:
    """A number with interval and unit: `30.1 ± 0.2 k packets/s`."""
    to = scale([i.value], unit)
    return f"{interval(i, to, at_least=at_least)} {to.unit}"


def compact(i: Interval, unit: str, *, at_least: bool = False) -> str:
    """A label beside a drawn interval: `411 ± 4 k`; prefix without unit, always ±."""
    to = scale([i.value], unit)
    prefix = to.unit.removesuffix(unit).strip()
    return f"{label(i, to, at_least=at_least)} {prefix}".strip()


def label(i: Interval, to: Scale, *, at_least: bool = False) -> str:
    """The same in a unit that the axis tells: `47.5 ± 0.3`."""
    count = decimals([i], to)
    half = f" ± {_half(i, to, count)}" if i.n > 1 else ""
    return f"{AT_LEAST if at_least else ''}{plain(i.value / to.factor, count)}{half}"


def _half(i: Interval, to: Scale, count: int) -> str:
    side = _longer_side(i) / to.factor
    rounded = math.ceil(side * 10**count - 0.05) / 10**count if math.isfinite(side) else side
    return plain(rounded, count)


def _longer_side(i: Interval) -> float:
    return max(i.value - i.lo, i.hi - i.value, 0.0)


def _is_lopsided(below: float, above: float, last_digit: float) -> bool:
    """Whether ± would hide something: sides that differ by more than two last digits and twice."""
    longer, shorter = max(below, above), min(below, above)
    return longer > 2 * last_digit and longer > LOPSIDED * shorter
