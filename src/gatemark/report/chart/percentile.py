# SPDX-License-Identifier: Apache-2.0
"""Delay by percentile on an axis of nines: at a low rate, near the knee and in overload."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from gatemark.report import number, sweep, word
from gatemark.report.chart import curve, theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, three
from gatemark.stats.judgement import Judgement, Knee, PointResult

NEAR = (0.75, 1.0)  # of the knee: between them a rate is near it
BEST = 0.9  # of the knee: the rate that is wanted
DODGE = 5  # pixels between the whiskers of two arms
BEYOND = 1.2  # times the knee: from there on it is overload
# Each percentile at -log10 of what is above it; the largest has no place of its own there.
PLACES = {"p50": 0.301, "p90": 1.0, "p99": 2.0, "p999": 3.0, "max": 3.7}
NAMES = {"p50": "50 %", "p90": "90 %", "p99": "99 %", "p999": "99.9 %", "max": "max"}
LOADS = {"low": "low rate", "near": "near the knee", "over": "overload"}
_WHEN = {"low": "at a low rate", "near": "near the knee", "over": "in overload"}
_SHORT = {"low": "low rate", "near": "near knee", "over": "overload"}
ROOM = 62  # pixels for these
_TAIL = "delay_p999_ns"
_THREE = ("delay_ns", "delay_ns_lo", "delay_ns_hi")
_TIPS = [
    *(alt.Tooltip(f"{name}:N") for name in ("arm", "load", "percentile")),
    alt.Tooltip("offered_pps:Q", title="offered", format="~s"),
    alt.Tooltip("delay_ns:Q", title="median, ns", format=".4s"),
    alt.Tooltip("delay_ns_lo:Q", title="low, ns", format=".4s"),
    alt.Tooltip("delay_ns_hi:Q", title="high, ns", format=".4s"),
]


@dataclass(frozen=True, slots=True)
class Load:
    """One line: an arm at one of the loads."""

    knee: Knee
    load: str  # of LOADS
    point: PointResult


def figure(judgement: Judgement, knees: Sequence[Knee]) -> Figure | None:
    """A panel for each direction, a line for each arm and load; None without percentiles."""
    drawn = [one for knee in knees for one in loads(judgement, knee)]
    if not drawn:
        return None
    name = sweep.anchor("percentile", knees[0])
    rows = [row for one in drawn for row in _rows(one)]
    columns = {"arm": "setup", "direction": "direction", "load": "load"}
    columns |= {"offered_pps": "offered (packets/s)", "percentile": "percentile"}
    arms = sweep.arms(knees)
    return Figure(
        name=name,
        title=title(drawn),
        definition=(
            "How long the slowest packets take: one-way delay by percentile, "
            f"{word.traffic(knees[0].definition)}. Each nine further right is a tenth of the "
            f"packets. {_told(drawn)} Line: median; whisker: its interval. Log axis."
        ),
        panels=tuple(
            (word.heading(way), _panel(name, way, rows, arms))
            for way in curve.directions(knees)
            if any(row["direction"] == way for row in rows)
        ),
        rows=rows,
        columns=columns | heads("delay_ns", "delay", "ns"),
        plan=knees[0].plan,
    )


def title(drawn: Sequence[Load]) -> str:
    """The finding: the slowest packet of a thousand, of the first arm that tells it."""
    told = [one for one in drawn if _TAIL in one.point.values]
    mine = [one for one in told if one.knee is told[0].knee]
    if not mine:
        return "How long do the slowest packets take?"
    parts = [
        f"{number.quantity(one.point.values[_TAIL].value, 'ns')} {_WHEN[one.load]}" for one in mine
    ]
    who = (
        f"{mine[0].knee.arm}, {word.DIRECTION.get(mine[0].knee.direction, mine[0].knee.direction)}"
    )
    return f"One packet in a thousand takes at least {', '.join(parts)} ({who})"


def loads(judgement: Judgement, knee: Knee) -> list[Load]:
    """The points of a sweep that are drawn: those of these loads that were measured."""
    points = [p for p in sweep.points_of(judgement, knee) if "delay_p50_ns" in p.values]
    most = knee.knee_pps.value
    if not most:  # it lost at every rate: none is below the knee, none near it
        return []
    part = {id(point): sweep.offered_pps(point) / most for point in points}
    near = [point for point in points if NEAR[0] <= part[id(point)] <= NEAR[1]]
    found = {
        "low": next((p for p in points if part[id(p)] < NEAR[0]), None),
        "near": min(near, key=lambda point: abs(part[id(point)] - BEST), default=None),
        "over": next((p for p in reversed(points) if part[id(p)] >= BEYOND), None),
    }
    return [Load(knee, load, point) for load, point in found.items() if point is not None]


def _told(drawn: Sequence[Load]) -> str:
    """The loads in packets/s: `Low rate: 5 k packets/s; near the knee: 25 k packets/s.`"""
    parts = []
    for load, text in LOADS.items():
        rates = sorted({sweep.offered_pps(one.point) for one in drawn if one.load == load})
        ends = [number.nominal(rate, "packets/s") for rate in (*rates[:1], *rates[1:][-1:])]
        parts += [f"{text}: {' to '.join(ends)}"] if ends else []
    return f"{'; '.join(parts)}.".capitalize()


def _rows(one: Load) -> Iterator[Row]:
    for short, place in PLACES.items():
        measured = one.point.values.get(f"delay_{short}_ns")
        if measured is not None:
            row: Row = {"arm": one.knee.arm, "direction": one.knee.direction, "load": one.load}
            row["offered_pps"] = sweep.offered_pps(one.point)
            row |= {"percentile": NAMES[short], "place": place}
            yield row | three("delay_ns", measured)


def _panel(name: str, way: str, rows: Sequence[Row], arms: Sequence[str]) -> Chart:
    expr = " : ".join(f"datum.value == {place} ? '{NAMES[n]}'" for n, place in PLACES.items())
    axis = alt.Axis(values=list(PLACES.values()), labelExpr=f"{expr} : ''", grid=False)
    end = alt.ExprRef(f"3.8 * width / max(width - {ROOM}, 40)")
    scale = alt.Scale(domain=[0, end], nice=False)
    x = alt.X("place:Q", title="of the packets are no slower", axis=axis, scale=scale)
    y = theme.delay_axis("delay_ns", [float(row[n] or 1) for row in rows for n in _THREE])
    layers: list[alt.Chart] = []
    for place, arm in enumerate(arms):
        base = curve.only(name, way).transform_filter(alt.datum.arm == arm)
        layers += _lines(base, {"x": x, "y": y}, arms, DODGE * (place - (len(arms) - 1) / 2))
    layers += _names([row for row in rows if row["direction"] == way], x, y)
    return alt.layer(*layers).properties(
        width="container",
        height=theme.HEIGHT,
        description=f"One-way delay by percentile, {word.heading(way)}",
    )


def _lines(
    base: alt.Chart, scales: Mapping[str, Any], arms: Sequence[str], aside: float
) -> list[alt.Chart]:
    """An arm's lines with a whisker at each point, a little aside of the other arms'."""
    x, y = scales["x"], scales["y"]
    told = list(arms) if len(arms) > 1 else []
    color, shape = theme.color(arms, told), theme.shape(arms, told)
    low, high = alt.Y("delay_ns_lo:Q", title=y["title"]), alt.Y2("delay_ns_hi:Q")
    line = base.mark_line(strokeWidth=2, xOffset=aside)
    point = base.mark_point(filled=True, size=38, opacity=1, xOffset=aside)
    return [
        base.mark_rule(strokeWidth=1.5, opacity=0.6, xOffset=aside).encode(x, low, high, color),
        line.encode(x, y, color, theme.dash(arms, told), detail="load:N"),
        point.encode(x, y, color, shape, tooltip=_TIPS),
    ]


def _names(rows: Sequence[Row], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Each load's name behind the right end of its lowest line."""
    found: dict[object, Row] = {}
    for row in rows:
        last = found.get(row["load"])
        if last is None or _end(row) < _end(last):
            found[row["load"]] = row
    values = [
        {"place": row["place"], "delay_ns": row["delay_ns"], "text": _SHORT[str(row["load"])]}
        for row in found.values()
    ]
    text = alt.Chart(alt.InlineData(values=values)).mark_text(
        style="note", align="left", baseline="middle", dx=9
    )
    return [text.encode(x, y, text="text:N")]


def _end(row: Row) -> tuple[float, float]:
    """Furthest right first, then lowest."""
    return -float(row["place"] or 0), float(row["delay_ns"] or 0)
