# SPDX-License-Identifier: Apache-2.0
"""Numbers in print, with SI prefixes: the one place where they are written."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
AT_LEAST = "\N{GREATER-THAN OR EQUAL TO} "
MOST_DECIMALS = 3
FEW = 3.0  # an error that begins with less gets a second digit, or rounding would change it
LOPSIDED = 0.1  # sides that differ by more than this share of the longer one are both printed
TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit with its prefix: a value divided by `factor` is printed before `unit`."""

    factor: float
    unit: str

    @property
    def is_whole(self) -> bool:
        """Whether its values have no prefix: counts keep all the digits that their error lets."""
        return self.factor == 1.0


_SCALES: dict[str, tuple[Scale, ...]] = {  # largest first
    "packets/s": (Scale(1e6, "M packets/s"), Scale(1e3, "k packets/s"), Scale(1.0, "packets/s")),
    "bit/s": (
        Scale(1e9, "Gbit/s"),
        Scale(1e6, "Mbit/s"),
        Scale(1e3, "kbit/s"),
        Scale(1.0, "bit/s"),
    ),
    "connections/s": (Scale(1e3, "k connections/s"), Scale(1.0, "connections/s")),
    "queries/s": (Scale(1e3, "k queries/s"), Scale(1.0, "queries/s")),
    "leases/s": (Scale(1.0, "leases/s"),),
    "ns": (Scale(1e9, "s"), Scale(1e6, "ms"), Scale(1e3, "µs"), Scale(1.0, "ns")),
    "Hz": (Scale(1e9, "GHz"), Scale(1e6, "MHz"), Scale(1.0, "Hz")),
    "bytes/s": (Scale(1e9, "GB/s"), Scale(1e6, "MB/s"), Scale(1.0, "bytes/s")),
    "ratio": (Scale(0.01, "%"),),
}
KPPS = Scale(1e3, "k packets/s")
MBPS = Scale(1e6, "Mbit/s")
PERCENT = Scale(0.01, "%")
SEGMENTS = Scale(1.0, "segments")


def scale(values: Iterable[float], unit: str) -> Scale:
    """The one scale for a column: the largest in which its median is at least 1; 0 fits any."""
    finite = sorted(abs(value) for value in values if math.isfinite(value) and value)
    middle = finite[len(finite) // 2] if finite else 0.0
    steps = _SCALES.get(unit, (Scale(1.0, unit),))
    return next((step for step in steps if middle >= step.factor), steps[-1])


def plain(value: float, decimals: int) -> str:
    """A number with so many decimals and a real minus sign; a dash where there is no number.

    Fewer than none rounds to tens, hundreds and so on.
    """
    if not math.isfinite(value):
        return DASH
    text = f"{round(abs(value), decimals):.{max(0, decimals)}f}"
    negative = value < 0 and any(digit in "123456789" for digit in text)
    return MINUS + text if negative else text


def decimals_of(value: float, error: float = 0.0) -> int:
    """Decimals that a value with this error deserves; fewer than none: tens, hundreds.

    The value ends where its error ends, but has at most four figures for that. Without an error it
    gets three.
    """
    if not math.isfinite(value) or not math.isfinite(error):
        return 0
    if error > 0:
        wanted = place_of(error)
        least = -math.inf
    else:
        wanted = 2 - math.floor(math.log10(abs(value))) if value else 0
        least = 0
    finest = 3 - math.floor(math.log10(abs(value))) if value else MOST_DECIMALS
    return int(max(least, min(wanted, finest, MOST_DECIMALS)))


def place_of(error: float) -> int:
    """Decimals of an error above zero: it has two digits where they are below 30, else one."""
    exponent = max(-300, math.floor(math.log10(error)))  # ten to less is 0
    return (1 if error / 10.0**exponent < FEW else 0) - exponent


def decimals_within(value: float, low: float, high: float, *, is_whole: bool = False) -> int:
    """Decimals of a value and the ends of its interval; an end that is not 0 is not printed as 0.

    The error is the longer side. `is_whole`: a value without a prefix has more than four figures
    where its error ends later: `16384 ± 2`.
    """
    error = max(value - low, high - value, 0.0)
    count = decimals_of(value, error)
    if is_whole and 0 < error < math.inf:
        count = max(count, min(place_of(error), 0))
    nearest = min(abs(low), abs(high))
    if low * high > 0 and error and math.isfinite(nearest):
        count = max(count, min(-math.floor(math.log10(nearest)), MOST_DECIMALS))
    return count


def measured(value: float, low: float, high: float, unit: str) -> str:
    """A value alone, with the digits that it has beside its interval: `27.9 k packets/s`."""
    to = scale([value], unit)
    value, low, high = (x / to.factor for x in (value, low, high))
    count = decimals_within(value, low, high, is_whole=to.is_whole)
    return f"{plain(value, count)} {to.unit}"


def within(value: float, low: float, high: float, to: Scale) -> str:
    """`30.1 ± 0.2`, or `30.1 (29.9 to 30.8)` where the sides differ; without the unit.

    ± is the longer side, rounded up: the interval is no wider than what is printed.
    """
    value, low, high = (x / to.factor for x in (value, low, high))
    count = decimals_within(value, low, high, is_whole=to.is_whole)
    below, above = max(value - low, 0.0), max(high - value, 0.0)
    if not (below or above):
        return plain(value, count)
    if abs(above - below) > LOPSIDED * max(below, above):
        between = DASH if low >= 0 else " to "
        return f"{plain(value, count)} ({plain(low, count)}{between}{plain(high, count)})"
    return f"{plain(value, count)} ± {plain(_rounded_up(max(below, above), count), count)}"


def quantity(value: float, unit: str) -> str:
    """One number with its unit: `30.1 k packets/s`, `1.24 ms`, `98 %`."""
    to = scale([value], unit)
    return f"{plain(value / to.factor, decimals_of(value / to.factor))} {to.unit}"


def nominal(value: float, unit: str) -> str:
    """A number that was set, not measured: `5 k packets/s`, `12.5 k packets/s`."""
    to = scale([value], unit)
    return f"{value / to.factor:g} {to.unit}"


def si(value: float, unit: str) -> str:
    """Three figures and a prefix: `30.5 k packets/s`, `20.5 Mbit/s`."""
    figures, prefix = _scaled(value)
    return f"{figures} {prefix}{'' if unit == 'bit/s' or not prefix else ' '}{unit}".rstrip()


def seconds(value: float) -> str:
    """A length of time for people: `12 s`, `3 min 05 s`, `2 h 10 min`."""
    whole = max(0, round(value))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def duration(ns: float) -> str:
    """A time that was measured, in three figures: `40.2 µs`."""
    factor, unit = next(((f, u) for f, u in TIMES if ns >= 0.9995 * f), (1.0, "ns"))
    return f"{ns / factor:.3g} {unit}"


def _rounded_up(error: float, count: int) -> float:
    step = 10.0**-count
    return math.ceil(error / step - 0.05) * step if math.isfinite(error) else error


def _scaled(value: float) -> tuple[str, str]:
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * factor:  # 999.6 is 1.00 k, not 1e+03
            scaled = value / factor
            return f"{scaled:.{2 if scaled < 9.995 else 1 if scaled < 99.95 else 0}f}", prefix
    return f"{value:.3g}", ""


def share(ratio: float) -> str:
    """A share with three figures: 99.8 %, 0.15 %."""
    return f"{100 * ratio:.3g} %"
