# SPDX-License-Identifier: Apache-2.0
"""One-way delay against offered rate: median and 99th percentile, on a log axis."""

from collections.abc import Sequence

from gatemark.judge.judgement import Judgement, Knee
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most
from gatemark.tell.chart.vega import Part, Rows, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

QUANTILES = {"delay_p50_ns": "p50", "delay_p99_ns": "p99"}


def figure(judgement: Judgement, knees: Sequence[Knee]) -> Figure | None:
    """None where no delay was measured."""
    rows = [
        row
        for row in curve.rows(judgement, knees, list(QUANTILES))
        if row["delay_p50_ns"] is not None
    ]
    if not rows:
        return None
    name = sweep.anchor("delay", knees[0])
    arms, columns = sweep.arms(knees), dict(curve.COLUMNS)
    for quantity, short in QUANTILES.items():
        columns |= heads(quantity, f"delay {short}", "ns")
    return Figure(
        name=name,
        title=title(judgement, knees),
        definition=(
            "One-way delay of every packet that arrived, against the offered rate: "
            f"{traffic.traffic(knees[0].definition)}. Thick: median (p50); thin: 99th percentile "
            "(p99); bands: their intervals. Log axis."
        ),
        panels=tuple(
            (traffic.heading(way), _panel(name, way, rows, arms)) for way in curve.directions(knees)
        ),
        rows=rows,
        columns=columns,
        plan=knees[0].plan,
        extra={f"{name}-names": _names(rows)},
    )


def title(judgement: Judgement, knees: Sequence[Knee]) -> str:
    """The finding: what the median is when idle, and when it cannot follow."""
    delays = sweep.delays(judgement, knees)
    if delays is None:
        return "How long does a packet take?"
    knee, points = delays
    light, heavy = (
        number.quantity(p.values["delay_p50_ns"].value, "ns") for p in (points[0], points[-1])
    )
    who = f"{knee.arm}, " if len(sweep.arms(knees)) > 1 else ""
    what = f"{who}{traffic.load(knee.definition)}"
    return (
        f"A packet takes {light} through an idle gateway, {heavy} through an overloaded one: {what}"
    )


def _names(rows: Sequence[Row]) -> list[Row]:
    """Each arm's name at the first point of its median, below and above by turns."""
    first: dict[tuple[object, object], Row] = {}
    for row in rows:
        first.setdefault((row["arm"], row["direction"]), row)
    order = list(dict.fromkeys(row["arm"] for row in rows))
    names = ("arm", "direction", "offered_pps", "delay_p50_ns", "delay_p99_ns")
    return [
        {**{name: row[name] for name in names}, "place": float(order.index(row["arm"]))}
        for row in first.values()
    ]


def _panel(name: str, way: str, rows: Sequence[Row], arms: Sequence[str]) -> Part:
    x = theme.offered_axis(most(rows, "offered_pps"))
    values = [float(v) for row in rows for q in QUANTILES if (v := row[q]) is not None]
    base, color, dash = vega.rows(name, direction=way), theme.color(arms), theme.dash(arms)
    y50, y99 = (theme.delay_axis(quantity, values) for quantity in QUANTILES)
    layers = [
        base.span("area", "y", "delay_p99_ns", "one-way delay", x=x, color=color, opacity=0.15),
        base.mark("line", x=x, y=y99, color=color, strokeDash=dash, strokeWidth=1),
        *curve.line(base, "delay_p50_ns", {"x": x, "y": y50}, arms),
        *(_labels(vega.rows(f"{name}-names", direction=way), arms, x, y50)),
    ]
    return theme.panel(f"One-way delay against offered rate, {traffic.heading(way)}", *layers)


def _labels(base: Rows, arms: Sequence[str], x: Part, y: Part) -> list[Part]:
    if not theme.direct(arms):
        return []
    at = {"x": x, "y": channel("delay_p99_ns:Q"), "text": vega.value("p99")}
    thin = base.where(place=0).mark("text", **at, style="note", align="left", dy=-9, dx=-4)
    at = {"x": x, "y": y, "color": theme.color(arms)}
    look = {"style": "label", "align": "left", "dx": -4}
    return [thin] + [
        base.where(place=place).mark("text", **at, **look, text="arm:N", dy=14 + 15 * place)
        for place in range(len(arms))
    ]
