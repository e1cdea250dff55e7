# SPDX-License-Identifier: Apache-2.0
"""Loss, captured share and CPU against the offered rate, on a log axis: one panel each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gatemark.judge.judgement import Judgement, PointResult, Watched
from gatemark.judge.point.capture import MODES, is_most, rate_bps
from gatemark.judge.point.likeness import alike
from gatemark.store.published import Published
from gatemark.tell.answer import reference, watched
from gatemark.tell.answer.watched import FULL
from gatemark.tell.chart import curve, published, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most, once, three
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

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
    *vega.tips("arm", "offered"),
    *vega.numbers(".2%", {panel.field: panel.axis for panel in PANELS}),
    *vega.numbers(".2%", {"program_cpu": "of it the program"}),
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
) -> tuple[tuple[str, Part], ...]:
    """The panels with something in them; the first has the legend of all."""
    shown = [panel for panel in PANELS if any(row[panel.field] is not None for row in rows)]
    devices = once(hollow, "device")
    made: list[tuple[str, Part]] = []
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
) -> Part:
    drawn = [row for row in rows if row[panel.field] is not None]
    marks = [row for row in hollow if row["field"] == panel.field]
    scales = _scales(panel, rows, drawn, marks)
    base = vega.rows(name).where(f"isValid(datum.{panel.field})")
    color = theme.color(arms, legend)
    theirs = vega.rows(f"{name}-published", field=panel.field)
    layers = [
        *curve.line(base.where(speed=SET), panel.field, scales, arms, TIPS, texts=legend),
        *_full_speed(base, panel, drawn, scales | {"shape": theme.shape(arms, legend)}, color),
        *_published(theirs, scales, once(hollow, "device"), color),
    ]
    return theme.panel(f"{panel.heading} against the offered rate", *layers, height=HEIGHT)


def _scales(
    panel: Panel, rows: Sequence[Row], drawn: Sequence[Row], marks: Sequence[Row]
) -> dict[str, Any]:
    """The rate on a log axis, all of ours in each panel, and the quantity from zero."""
    rates = [float(row["rate_bps"] or 0) for row in (*rows, *marks)]
    low, high = min(rates) * 0.8, max(rates) * 1.25
    axis = {
        "labelExpr": "format(datum.value / 1e6, ',.3~r')",
        "grid": False,
        "values": theme.decades(low, high) or sorted(set(rates)),
        "labelOverlap": True,
    }
    scale = theme.logarithmic(low, high)
    tops = max(most(drawn, f"{panel.field}_hi"), most(marks, "value"), 0.01)
    top = 1.05 if panel.whole else tops * 1.1
    percents = {"format": ".0%" if top > 0.05 else ".1%", "tickCount": 4}
    upwards = {"title": panel.axis, "axis": percents, "scale": between(0, top, clamp=True)}
    return {
        "x": channel("rate_bps:Q", title="offered payload, Mbit/s", axis=axis, scale=scale),
        "y": channel(f"{panel.field}:Q", **upwards),
    }


def _full_speed(
    base: Rows, panel: Panel, drawn: Sequence[Row], scales: Part, color: Part
) -> list[Part]:
    """Markers that no line joins, named before the first one where there are set rates too."""
    full = [row for row in drawn if row["speed"] == FULL]
    if not full:
        return []
    at = {"x": scales["x"], "color": color}
    marks, dot = base.where(speed=FULL), {"y": scales["y"], "shape": scales["shape"]}
    layers = [
        marks.span("rule", "y", panel.field, panel.axis, **at, strokeWidth=1.5),
        curve.dots(marks, **at, **dot, tooltip=TIPS),
    ]
    if len(full) == len(drawn):
        return layers
    first = min(full, key=lambda row: float(row["rate_bps"] or 0))
    place = {"rate_bps": first["rate_bps"], panel.field: first[panel.field], "text": FULL}
    text = {"x": scales["x"], "y": scales["y"], "text": "text:N", "align": "right", "dx": -8}
    return [*layers, *vega.inline(place).haloed(**text, style="note")]


def _modes_panel(name: str, arms: Sequence[str]) -> Part:
    """A bar for each arm, stacked by mode."""
    x = channel("share:Q", title="CPU busy", axis={"format": ".0%", "tickCount": 4})
    modes = [mode.removeprefix("cpu_") for mode in MODES]
    look = {"y": channel("arm:N", title=None, sort=list(arms)), "x": x}
    look |= {"color": channel("mode:N", title=None, sort=modes)}
    tips = [*vega.tips("arm", "mode"), *vega.numbers(".1%", {"share": ""})]
    bars = vega.rows(f"{name}-modes").mark("bar", **look, tooltip=tips)
    return {"layer": [bars], "width": "container", "description": MODES_HEADING}


def _published(base: Rows, scales: Part, devices: Sequence[str], color: Part) -> list[Part]:
    """The hollow markers of one panel: a device has its shape in all of them."""
    at = {"x": scales["x"], "y": scales["y"] | {"field": "value"}, "tooltip": published.TIPS}
    return [
        base.where(device=device)
        .where(f"{'' if of_an_arm else '!'}isValid(datum.arm)")
        .mark("point", **at, **published.LOOK, shape=shape, color=color if of_an_arm else None)
        for device, shape in published.shapes(devices).items()
        for of_an_arm in (True, False)
    ]
