# SPDX-License-Identifier: Apache-2.0
"""Intervals in print: digits that the interval justifies, `≥` before a lower bound.

A number alone is written by gatemark/number.py, and read from here as well.
"""

import math

from msgspec.structs import replace

from gatemark.judge.math.interval import Interval
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
    decimals_within,
    measured,
    nominal,
    plain,
    quantity,
    scale,
    seconds,
    within,
)

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
    "measured",
    "nominal",
    "plain",
    "quantity",
    "quantity_interval",
    "scale",
    "seconds",
    "size",
    "value_alone",
    "within",
]


def interval(i: Interval, to: Scale, *, at_least: bool = False) -> str:
    """`30.1 ± 0.2`, or `30.1 (29.9 to 30.8)` where the sides differ; without the unit."""
    low, high = (i.lo, i.hi) if i.n > 1 else (i.value, i.value)
    return (AT_LEAST if at_least else "") + within(i.value, low, high, to)


def decimals(i: Interval, to: Scale) -> int:
    """Decimals of an interval and its value."""
    value, low, high = (x / to.factor for x in (i.value, i.lo, i.hi))
    return decimals_within(value, low, high, is_whole=to.is_whole)


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
