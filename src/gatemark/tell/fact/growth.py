# SPDX-License-Identifier: Apache-2.0
"""Words of what grows over a soak: by how much an hour, and when it ends."""

from typing import Final

from gatemark.judge.fact import Fact
from gatemark.judge.math.trend import Trend
from gatemark.number import Scale, quantity, scale, seconds, within
from gatemark.tell.fact import say
from gatemark.tell.fact.say import Entries, Said
from gatemark.tell.words.figure import upper

HOUR_S: Final = 3600.0
BYTES: Final = (Scale(1e9, "GB"), Scale(1e6, "MB"), Scale(1e3, "kB"))


def _grows(verb: str, fact: Fact) -> Said:
    name, unit = str(fact.values["what"]), str(fact.values["unit"])
    value, low, high = (say.number(fact, key) for key in ("value", "low", "high"))
    to = _scale(value, unit)
    end = fact.values["end"]
    assert isinstance(end, Fact)
    rate = f"{within(value, low, high, to)} {to.unit}"
    short = f"{verb} by {quantity(value / to.factor, to.unit)} an hour"
    text = f"{name} {verb} by {rate} an hour, over {seconds(say.number(fact, 'hours') * HOUR_S)}"
    return f"{upper(text)}{say.words(end)}.", f"has {name} that {short}"


def rate(unit: str, seen: Trend) -> str:
    """Return by how much a reading changes an hour, with its interval."""
    to = _scale(max(abs(seen.lo), abs(seen.hi), abs(seen.slope)), unit)
    return f"{within(seen.slope, seen.lo, seen.hi, to)} {to.unit}"


def _scale(value: float, unit: str) -> Scale:
    if unit != "bytes":
        return scale([value], unit)
    return next((step for step in BYTES if value >= step.factor), BYTES[-1])


def _ends(fact: Fact) -> Said:
    hours = say.number(fact, "hours")
    text = f"{hours / 24:.3g} days" if hours >= 48 else f"{hours:.3g} hours"
    return f"; what is left ends in {text}, on {fact.values['day']}", ""


ENTRIES: Final[Entries] = {
    "grows.up": lambda fact: _grows("grows", fact),
    "grows.down": lambda fact: _grows("falls", fact),
    "grows.ends": _ends,
    "grows.on": "",
}
