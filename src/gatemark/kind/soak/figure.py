# SPDX-License-Identifier: Apache-2.0
"""A soak over its hours: what was read behind each sample, and the line of its trend."""

from collections.abc import Iterator
from typing import Final

from gatemark.judge.point.group import Group
from gatemark.kind.soak.answer import drifting, soaks
from gatemark.kind.soak.drift import Drift
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Figures, Panel, Row, finite
from gatemark.tell.chart.vega import channel
from gatemark.tell.group import sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

MOST: Final = 8  # readings of a setup that are drawn: those that grow, then the first
COLUMNS: Final = {
    "reading": "reading",
    "hours": "time (h)",
    "value": "value",
    "line": "its trend",
}


def figures(source: Source) -> Iterator[Figure]:
    """One for each point."""
    for trials in soaks(source):
        if every := drifting(source, trials):
            yield _figure(trials, every)


def _figure(trials: Group, every: list[Drift]) -> Figure:
    shown = [drift for drift in every if drift.is_growing or not drift.what.holder][:MOST]
    name = sweep.plain(
        "-".join(("soak", trials.plan, trials.arm, *map(str, trials.point.values())))
    )
    grown = [drift.what.name for drift in every if drift.is_growing]
    title = f"{trials.setup}: {', '.join(grown)} grows" if grown else f"{trials.setup}: all steady"
    return Figure(
        name=name,
        title=title,
        definition="Blocks of samples, by medians, without the first fifth of the soak. Line: the "
        f"slope by Theil and Sen. {traffic.traffic(trials.definition)}.",
        panels=tuple(_panel(name, drift) for drift in shown),
        rows=[row for drift in shown for row in _rows(drift)],
        columns=COLUMNS,
        plan=trials.plan,
    )


def _to(drift: Drift) -> number.Scale:
    most = max(abs(value) for part in drift.trend.parts for _, value in part)
    if drift.what.unit == "bytes":
        return number.Scale(1e6, "MB")
    return number.scale([most], drift.what.unit)


def _rows(drift: Drift) -> Iterator[Row]:
    to = _to(drift)
    points = [point for part in drift.trend.parts for point in part]
    at = sorted(hours for hours, _ in points)[len(points) // 2]
    middle = sorted(value - drift.trend.slope * (hours - at) for hours, value in points)
    for hours, value in points:
        line = middle[len(middle) // 2] + drift.trend.slope * (hours - at)
        yield {
            "reading": drift.what.name,
            "hours": round(hours, 4),
            "value": finite(float(f"{value / to.factor:.6g}")),
            "line": finite(float(f"{line / to.factor:.6g}")),
        }


def _panel(name: str, drift: Drift) -> Panel:
    title = f"{drift.what.name}, {_to(drift).unit}"
    base = vega.rows(name, reading=drift.what.name)
    x = channel("hours:Q", title="time, h")
    y = channel("value:Q", title=title, scale={"zero": False})
    return "", theme.panel(
        f"{title} over time",
        base.mark("point", x=x, y=y),
        base.mark("line", x=x, y=channel("line:Q", title=title), style="ideal"),
    )


KIND: Final = Figures(figures)
