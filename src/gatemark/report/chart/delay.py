# SPDX-License-Identifier: Apache-2.0
"""One-way delay against offered rate: median and 99th percentile, on a log axis."""

from collections.abc import Sequence
from dataclasses import replace

import altair as alt

from gatemark.report.chart import curve, theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads
from gatemark.report.group import sweep
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, Knee, PointResult

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
    columns = {"arm": "setup", "direction": "direction", "offered_pps": "offered (packets/s)"}
    for quantity, short in QUANTILES.items():
        columns |= heads(quantity, f"delay {short}", "ns")
    made = Figure(
        name=name,
        title=title(judgement, knees),
        definition=(
            "One-way delay of every packet that arrived, against the offered rate: "
            f"{traffic.traffic(knees[0].definition)}. Thick: median (p50); thin: 99th percentile "
            "(p99); bands: their intervals. Log axis."
        ),
        panels=(),
        rows=rows,
        columns=columns,
        plan=knees[0].plan,
        extra={f"{name}-names": _names(rows)},
    )
    arms = sweep.arms(knees)
    ways = curve.directions(knees)
    return replace(
        made, panels=tuple((traffic.heading(w), _panel(name, w, rows, arms)) for w in ways)
    )


def title(judgement: Judgement, knees: Sequence[Knee]) -> str:
    """The finding: what the median is when idle, and when it cannot follow."""
    delays = sweep.delays(judgement, knees)
    if delays is None:
        return "How long does a packet take?"
    knee, points = delays
    light, heavy = (number.quantity(p.values["delay_p50_ns"].value, "ns") for p in _ends(points))
    who = f"{knee.arm}, " if len(sweep.arms(knees)) > 1 else ""
    what = f"{who}{traffic.load(knee.definition)}"
    return (
        f"A packet takes {light} through an idle gateway, {heavy} through an overloaded one: {what}"
    )


def _ends(points: Sequence[PointResult]) -> tuple[PointResult, PointResult]:
    return points[0], points[-1]


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


def _panel(name: str, way: str, rows: Sequence[Row], arms: Sequence[str]) -> Chart:
    right = max(float(row["offered_pps"] or 0) for row in rows)
    x = theme.offered_axis(right)
    values = [float(v) for row in rows for q in QUANTILES if (v := row[q]) is not None]
    base = curve.only(name, way)
    y50, y99 = (theme.delay_axis(quantity, values) for quantity in QUANTILES)
    band = base.mark_area(opacity=0.15).encode(
        x, alt.Y("delay_p99_ns_lo:Q", title="one-way delay"), alt.Y2("delay_p99_ns_hi:Q"),
        theme.color(arms),
    )  # fmt: skip
    thin = base.mark_line(strokeWidth=1).encode(x, y99, theme.color(arms), theme.dash(arms))
    layers = [band, thin, *curve.line(base, "delay_p50_ns", {"x": x, "y": y50}, arms)]
    return alt.layer(*layers, *_labels(name, way, arms, x, y50)).properties(
        width="container",
        height=theme.HEIGHT,
        description=f"One-way delay against offered rate, {traffic.heading(way)}",
    )


def _labels(name: str, way: str, arms: Sequence[str], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    if not theme.direct(arms):
        return []
    high = curve.only(f"{name}-names", way).transform_filter(alt.datum.place == 0)
    thin = high.mark_text(style="note", align="left", dy=-9, dx=-4).encode(
        x, alt.Y("delay_p99_ns:Q"), text=alt.value("p99")
    )
    return [thin] + [
        curve.only(f"{name}-names", way)
        .transform_filter(alt.datum.place == place)
        .mark_text(style="label", align="left", dy=14 + 15 * place, dx=-4)
        .encode(x, y, text="arm:N", color=theme.color(arms))
        for place in range(len(arms))
    ]
