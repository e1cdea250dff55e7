# SPDX-License-Identifier: Apache-2.0
"""Rows and layers that all figures over the offered rate share: one line with band per arm."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from gatemark.report.chart import theme
from gatemark.report.chart.figure import Row, named, three
from gatemark.report.group import sweep
from gatemark.stats.judgement import Judgement, Knee


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


def only(name: str, direction: str) -> alt.Chart:
    """A chart on those rows of a figure's data that belong to one direction."""
    return alt.Chart(named(name)).transform_filter(alt.datum.direction == direction)


def line(
    base: alt.Chart,
    field: str,
    scales: Mapping[str, Any],
    arms: Sequence[str],
    tips: Sequence[alt.Tooltip] = (),
    texts: Sequence[str] | None = None,
) -> list[alt.Chart]:
    """Band of the interval, line of the medians, a marker at each point.

    `told` are the arms that a legend names; without it the theme decides.
    """
    x, y = scales["x"], scales["y"]
    band = base.mark_area(opacity=0.2).encode(
        x,
        alt.Y(f"{field}_lo:Q", title=y["title"]),
        alt.Y2(f"{field}_hi:Q"),
        theme.color(arms, texts),
    )
    drawn = base.mark_line(strokeWidth=2).encode(
        x, y, theme.color(arms, texts), theme.dash(arms, texts)
    )
    marked = base.mark_point(filled=True, size=38, opacity=1).encode(
        x,
        y,
        theme.color(arms, texts),
        theme.shape(arms, texts),
        tooltip=list(tips) or tooltip(field),
    )
    return [band, drawn, marked]


def tooltip(field: str) -> list[alt.Tooltip]:
    """What a pointer shows: arm, offered rate, value and interval."""
    form = ".1%" if field.endswith("busy") else ".4s"
    shown = [alt.Tooltip("arm:N"), alt.Tooltip("offered_pps:Q", title="offered", format="~s")]
    names = {field: "median", f"{field}_lo": "low", f"{field}_hi": "high"}
    return [*shown, *(alt.Tooltip(f"{n}:Q", title=t, format=form) for n, t in names.items())]
