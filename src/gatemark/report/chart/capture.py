# SPDX-License-Identifier: Apache-2.0
"""Loss, captured share and CPU against the offered rate, on a log axis: one panel each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

import altair as alt

from gatemark.report.answer import reference, watched
from gatemark.report.chart import curve, published, theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, named, three
from gatemark.report.group import sweep
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, PointResult, Watched
from gatemark.stats.point.capture import MODES, REFERENCE_BPS, is_most, rate_bps
from gatemark.stats.point.likeness import alike
from gatemark.store.published import Published

HEIGHT = 150
CLOSE, BESIDE = 0.12, 1.0  # a share, decades of the rate: names that are nearer lie on each other
RIGHT_BPS = 300e6  # markers from there on are named on their left


@dataclass(frozen=True, slots=True)
class Panel:
    """One quantity."""

    field: str
    heading: str
    axis: str
    whole: bool  # its axis goes to 100 %, whatever was measured


PANELS = (
    Panel("loss_ratio", "Lost from end to end", "lost", whole=False),
    Panel("captured_share", "Captured of what crossed the gateway's port", "captured", whole=True),
    Panel("cpu_busy", "The gateway's busiest CPU", "CPU busy", whole=True),
)
MODES_HEADING = "CPU by mode at 20 Mbit/s, as the gateway reads it"
TIPS = [
    alt.Tooltip("arm:N"),
    alt.Tooltip("offered:N"),
    *(alt.Tooltip(f"{panel.field}:Q", title=panel.axis, format=".2%") for panel in PANELS),
    alt.Tooltip("program_cpu:Q", title="of it the program", format=".2%"),
]


def figures(judgement: Judgement, values: Iterable[Published]) -> list[Figure]:
    """One for each plan whose gateway runs a program at several rates."""
    values = list(values)
    return [_figure(judgement, group, values) for group in watched.groups(judgement)]


def _figure(
    judgement: Judgement, results: Sequence[Watched], values: Sequence[Published]
) -> Figure:
    name = sweep.plain("-".join(["capture", results[0].plan, *map(str, results[0].point.values())]))
    arms = [result.arm for result in results]
    points = [point for result in results for point in _points(judgement, result)]
    rows = [_row(point) for point in points]
    modes = [row for point in points if rate_bps(point) == REFERENCE_BPS for row in _modes(point)]
    hollow = _hollow(points, values)
    columns = {"arm": "setup", "rate_bps": "offered payload (bit/s)"}
    for panel in PANELS:
        columns |= heads(panel.field, panel.axis, "ratio")
    columns |= heads("program_cpu", "CPU of the program", "ratio")
    for mode in MODES:
        columns |= heads(mode, f"CPU, {mode.removeprefix('cpu_')}", "ratio")
    markers = "Hollow markers: published values of other devices." if hollow else ""
    definition = (
        f"Against the offered rate of payload: {traffic.traffic(results[0].definition)}. "
        "Captured: by the program's own count. Line: median; band: its interval. Log axis."
    )
    return Figure(
        name=name,
        title=watched.finding(results),
        definition=f"{definition} {markers}".strip(),
        panels=tuple(
            (panel.heading, _panel(name, panel, rows, hollow, arms))
            for panel in PANELS
            if any(row[panel.field] is not None for row in rows)
        )
        + (((MODES_HEADING, _modes_panel(name, arms)),) if modes else ()),
        rows=rows,
        columns=columns | {"limit": "bottleneck"},
        plan=results[0].plan,
        extra={f"{name}-published": hollow} | ({f"{name}-modes": modes} if modes else {}),
    )


def _points(judgement: Judgement, arm: Watched) -> list[PointResult]:
    points = [
        point
        for point in judgement.points
        if (point.plan, point.arm) == (arm.plan, arm.arm)
        and rate_bps(point)
        and arm.point.items() <= point.point.items()
    ]
    return sorted(points, key=rate_bps)


def _row(point: PointResult) -> Row:
    rate = rate_bps(point)
    offered = number.nominal(rate, "bit/s")
    row: Row = {"arm": point.arm, "rate_bps": rate}
    row["offered"] = f"max: {offered}" if is_most(point) else offered
    for field in (*(panel.field for panel in PANELS), "program_cpu", *MODES):
        row |= three(field, point.values.get(field))
    return row | {"limit": point.limit}


def _modes(point: PointResult) -> list[Row]:
    """How the busiest CPU of the gateway was used, as it reads it itself."""
    return [
        {"arm": point.arm, "mode": mode.removeprefix("cpu_"), "share": point.values[mode].value}
        for mode in MODES
        if mode in point.values
    ]


def _hollow(points: Sequence[PointResult], values: Iterable[Published]) -> list[Row]:
    """Published values at a rate, of setups like one of ours."""
    definitions = [point.definition for point in points]
    rows: list[Row] = [
        {
            "field": value.quantity,
            "rate_bps": value.at_bps,
            "value": value.value,
            "device": value.device,
            "study": value.study,
            "printed": reference.printed(value),
            "differs": f"{value.experiment} {value.parameter}",
        }
        for value in values
        if value.at_bps
        and value.quantity in {panel.field for panel in PANELS}
        and any(alike(definition, value) for definition in definitions)
    ]
    for row in rows:
        row["named"] = _side(row, [row for row in rows if row.get("named")])
    return rows


def _side(row: Row, named: Sequence[Row]) -> str:
    """Where the device's name stands; nowhere if it would lie on another one."""
    rate, value = float(row["rate_bps"] or 0), float(row["value"] or 0)
    for other in named:
        apart = abs(log10(rate / float(other["rate_bps"] or 1)))
        near = abs(value - float(other["value"] or 0)) < CLOSE
        if row["field"] == other["field"] and near and apart < BESIDE:
            return ""
    return "left" if rate > RIGHT_BPS else "right"


def _panel(
    name: str, panel: Panel, rows: Sequence[Row], hollow: Sequence[Row], arms: Sequence[str]
) -> Chart:
    marks = [row for row in hollow if row["field"] == panel.field]
    rates = [float(row["rate_bps"] or 0) for row in (*rows, *marks)]
    ticks = sorted({float(row["rate_bps"] or 0) for row in rows})
    axis = alt.Axis(labelExpr="format(datum.value / 1e6, ',.3~r')", grid=False, values=ticks)
    scale = alt.Scale(type="log", domain=[min(rates) * 0.8, max(rates) * 1.25], nice=False)
    x = alt.X("rate_bps:Q", title="offered payload, Mbit/s", axis=axis, scale=scale)
    tops = [float(row[f"{panel.field}_hi"] or 0) for row in rows]
    tops += [float(row["value"] or 0) for row in marks]
    top = 1.05 if panel.whole else max([*tops, 0.01]) * 1.1
    kept = alt.Axis(format=".0%" if top > 0.05 else ".1%", tickCount=4)
    y = alt.Y(
        f"{panel.field}:Q",
        title=panel.axis,
        axis=kept,
        scale=alt.Scale(domain=[0, top], nice=False, clamp=True),
    )
    base = alt.Chart(named(name)).transform_filter(f"isValid(datum.{panel.field})")
    layers = curve.line(base, panel.field, {"x": x, "y": y}, arms, TIPS, texts=arms)
    devices = list(dict.fromkeys(str(row["device"]) for row in hollow))
    layers += _published(name, panel, {"x": x, "y": y}, devices)
    return alt.layer(*layers).properties(
        width="container",
        height=HEIGHT,
        description=f"{panel.heading} against the offered rate",
    )


def _modes_panel(name: str, arms: Sequence[str]) -> Chart:
    """A bar for each arm, stacked by mode."""
    bars = alt.Chart(named(f"{name}-modes")).mark_bar()
    stacked = bars.encode(
        y=alt.Y("arm:N", title=None, sort=list(arms)),
        x=alt.X("share:Q", title="CPU busy", axis=alt.Axis(format=".0%", tickCount=4)),
        color=alt.Color("mode:N", title=None, sort=[mode.removeprefix("cpu_") for mode in MODES]),
        tooltip=["arm:N", "mode:N", alt.Tooltip("share:Q", format=".1%")],
    )
    return alt.layer(stacked).properties(width="container", description=MODES_HEADING)


def _published(
    name: str, panel: Panel, scales: Mapping[str, Any], devices: Sequence[str]
) -> list[alt.Chart]:
    """The hollow markers of one panel: a device has its shape in all of them."""
    base = alt.Chart(named(f"{name}-published")).transform_filter(alt.datum.field == panel.field)
    x, y = scales["x"], scales["y"]
    at = alt.Y("value:Q", title=panel.axis, axis=y["axis"], scale=y["scale"])
    layers = []
    for place, device in enumerate(devices):
        shape = published.SHAPES[place % len(published.SHAPES)]
        layer = base.transform_filter(alt.datum.device == device)
        mark = layer.mark_point(style="published", shape=shape, filled=False, size=70)
        layers.append(mark.encode(x, at, tooltip=published.TIPS))
    for side, align, dx in theme.SIDES:
        named_layer = base.transform_filter(alt.datum.named == side)
        text = named_layer.mark_text(style="note", align=align, dx=dx, dy=-8)
        layers.append(text.encode(x, at, text="device:N"))
    return layers
