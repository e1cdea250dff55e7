# SPDX-License-Identifier: Apache-2.0
"""CPU against offered rate: a straight line to 100 % says that the CPU is the bottleneck."""

from collections.abc import Sequence

from gatemark.judge.judgement import Judgement, Knee
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

FULL = 0.97  # busy share from which a thread has no time left


def figure(judgement: Judgement, knees: Sequence[Knee]) -> Figure | None:
    """None where the gateway's CPU was not read."""
    rows = [
        row for row in curve.rows(judgement, knees, ["cpu_busy"]) if row["cpu_busy"] is not None
    ]
    if not rows:
        return None
    name = sweep.anchor("cpu", knees[0])
    arms = sweep.arms(knees)
    return Figure(
        name=name,
        title=title(judgement, knees),
        definition=(
            "Share of its own CPU that the gateway's busiest thread used, read from outside "
            f"(schedstat), against the offered rate: {traffic.traffic(knees[0].definition)}. "
            "Line: median; band: its interval."
        ),
        panels=tuple(
            (traffic.heading(way), _panel(name, way, rows, arms)) for way in curve.directions(knees)
        ),
        rows=rows,
        columns=curve.COLUMNS | heads("cpu_busy", "CPU busy", "ratio") | {"limit": "bottleneck"},
        plan=knees[0].plan,
        extra={f"{name}-names": _names(rows)},
    )


def title(judgement: Judgement, knees: Sequence[Knee]) -> str:
    """The finding: is the CPU full at every knee?"""
    busy = [
        at.values["cpu_busy"].value
        for at in (sweep.loaded(judgement, knee) for knee in knees)
        if at is not None and "cpu_busy" in at.values
    ]
    load = traffic.load(sweep.lead(knees)[0].definition)
    if busy and min(busy) >= FULL:
        return f"The gateway's CPU is full where each setup stops following: {load}"
    if busy:
        most = number.quantity(max(busy), "ratio")
        return f"The gateway's CPU is at most {most} busy where setups stop following: {load}"
    return "How busy is the gateway's CPU?"


def _names(rows: Sequence[Row]) -> list[Row]:
    """A place for each arm's name: the steepest line is named on its left, the others right.

    The place is the last point below 70 %, where lines have parted and are not yet flat.
    """
    kept: dict[tuple[object, object], Row] = {}
    for row in rows:
        key = (row["direction"], row["arm"])
        if key not in kept or float(row["cpu_busy"] or 0) < 0.7:
            kept[key] = row
    all_rows: list[Row] = []
    for way in dict.fromkeys(way for way, _ in kept):
        own_rows = [row for (w, _), row in kept.items() if w == way]
        own_rows.sort(key=lambda row: -_steep(row))
        names = ("arm", "direction", "offered_pps", "cpu_busy")
        all_rows += [
            {**{name: row[name] for name in names}, "side": "right" if place else "left"}
            for place, row in enumerate(own_rows)
        ]
    return all_rows


def _steep(row: Row) -> float:
    return float(row["cpu_busy"] or 0) / max(float(row["offered_pps"] or 0), 1.0)


def _panel(name: str, way: str, rows: Sequence[Row], arms: Sequence[str]) -> Part:
    x = theme.offered_axis(most(rows, "offered_pps"))
    axis = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    y = channel("cpu_busy:Q", title="CPU busy", axis=axis, scale={"domain": [0, 1.05]})
    layers = [vega.inline({"cpu_busy": 1}).mark("rule", y=y, style="ceiling")]
    layers += curve.line(vega.rows(name, direction=way), "cpu_busy", {"x": x, "y": y}, arms)
    for side, align, dx in theme.SIDES if theme.direct(arms) else ():
        base = vega.rows(f"{name}-names", direction=way, side=side)
        look = {"style": "label", "align": align, "dx": 1.5 * dx}
        layers.append(base.mark("text", x=x, y=y, text="arm:N", color=theme.color(arms), **look))
    return theme.panel(f"CPU busy against offered rate, {traffic.heading(way)}", *layers)
