# SPDX-License-Identifier: Apache-2.0
"""Loss, captured share and CPU against the offered rate, on a log axis: one panel each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from gatemark.report.answer import reference, watched
from gatemark.report.answer.watched import FULL
from gatemark.report.chart import curve, published, theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, named, three
from gatemark.report.group import sweep
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, PointResult, Watched
from gatemark.stats.point.capture import MODES, is_most, rate_bps
from gatemark.stats.point.likeness import alike
from gatemark.store.published import Published

HEIGHT = 150
SET = "set"  # a rate that the plan names


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
MODES_HEADING = f"CPU by mode at {watched.REFERENCE}, as the gateway reads it"
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
    points = [point for result in results for point in watched.sweep(judgement, result)]
    rows = [_row(point) for point in points]
    modes = [row for result in results for row in _modes(result)]
    hollow = _hollow(points, values)
    return Figure(
        name=name,
        title=watched.finding(judgement, results),
        definition=_definition(results[0], rows, modes, hollow),
        panels=_panels(name, [result.arm for result in results], rows, modes, hollow),
        rows=rows,
        columns=_columns(),
        plan=results[0].plan,
        extra={f"{name}-published": hollow} | ({f"{name}-modes": modes} if modes else {}),
    )


def _columns() -> dict[str, str]:
    columns = {"arm": "setup", "speed": "rate", "rate_bps": "offered payload (bit/s)"}
    for panel in PANELS:
        columns |= heads(panel.field, panel.axis, "ratio")
    columns |= heads("program_cpu", "CPU of the program", "ratio")
    for mode in MODES:
        columns |= heads(mode, f"CPU, {mode.removeprefix('cpu_')}", "ratio")
    return columns | {"limit": "bottleneck"}


def _definition(
    first: Watched, rows: Sequence[Row], modes: Sequence[Row], hollow: Sequence[Row]
) -> str:
    parts = [
        f"Against the offered rate of payload: {traffic.traffic(first.definition)}. "
        "Captured: by the program's own count. Line: median; band: its interval. Log axis."
    ]
    if any(row["speed"] == FULL for row in rows):
        parts.append(f"{FULL.capitalize()}: all that the tester sends.")
        if any(row["speed"] == SET for row in rows):
            parts.append("No line leads there, as nothing was measured between.")
    if modes:
        parts.append(
            f"{watched.RESOLUTION}; a setup with fewer than {watched.FEWEST_TICKS} of them in a "
            "trial is left out."
        )
    if hollow:
        parts.append(
            "Hollow markers: published values of other devices, in the colour of the setup that "
            "they are of (of several runs the first); without one: of several setups."
        )
    return " ".join(parts)


def _panels(
    name: str,
    arms: Sequence[str],
    rows: Sequence[Row],
    modes: Sequence[Row],
    hollow: Sequence[Row],
) -> tuple[tuple[str, Chart], ...]:
    """Those with something in them; the first has the legend of all."""
    shown = [panel for panel in PANELS if any(row[panel.field] is not None for row in rows)]
    devices = list(dict.fromkeys(str(row["device"]) for row in hollow))
    made: list[tuple[str, Chart]] = []
    for panel in shown:
        legend = [] if made else arms
        made.append((panel.heading, _panel(name, panel, rows, hollow, arms, legend)))
    if devices:
        made.append((published.KEY_HEADING, published.key(devices)))
    if modes:
        made.append((MODES_HEADING, _modes_panel(name, arms)))
    return tuple(made)


def _row(point: PointResult) -> Row:
    rate = rate_bps(point)
    row: Row = {"arm": point.arm, "rate_bps": rate}
    if is_most(point):
        row |= {"speed": FULL, "offered": f"{FULL}: {number.quantity(rate, 'bit/s')}"}
    else:
        row |= {"speed": SET, "offered": number.nominal(rate, "bit/s")}
    for field in (*(panel.field for panel in PANELS), "program_cpu", *MODES):
        row |= three(field, point.values.get(field))
    return row | {"limit": point.limit}


def _modes(arm: Watched) -> list[Row]:
    """How the busiest CPU of the gateway was used, as it reads it itself."""
    return [
        {"arm": arm.arm, "mode": mode.removeprefix("cpu_"), "share": share}
        for mode, share in watched.modes(arm).items()
    ]


def _hollow(points: Sequence[PointResult], values: Iterable[Published]) -> list[Row]:
    """Published values at a rate, of setups like ours: with an arm, where it is like one setup."""
    fields = {panel.field for panel in PANELS}
    rows: list[Row] = []
    for value in values:
        like = [point for point in points if alike(point.definition, value)]
        if not (like and value.at_bps and value.quantity in fields):
            continue
        rows.append(
            {
                "field": value.quantity,
                "rate_bps": value.at_bps,
                "value": value.value,
                "device": value.device,
                "study": value.study,
                "printed": reference.printed(value),
                "differs": f"{value.experiment} {value.parameter}",
                "arm": like[0].arm if len({p.definition.features for p in like}) == 1 else None,
            }
        )
    return rows


def _panel(
    name: str,
    panel: Panel,
    rows: Sequence[Row],
    hollow: Sequence[Row],
    arms: Sequence[str],
    legend: Sequence[str],
) -> Chart:
    drawn = [row for row in rows if row[panel.field] is not None]
    marks = [row for row in hollow if row["field"] == panel.field]
    scales = _scales(panel, rows, drawn, marks)
    base = alt.Chart(named(name)).transform_filter(f"isValid(datum.{panel.field})")
    between = base.transform_filter(alt.datum.speed == SET)
    layers = curve.line(between, panel.field, scales, arms, TIPS, texts=legend)
    layers += _full_speed(base, panel, drawn, scales, (arms, legend))
    devices = list(dict.fromkeys(str(row["device"]) for row in hollow))
    layers += _published(name, panel, scales, devices, (arms, legend))
    return alt.layer(*layers).properties(
        width="container",
        height=HEIGHT,
        description=f"{panel.heading} against the offered rate",
    )


def _scales(
    panel: Panel, rows: Sequence[Row], drawn: Sequence[Row], marks: Sequence[Row]
) -> dict[str, Any]:
    """The rate on a log axis, all of ours in each panel, and the quantity from zero."""
    rates = [float(row["rate_bps"] or 0) for row in (*rows, *marks)]
    low, high = min(rates) * 0.8, max(rates) * 1.25
    axis = alt.Axis(
        labelExpr="format(datum.value / 1e6, ',.3~r')",
        grid=False,
        values=theme.decades(low, high) or sorted(set(rates)),
        labelOverlap=True,
    )
    scale = theme.logarithmic(low, high)
    tops = [float(row[f"{panel.field}_hi"] or 0) for row in drawn]
    tops += [float(row["value"] or 0) for row in marks]
    top = 1.05 if panel.whole else max([*tops, 0.01]) * 1.1
    return {
        "x": alt.X("rate_bps:Q", title="offered payload, Mbit/s", axis=axis, scale=scale),
        "y": alt.Y(
            f"{panel.field}:Q",
            title=panel.axis,
            axis=alt.Axis(format=".0%" if top > 0.05 else ".1%", tickCount=4),
            scale=alt.Scale(domain=[0, top], nice=False, clamp=True),
        ),
    }


def _full_speed(
    base: alt.Chart,
    panel: Panel,
    drawn: Sequence[Row],
    scales: Mapping[str, Any],
    looks: tuple[Sequence[str], Sequence[str]],
) -> list[alt.Chart]:
    """Markers that no line joins, named before the first one where there are set rates too."""
    full = [row for row in drawn if row["speed"] == FULL]
    if not full:
        return []
    x, y = scales["x"], scales["y"]
    color, shape = theme.color(*looks), theme.shape(*looks)
    marks = base.transform_filter(alt.datum.speed == FULL)
    low = alt.Y(f"{panel.field}_lo:Q", title=panel.axis)
    whisker = marks.mark_rule(strokeWidth=1.5).encode(x, low, alt.Y2(f"{panel.field}_hi:Q"), color)
    marked = marks.mark_point(filled=True, size=38, opacity=1)
    layers = [whisker, marked.encode(x, y, color, shape, tooltip=TIPS)]
    if len(full) == len(drawn):
        return layers
    first = min(full, key=lambda row: float(row["rate_bps"] or 0))
    place = {"rate_bps": first["rate_bps"], panel.field: first[panel.field], "text": FULL}
    text = alt.Chart(alt.InlineData(values=[place])).mark_text(style="note", align="right", dx=-8)
    return [*layers, *theme.haloed(text.encode(x, y, text="text:N"))]


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
    name: str,
    panel: Panel,
    scales: Mapping[str, Any],
    devices: Sequence[str],
    looks: tuple[Sequence[str], Sequence[str]],
) -> list[alt.Chart]:
    """The hollow markers of one panel: a device has its shape in all of them."""
    base = alt.Chart(named(f"{name}-published")).transform_filter(alt.datum.field == panel.field)
    x, y = scales["x"], scales["y"]
    at = alt.Y("value:Q", title=panel.axis, axis=y["axis"], scale=y["scale"])
    layers = []
    for device, shape in published.shapes(devices).items():
        own = base.transform_filter(alt.datum.device == device)
        for of_an_arm in (True, False):
            layer = own.transform_filter(f"{'' if of_an_arm else '!'}isValid(datum.arm)")
            mark = layer.mark_point(style="published", shape=shape, filled=False, size=70)
            color = {"color": theme.color(*looks)} if of_an_arm else {}
            layers.append(mark.encode(x, at, tooltip=published.TIPS, **color))
    return layers
