# SPDX-License-Identifier: Apache-2.0
"""Intervals in print: digits that the interval justifies, `≥` before a lower bound.

A number alone is written by gatemark/number.py, and read from here as well.
"""

import math

from msgspec.structs import replace

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
    "at_least",
    "compact",
    "decimals",
    "decimals_of",
    "interval",
    "nominal",
    "plain",
    "quantity",
    "quantity_interval",
    "scale",
    "seconds",
    "size",
    "value_alone",
]

LOPSIDED = 0.1  # sides that differ by more than this share of the longer one are both printed


def interval(i: Interval, to: Scale, *, at_least: bool = False) -> str:
    """`30.1 ± 0.2`, or `30.1 (29.9 to 30.8)` where the sides differ; without the unit.

    ± is the longer side, rounded up: the interval is no wider than what is printed.
    """
    count = decimals(i, to)
    low, value, high = (x / to.factor for x in (i.lo, i.value, i.hi))
    middle = (AT_LEAST if at_least else "") + plain(value, count)
    if i.n < 2 or low == value == high:
        return middle
    if _is_lopsided(value - low, high - value):
        between = DASH if low >= 0 else " to "
        return f"{middle} ({plain(low, count)}{between}{plain(high, count)})"
    return f"{middle} ± {_half(i, to, count)}"


def decimals(i: Interval, to: Scale) -> int:
    """Decimals of an interval and its value; an end that is not zero is not printed as zero."""
    value, error = i.value / to.factor, (_longer_side(i) if i.n > 1 else 0.0) / to.factor
    count = decimals_of(value, error)
    nearest = min(abs(i.lo), abs(i.hi)) / to.factor
    if i.lo * i.hi > 0 and error and math.isfinite(nearest):
        count = max(count, min(-math.floor(math.log10(nearest)), MOST_DECIMALS))
    return count


def size(i: Interval) -> Interval:
    """How much, without the sign: of a difference whose words say which way it goes."""
    return i if i.value >= 0 else replace(i, value=-i.value, lo=-i.hi, hi=-i.lo)


def value_alone(i: Interval, to: Scale) -> str:
    """The value with the digits that it has beside its interval."""
    return plain(i.value / to.factor, decimals(i, to))


def quantity_interval(i: Interval, unit: str, *, at_least: bool = False) -> str:
    """A number with interval and unit: `30.1 ± 0.2 k packets/s`."""
    to = scale([i.value], unit)
    return f"{interval(i, to, at_least=at_least)} {to.unit}"


def compact(i: Interval, unit: str, *, at_least: bool = False) -> str:
    """A label beside a drawn interval: `411 ± 4 k`; the prefix without the unit."""
    to = scale([i.value], unit)
    prefix = to.unit.removesuffix(unit).strip()
    return f"{interval(i, to, at_least=at_least)} {prefix}".strip()


def at_least(i: Interval, unit: str) -> str:
    """What a value at least is: its lower end, rounded down: `1.5 M packets/s`."""
    to = scale([i.lo], unit)
    low = i.lo / to.factor
    count = decimals_of(low)
    step = 10.0**count
    return f"{plain(math.floor(round(low * step, 6)) / step, count)} {to.unit}"


def _half(i: Interval, to: Scale, count: int) -> str:
    side = _longer_side(i) / to.factor
    step = 10.0**-count
    rounded = math.ceil(side / step - 0.05) * step if math.isfinite(side) else side
    return plain(rounded, count)


def _longer_side(i: Interval) -> float:
    return max(i.value - i.lo, i.hi - i.value, 0.0)


def _is_lopsided(below: float, above: float) -> bool:
    """Whether ± would say of one side what is true of the other alone."""
    return abs(above - below) > LOPSIDED * max(below, above)
