# SPDX-License-Identifier: Apache-2.0
"""The form of curves: a line with its band and markers for each arm, and rows over offered rate."""

from collections.abc import Mapping, Sequence
from typing import Any

from gatemark.judge.judgement import Judgement, Knee
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Row, three
from gatemark.tell.chart.vega import Part, Rows
from gatemark.tell.group import sweep

COLUMNS = {"arm": "setup", "direction": "direction", "offered_pps": "offered (packets/s)"}


def rows(judgement: Judgement, knees: Sequence[Knee], quantities: Sequence[str]) -> list[Row]:
    """One row for each point of these knees' sweeps, with these quantities and their intervals."""
    rows: list[Row] = []
    for knee in knees:
        for point in sweep.points_of(judgement, knee):
            row: Row = {"arm": knee.arm, "direction": knee.direction}
            row["offered_pps"] = sweep.offered_pps(point)
            for name in quantities:
                row |= three(name, point.values.get(name))
            rows.append(row | {"limit": point.limit})
    return rows


def directions(knees: Sequence[Knee]) -> list[str]:
    """The panels: each direction once, in the order of the plan."""
    return list(dict.fromkeys(knee.direction for knee in knees))


def line(
    base: Rows,
    field: str,
    scales: Mapping[str, Any],
    arms: Sequence[str],
    tips: Sequence[Part] = (),
    texts: Sequence[str] | None = None,
) -> list[Part]:
    """Band of the interval, line of the medians, a marker at each point.

    `texts` are the arms that a legend names; without it the theme decides.
    """
    color, at = theme.color(arms, texts), {"x": scales["x"], "y": scales["y"]}
    dash, shape = theme.dash(arms, texts), theme.shape(arms, texts)
    band = {"x": at["x"], "color": color, "opacity": 0.2}
    return [
        base.span("area", "y", field, at["y"]["title"], **band),
        base.mark("line", **at, color=color, strokeDash=dash, strokeWidth=2),
        dots(base, **at, color=color, shape=shape, tooltip=list(tips) or tooltip(field)),
    ]


def dots(base: Rows, **parts: Any) -> Part:
    """Filled markers."""
    return base.mark("point", **{"filled": True, "size": 38, "opacity": 1, **parts})


def tooltip(field: str) -> list[Part]:
    """What a pointer shows: arm, offered rate, value and interval."""
    form = ".1%" if field.endswith("busy") else ".4s"
    offered = vega.numbers("~s", {"offered_pps": "offered"})
    return [*vega.tips("arm"), *offered, *vega.interval(field, form)]
