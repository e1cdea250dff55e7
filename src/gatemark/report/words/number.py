# SPDX-License-Identifier: Apache-2.0
"""Quantities in print: SI units, digits that the interval justifies, `≥` before a lower bound."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatemark.stats.math.interval import Interval

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
AT_LEAST = "\N{GREATER-THAN OR EQUAL TO} "
MOST_DECIMALS = 3
LOPSIDED = 2.0  # a side that much longer than the other is shown as lo-hi, not as ±


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit with its prefix: a value divided by `factor` is printed before `unit`."""

    factor: float
    unit: str


_SCALES: dict[str, tuple[Scale, ...]] = {  # largest first
    "packets/s": (Scale(1e6, "M packets/s"), Scale(1e3, "k packets/s"), Scale(1.0, "packets/s")),
    "bit/s": (
        Scale(1e9, "Gbit/s"),
        Scale(1e6, "Mbit/s"),
        Scale(1e3, "kbit/s"),
        Scale(1.0, "bit/s"),
    ),
    "connections/s": (Scale(1e3, "k connections/s"), Scale(1.0, "connections/s")),
    "ns": (Scale(1e9, "s"), Scale(1e6, "ms"), Scale(1e3, "µs"), Scale(1.0, "ns")),
    "ratio": (Scale(0.01, "%"),),
}
KPPS = Scale(1e3, "k packets/s")
MBPS = Scale(1e6, "Mbit/s")
PERCENT = Scale(0.01, "%")
SEGMENTS = Scale(1.0, "segments")


def scale(values: Iterable[float], unit: str) -> Scale:
    """The one scale for a column: the largest in which its median is at least 1."""
    finite = sorted(abs(value) for value in values if math.isfinite(value))
    middle = finite[len(finite) // 2] if finite else 0.0
    steps = _SCALES.get(unit, (Scale(1.0, unit),))
    return next((step for step in steps if middle >= step.factor), steps[-1])


def plain(value: float, decimals: int) -> str:
    """A number with so many decimals and a real minus sign; a dash where there is no number."""
    if not math.isfinite(value):
        return DASH
    text = f"{abs(value):.{decimals}f}"
    negative = value < 0 and any(digit in "123456789" for digit in text)
    return MINUS + text if negative else text


def decimals_of(value: float, half: float = 0.0) -> int:
    """Decimals that `value ± half` deserves: half to one digit, at most three.

    A half that begins with 1 gets two digits where it is more than 1 % of the value. Without an
    interval the value gets three significant digits.
    """
    if not math.isfinite(value) or not math.isfinite(half):
        return 0
    if half > 0:
        exponent = math.floor(math.log10(half))
        fine = half / 10.0**exponent < 2 and half > 0.01 * abs(value)
        wanted = -exponent + (1 if fine else 0)
    elif value:
        wanted = 2 - math.floor(math.log10(abs(value)))
    else:
        wanted = 0
    finest = 3 - math.floor(math.log10(abs(value))) if value else MOST_DECIMALS
    return max(0, min(wanted, finest, MOST_DECIMALS))


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


def quantity(value: float, unit: str) -> str:
    """One number with its unit: `30.1 k packets/s`, `1.24 ms`, `98 %`."""
    to = scale([value], unit)
    return f"{plain(value / to.factor, decimals_of(value / to.factor))} {to.unit}"


def nominal(value: float, unit: str) -> str:
    """A number that was set, not measured: `5 k packets/s`, `12.5 k packets/s`."""
    to = scale([value], unit)
    return f"{value / to.factor:g} {to.unit}"


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


def seconds(value: float) -> str:
    """A length of time for people: `12 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = max(0, round(value))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


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
