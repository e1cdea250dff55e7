# SPDX-License-Identifier: Apache-2.0
"""Digits of a value in a text: as many as its interval warrants, in its base unit."""

import math
from typing import Final

from msgspec.structs import replace

from gatemark.number import place_of
from gatemark.stats.judgement import Value

FIGURES: Final = 6  # where no interval says how many are warranted


def rounded(value: Value) -> Value:
    """The same with its ends and its MDE rounded to one place; probabilities have six figures."""
    place = _place(value)
    return replace(
        value,
        value=_ends_at(value.value, place),
        lo=_ends_at(value.lo, place),
        hi=_ends_at(value.hi, place),
        mde=None if value.mde is None else _ends_at(value.mde, place),
        level=_figures(value.level),
        p=None if value.p is None else _figures(value.p),
    )


def _place(value: Value) -> int:
    """Decimals, fewer than none for tens and hundreds; a whole part without an error is kept."""
    error = max(value.value - value.lo, value.hi - value.value)
    if not 0 < error < math.inf:
        return _most(value.value)
    place = place_of(error)
    if value.lo * value.hi > 0:  # an end that is not zero does not become zero
        place = max(place, -_exponent(min(abs(value.lo), abs(value.hi))))
    return place


def _most(number: float) -> int:
    return max(0, FIGURES - 1 - _exponent(number))


def _figures(number: float) -> float:
    return round(number, _most(number))


def _exponent(number: float) -> int:
    return math.floor(math.log10(abs(number))) if number and math.isfinite(number) else 0


def _ends_at(number: float, place: int) -> float:
    """Rounded; a whole number where no decimals are left, so that none are printed."""
    if not math.isfinite(number):
        return number
    return round(number, place) if place > 0 else int(round(number, place))
