# SPDX-License-Identifier: Apache-2.0
"""A fact in words: the entry of its code, with its values in the form that the entry asks for.

An entry is a text, or a pair of a text and its clause, which follows the name of a setup. In a
text, `{rate:pps}` is a value in a form of `FORMS`, and `{clause}` the fact's own clause. Or an
entry is a function that returns the words and the clause.
"""

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, Final

from gatemark.judge.fact import Fact, Text
from gatemark.number import duration, measured, quantity, share
from gatemark.tell.words.figure import grouped, ms, ordinal, percent, pps, upper

Entry = str | tuple[str, str]
Said = tuple[str, str]  # words, clause
Entries = Mapping[str, Entry | Callable[[Fact], Said]]
ENTRIES: Final[dict[str, Entry | Callable[[Fact], Said]]] = {}  # of all parts of this folder


def words(text: Text) -> str:
    """Return what is seen: a sentence or two, or the part of one."""
    return _both(text)[0]


def clause(text: Text) -> str:
    """Return the same in short, as it follows a setup: `loses 2.0 % at any rate`."""
    return _both(text)[1]


def _both(text: Text) -> Said:
    if isinstance(text, str):
        return text, text
    entry = ENTRIES[text.code]
    if callable(entry):
        return entry(text)
    whole, short = entry if isinstance(entry, tuple) else (entry, "")
    short = FORMATTER.vformat(short, (), text.values)
    return FORMATTER.vformat(whole, (), {**text.values, "clause": short}), short


FORMS: Final[Mapping[str, Callable[[Any], str]]] = {
    "clause": clause,
    "grouped": grouped,
    "mbps": lambda bps: f"{bps / 1e6:.3g} Mbit/s",
    "ms": ms,
    "ns": duration,
    "open": lambda text: words(text).removesuffix("."),
    "ordinal": ordinal,
    "percent": percent,
    "rate": lambda pps: quantity(pps, "packets/s"),
    "queries": lambda rate: quantity(rate, "queries/s"),
    "ratio": lambda share: quantity(abs(share), "ratio"),
    "pps": pps,
    "share": share,
    "whole": lambda ratio: f"{100 * ratio:.0f} %",
    "upper": lambda text: upper(words(text)),
}


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return ""
        if form := FORMS.get(format_spec):
            return form(value)
        return words(value) if isinstance(value, Fact) else format(value, format_spec)


FORMATTER: Final = _Formatter()


def joined(between: str) -> Callable[[Fact], Said]:
    """Return the entry of several facts or values, with a text between them."""

    def entry(several: Fact) -> Said:
        parts = (part if isinstance(part, Fact) else str(part) for part in several.values.values())
        return between.join(map(words, parts)), ""

    return entry


def rates(fact: Fact) -> Said:
    """Return a rate with the digits that its interval leaves it."""
    value, low, high = (number(fact, name) for name in ("value", "low", "high"))
    return (measured(value, low, high, "packets/s") if high > low else pps(value)), ""


def number(fact: Fact, name: str) -> float:
    """Return a value that is a number."""
    value = fact.values[name]
    assert isinstance(value, (int, float))
    return value
