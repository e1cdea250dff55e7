# SPDX-License-Identifier: Apache-2.0
"""The form of bars: rows under headings, names on the left, marks and values beside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Row, most
from gatemark.tell.chart.vega import Part, Rows, channel

ROW = 28  # pixels
LONGEST = 170  # pixels of a name
WIDEST = 300  # pixels of a heading
_HEADING = "substring(datum.value, 0, 1) == 'h'"
_CHARACTER = 6.6  # pixels of the value's font, at most
ZERO = "datum.value == 0 ? '0' : datum.label"  # a signed axis has no +0
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
    """Return whether a key is a heading's."""
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


def order(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """The keys of the rows for (group, name), with those of headings."""
    return keys(grouped(pairs))


def places(order: Sequence[str]) -> list[str]:
    """The keys of rows that have marks."""
    return [key for key in order if not is_heading(key)]


def side(order: Sequence[str], field: str = "key") -> Part:
    """The rows down the page, in this order; `headings` draws those that are none."""
    label = f"{_HEADING} ? '' : substring(datum.value, 5)"
    axis = {"labelExpr": label, "labelLimit": LONGEST, "ticks": False, "domain": False}
    return channel(f"{field}:N", sort=None, scale=vega.names(order), title=None, axis=axis)


def headings(order: Sequence[str], field: str = "key") -> list[Part]:
    """The headings, from the left of the names on over the whole row: none has marks."""
    rows = [{field: key, "heading": key[5:]} for key in order if is_heading(key)]
    if not rows:
        return []
    names = [len(key[5:]) for key in order if not is_heading(key)]
    left = vega.value(-min(LONGEST, max(names, default=0) * _NARROW))
    look = {"style": "heading", "align": "left", "limit": WIDEST}
    return vega.inline(*rows).haloed(x=left, y=side(order, field), text="heading:N", **look)


def down(description: str, order: Sequence[str], layers: Sequence[Part], row: int = ROW) -> Part:
    """A panel of such rows."""
    return vega.panel(description, [*layers, *headings(order)], row * len(order))


def room(texts: Sequence[str]) -> int:
    """Pixels that the longest of these labels needs behind its mark."""
    return round(max((len(text) for text in texts), default=0) * _CHARACTER) + 14


def across(rows: Sequence[Row], high: str) -> Part:
    """Where an axis from zero ends that has room for the `text` of these rows behind `high`."""
    return theme.end(most(rows, high), room([str(row["text"]) for row in rows]))


def ranked(base: Rows, name: str, x: Part, y: Part, **parts: Any) -> list[Part]:
    """Bars with their intervals, and values behind them."""
    return [
        base.mark("bar", x=x, y=y, **{"style": "bar", "height": {"band": 0.62}, **parts}),
        base.span("rule", "x", name, x["title"], y=y, style="whisker"),
        behind(base, f"{name}_hi", x["title"], y),
    ]


def behind(base: Rows, field: str, title: str, y: Part, **parts: Any) -> Part:
    """The `text` of each row behind its mark."""
    look = {"style": "value", "align": "left", "dx": 6, **parts}
    return base.mark("text", x=channel(f"{field}:Q", title=title), y=y, text="text:N", **look)


def stacked(base: Rows, x: Part, y: Part, field: str, parts: Sequence[str], **more: Any) -> Part:
    """Bars of parts that add up, a colour a part, in this order."""
    legend = {"columns": theme.columns(parts)}
    color = channel(f"{field}:N", scale=vega.names(parts), legend=legend, sort=None)
    return base.mark("bar", x=x, y=y, color=color, height={"band": 0.66}, **more)


def stack_axis(field: str, title: str, end: Part) -> Part:
    """From zero to the right, for bars of parts."""
    scale = {"domainMax": end}
    return channel(f"{field}:Q", title=title, axis=theme.si(5), stack="zero", scale=scale)


def differing(base: Rows, low: str, x: Part, y: Part, color: Part) -> list[Part]:
    """The noise as a band from `low` (less the noise) on, zero, and the whisker of a change."""
    field, title = x["field"], x["title"]
    band = {"x": channel(f"{low}:Q", title=title), "x2": "noise", "style": "noise", "opacity": 0.7}
    return [
        base.reckon(**{low: "-datum.noise"}).mark("rect", y=y, **band),
        vega.inline({field: 0}).mark("rule", x=x, style="zero"),
        base.span("rule", "x", field, title, y=y, color=color, strokeWidth=2),
    ]
