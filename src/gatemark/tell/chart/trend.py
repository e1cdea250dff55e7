# SPDX-License-Identifier: Apache-2.0
"""A row of builds against the first one: where its level has steps, and how sure each build is.

+2 % |            |
   0 |--o--o--o---|-----------   a dot a build: the median over blocks, with its interval
-8 % |            o--o--o--o     the rule: from this build on the level is another
     +-------------------------- builds, in their order
"""

from collections.abc import Sequence

from gatemark.judge.change import trend
from gatemark.judge.change.gate import Row as Measured
from gatemark.judge.change.gate import middle
from gatemark.judge.change.trend import Step
from gatemark.judge.math.interval import Interval
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.words import number

LONGEST_NAME = 120  # pixels of a build's name below the axis


def series(row: Measured, builds: Sequence[str]) -> list[Interval]:
    """Build / first build - 1, median over blocks; nothing where a build is missing."""
    shifts = [middle(row, build, builds[0]) for build in builds]
    return [shift for shift in shifts if shift] if all(shifts) else []


def steps(row: Measured, builds: Sequence[str]) -> list[Step]:
    """The steps of a row; fewer than eight builds have none."""
    return trend.steps([1 + shift.value for shift in series(row, builds)])


def signed(change: float) -> str:
    """In per cent, with its sign."""
    return ("+" if change > 0 else "") + number.plain(100 * change, 1)


def figures(rows: Sequence[Measured], builds: Sequence[str]) -> list[Figure]:
    """One for each model and suite, where there are enough builds for a step; a panel a row."""
    if len(builds) < trend.FEWEST:
        return []
    places: dict[tuple[str, str], list[Measured]] = {}
    for row in rows:
        if series(row, builds):
            places.setdefault((row.model, row.suite), []).append(row)
    return [_figure(f"trend-{at}", each, builds) for at, each in enumerate(places.values(), 1)]


def _figure(name: str, rows: Sequence[Measured], builds: Sequence[str]) -> Figure:
    body, marks = list[Row](), list[Row]()
    for row in rows:
        for build, shift in zip(builds, series(row, builds), strict=True):
            body.append({"what": row.what, "build": build, **three("change", shift)})
        marks += [
            {"what": row.what, "build": builds[step.at], "text": f"{signed(step.change)} %"}
            for step in steps(row, builds)
        ]
    first = rows[0]
    return Figure(
        name=name,
        title=f"{first.model}, {first.suite}: {_finding(marks)}",
        definition=f"Each build against {builds[0]} of the same block. Dot: median over blocks; "
        "whisker: its 95 % interval; rule: a lasting step, by a rank scan (1 %).",
        panels=tuple((row.what, _panel(name, row.what, builds)) for row in rows),
        rows=body,
        columns={"what": "what", "build": "build", **heads("change", "change", "ratio")},
        extra={f"{name}-steps": marks},
    )


def _finding(marks: Sequence[Row]) -> str:
    if not marks:
        return "no step"
    texts = dict.fromkeys(f"{mark['text']} from {mark['build']} on" for mark in marks)
    return "; ".join(texts)


def _panel(name: str, what: str, builds: Sequence[str]) -> Part:
    base, marks = (vega.rows(of, what=what) for of in (name, f"{name}-steps"))
    axis = {"labelAngle": -40, "labelLimit": LONGEST_NAME, "labelOverlap": True}
    x = channel("build:N", sort=list(builds), title=None, axis=axis, scale=vega.names(builds))
    title = f"change against {builds[0]}"
    y = channel("change:Q", title=title, axis={"format": "+.1%"})
    tips = vega.tips("build")
    tips += vega.numbers("+.2%", {"change": "change", "change_lo": "low", "change_hi": "high"})
    text = {"text": "text:N", "style": "value", "align": "left", "dx": 5, "dy": 8}
    return theme.panel(
        f"{what}: change of each build against {builds[0]}",
        vega.inline({"change": 0}).mark("rule", y=y, style="zero"),
        marks.mark("rule", x=x, style="ceiling", strokeDash=[4, 3]),
        base.span("rule", "y", "change", title, x=x, style="whisker"),
        curve.dots(base, x=x, y=y, tooltip=tips, size=50),
        *marks.haloed(x=x, y=vega.value(0), **text),
    )
