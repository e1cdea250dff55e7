# SPDX-License-Identifier: Apache-2.0
"""Rows under headings: names on the left, marks beside them; what bars and changes share."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from gatemark.report.chart import theme

ROW = 28  # pixels
LONGEST = 170  # pixels of a name
WIDEST = 300  # pixels of a heading
_HEADING = "substring(datum.value, 0, 1) == 'h'"
_CHARACTER = 6.6  # pixels of the value's font, at most
_NARROW = 5.0  # pixels of a name's font, at least


@dataclass(frozen=True, slots=True)
class Rung:
    """One row: a heading has no marks."""

    name: str
    is_heading: bool = False


def keys(rungs: Sequence[Rung]) -> list[str]:
    """A key for each row, unlike all others, that carries its name from the sixth letter on."""
    return [f"{'h' if r.is_heading else 'r'}{place:03d} {r.name}" for place, r in enumerate(rungs)]


def is_heading(key: str) -> bool:
    """Whether a key is a heading's."""
    return key.startswith("h")


def grouped(pairs: Sequence[tuple[str, str]]) -> list[Rung]:
    """Rows for (group, name), group by group, with a heading over a group whose rows have names.

    A row without a name is named as its group.
    """
    groups = list(dict.fromkeys(group for group, _ in pairs))
    made: list[Rung] = []
    for group in groups:
        names = [name for other, name in pairs if other == group]
        made += [Rung(group, is_heading=True)] if len(groups) > 1 and names[0] else []
        made += [Rung(name or group) for name in names]
    return made


def side(order: Sequence[str], field: str = "key") -> alt.Y:
    """The rows down the page, in this order; `headings` draws those that are none."""
    axis = alt.Axis(
        labelExpr=f"{_HEADING} ? '' : substring(datum.value, 5)",
        labelLimit=LONGEST,
        ticks=False,
        domain=False,
    )
    scale = alt.Scale(domain=list(order))
    return alt.Y(f"{field}:N", sort=None, scale=scale, title=None, axis=axis)


def headings(order: Sequence[str], field: str = "key") -> list[alt.Chart]:
    """The headings, from the left of the names on over the whole row: none has marks."""
    rows = [{field: key, "heading": key[5:]} for key in order if is_heading(key)]
    if not rows:
        return []
    names = [len(key[5:]) for key in order if not is_heading(key)]
    left = min(LONGEST, max(names, default=0) * _NARROW)
    text = alt.Chart(alt.InlineData(values=rows)).mark_text(
        style="heading", align="left", limit=WIDEST
    )
    return theme.haloed(text.encode(x=alt.value(-left), y=side(order, field), text="heading:N"))


def height(order: Sequence[str]) -> int:
    """Pixels for so many rows."""
    return ROW * len(order)


def room(texts: Sequence[str]) -> int:
    """Pixels that the longest of these labels needs behind its mark."""
    return round(max((len(text) for text in texts), default=0) * _CHARACTER) + 14
