# SPDX-License-Identifier: Apache-2.0
"""Delay by percentile on an axis of nines: at a low rate, near the knee and in overload."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import Any

from gatemark.judge.judgement import Judgement, Knee
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, three
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.group.latency import NAMES, PARTS, Load, loads
from gatemark.tell.words import number, traffic

DODGE = 5  # pixels between the whiskers of two arms
# Each percentile at -log10 of what is above it; the largest has no place of its own there.
PLACES = {name: round(-log10(part), 3) for name, part in PARTS.items()}
MAX = 0.7  # it stands so far right of the last percentile
LOADS = {"low": "low rate", "near": "near the knee", "over": "overload"}
_WHEN = {"low": "at a low rate", "near": "near the knee", "over": "in overload"}
_SHORT = {"low": "low rate", "near": "near knee", "over": "overload"}
ROOM = 62  # pixels for these
_TAILS = {"delay_p999_ns": "a thousand", "delay_p99_ns": "a hundred"}
_THREE = ("delay_ns", "delay_ns_lo", "delay_ns_hi")
_TIPS = [
    *vega.tips("arm", "load", "percentile"),
    *vega.numbers("~s", {"offered_pps": "offered"}),
    *vega.interval("delay_ns"),
]


def figure(judgement: Judgement, knees: Sequence[Knee]) -> Figure | None:
    """A panel for each direction, a line for each arm and load; None without percentiles."""
    drawn = loads(judgement, knees)
    if not drawn:
        return None
    name = sweep.anchor("percentile", knees[0])
    places = _places(drawn)
    rows = [row for load in drawn for row in _rows(load, places)]
    columns = {"arm": "setup", "direction": "direction", "load": "load"}
    columns |= {"offered_pps": "offered (packets/s)", "percentile": "percentile"}
    arms = sweep.arms(knees)
    return Figure(
        name=name,
        title=title(drawn),
        definition=(
            "How long the slowest packets take: one-way delay by percentile, "
            f"{traffic.traffic(knees[0].definition)}. Each nine further right is a tenth of the "
            f"packets. {_printed(drawn)} Line: median; whisker: its interval. Log axis."
        ),
        panels=tuple(
            (traffic.heading(way), _panel(name, way, rows, {"arms": arms, "places": places}))
            for way in curve.directions(knees)
            if any(row["direction"] == way for row in rows)
        ),
        rows=rows,
        columns=columns | heads("delay_ns", "delay", "ns"),
        plan=knees[0].plan,
    )


def title(drawn: Sequence[Load]) -> str:
    """The finding: the slowest packet of a thousand, or of a hundred, of the first arm."""
    first = drawn[0]
    loads = [load for load in drawn if (load.arm, load.direction) == (first.arm, first.direction)]
    for tail, many in _TAILS.items():
        if all(tail in load.point.values for load in loads):
            parts = [
                f"{number.quantity(load.point.values[tail].value, 'ns')} {_WHEN[load.load]}"
                for load in loads
            ]
            who = f"{first.arm}, {traffic.load(first.point.definition)}"
            return f"One packet in {many} takes at least {', '.join(parts)}: {who}"
    return "How long do the slowest packets take?"


def _printed(drawn: Sequence[Load]) -> str:
    """The loads in packets/s: `Low rate: 5 k packets/s; near the knee: 25 k packets/s.`"""
    parts = []
    for load, text in LOADS.items():
        rates = sorted(
            {sweep.offered_pps(this_load.point) for this_load in drawn if this_load.load == load}
        )
        ends = [number.nominal(rate, "packets/s") for rate in (*rates[:1], *rates[1:][-1:])]
        parts += [f"{text}: {' to '.join(ends)}"] if ends else []
    return f"{'; '.join(parts)}.".capitalize()


def _places(drawn: Sequence[Load]) -> dict[str, float]:
    """Where each percentile stands that any of these points has, the largest behind the last."""
    known = {name for load in drawn for name in NAMES if f"delay_{name}_ns" in load.point.values}
    values = {name: place for name, place in PLACES.items() if name in known}
    return values | {"max": max(values.values()) + MAX}


def _rows(load: Load, places: Mapping[str, float]) -> Iterator[Row]:
    for short, place in places.items():
        measured = load.point.values.get(f"delay_{short}_ns")
        if measured is not None:
            row: Row = {"arm": load.arm, "direction": load.direction, "load": load.load}
            row["offered_pps"] = sweep.offered_pps(load.point)
            row |= {"percentile": NAMES[short], "place": place}
            yield row | three("delay_ns", measured)


def _panel(name: str, way: str, rows: Sequence[Row], over: Mapping[str, Any]) -> Part:
    places: Mapping[str, float] = over["places"]
    expr = " : ".join(f"datum.value == {place} ? '{NAMES[n]}'" for n, place in places.items())
    axis = {"values": list(places.values()), "labelExpr": f"{expr} : ''", "grid": False}
    end = f"{max(places.values()) + 0.1:g} * width / max(width - {ROOM}, 40)"
    scale = between(0, vega.expression(end))
    x = channel("place:Q", title="of the packets are no slower", axis=axis, scale=scale)
    y = theme.delay_axis("delay_ns", [float(row[n] or 1) for row in rows for n in _THREE])
    layers: list[Part] = []
    arms: Sequence[str] = over["arms"]
    for place, arm in enumerate(arms):
        base = vega.rows(name, direction=way, arm=arm)
        layers += _lines(base, {"x": x, "y": y}, arms, DODGE * (place - (len(arms) - 1) / 2))
    layers.append(_names([row for row in rows if row["direction"] == way], x, y))
    return theme.panel(f"One-way delay by percentile, {traffic.heading(way)}", *layers)


def _lines(base: Rows, at: Part, arms: Sequence[str], aside: float) -> list[Part]:
    """An arm's lines with a whisker at each point, a little aside of the other arms'."""
    texts = list(arms) if len(arms) > 1 else []
    color = {"color": theme.color(arms, texts), "xOffset": aside}
    whisker = {"x": at["x"], "strokeWidth": 1.5, "opacity": 0.6}
    line = {"strokeDash": theme.dash(arms, texts), "detail": "load:N", "strokeWidth": 2}
    return [
        base.span("rule", "y", "delay_ns", at["y"]["title"], **whisker, **color),
        base.mark("line", **at, **line, **color),
        curve.dots(base, **at, shape=theme.shape(arms, texts), tooltip=_TIPS, **color),
    ]


def _names(rows: Sequence[Row], x: Part, y: Part) -> Part:
    """Each load's name behind the right end of its lowest line."""
    texts: dict[object, Row] = {}
    for row in rows:
        last = texts.get(row["load"])
        if last is None or _end(row) < _end(last):
            texts[row["load"]] = row
    values = [
        {"place": row["place"], "delay_ns": row["delay_ns"], "text": _SHORT[str(row["load"])]}
        for row in texts.values()
    ]
    look = {"style": "note", "align": "left", "baseline": "middle", "dx": 9}
    return vega.inline(*values).mark("text", x=x, y=y, text="text:N", **look)


def _end(row: Row) -> tuple[float, float]:
    """Furthest right first, then lowest."""
    return -float(row["place"] or 0), float(row["delay_ns"] or 0)
