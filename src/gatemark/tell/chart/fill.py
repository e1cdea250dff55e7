# SPDX-License-Identifier: Apache-2.0
"""Memory over the flows in a gateway's table: what was measured, and what was projected.

slab |          o'    o  median over the fills at a step; whisker: least and most
     |       .o'      -- the first tenth's line, drawn on
     |    .o'
     | .o'
     +-------------- entries
"""

from collections.abc import Iterator, Sequence
from statistics import median

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.fill.answer import points
from gatemark.kind.fill.slope import Line, early_slab, rising, slab
from gatemark.store.record import FillStep, Record
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, finite
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

MIB = 1 << 20
MOST_STEPS = 60  # drawn of each arm
COLUMNS = {
    "arm": "setup",
    "point": "point",
    "flows": "entries in the table",
    "measured": "memory taken (MiB)",
    "measured_lo": "memory taken (MiB), least",
    "measured_hi": "memory taken (MiB), most",
    "projected": "projected by the first tenth (MiB)",
}


def figures(judgement: Judgement, records: Sequence[Record]) -> Iterator[Figure]:
    """One for each plan whose fills kept their steps."""
    kept_points = points(judgement)
    for plan in dict.fromkeys(point.plan for point in kept_points):
        own_points = [point for point in kept_points if point.plan == plan]
        rows = [row for point in own_points for row in _rows(point, records)]
        if rows:
            yield _figure(plan, own_points, rows)


def _rows(point: PointResult, records: Sequence[Record]) -> Iterator[Row]:
    """The steps of a point's fills, each counted from what its own line says of no flow."""
    fills = [
        rising(record.evidence.fill_steps)
        for record in records
        if (record.plan, record.arm, record.point) == (point.plan, point.arm, point.point)
        and record.pass_ == "outside"
        and record.status == "ok"
    ]
    lines = [(steps, line) for steps in fills if (line := slab(steps))]
    if not lines:
        return
    slopes = [line.slope for steps, _ in lines if (line := early_slab(steps))]
    slope = median(slopes) if slopes else None
    taken = [_taken(steps, line) for steps, line in lines]
    count = min(len(steps) for steps in taken)
    for at in range(0, count, max(1, -(-count // MOST_STEPS))):
        entries = median(item[at][0] for item in taken)
        values = [item[at][1] / MIB for item in taken]
        yield {
            "arm": _label(point),
            "point": traffic.point(point.point),
            "flows": entries,
            "measured": finite(median(values)),
            "measured_lo": finite(min(values)),
            "measured_hi": finite(max(values)),
            "projected": None if slope is None else finite(slope * entries / MIB),
        }


def _taken(steps: Sequence[FillStep], line: Line) -> list[tuple[int, float]]:
    return [(step.entries, step.slab_bytes - line.intercept) for step in steps]


def _label(point: PointResult) -> str:
    work = point.definition.active_pps
    return f"{point.arm}, {'at work' if work else 'idle'}" if point.point else point.arm


def _figure(plan: str, points: Sequence[PointResult], rows: Sequence[Row]) -> Figure:
    name = sweep.plain(f"memory-{plan}")
    arms = list(dict.fromkeys(str(row["arm"]) for row in rows))
    first = next(point for point in points if "flow_bytes" in point.values)
    title = f"{number.quantity_interval(first.values['flow_bytes'], 'B')} a flow: {first.setup}"
    return Figure(
        name=name,
        title=title,
        definition="What all the kernel's slabs took more than without a flow, over the entries "
        "in the table of connections. Points: median over the fills, with the least and the most. "
        "Dotted: projected by the first tenth of the fill. "
        f"{traffic.traffic(first.definition)}.",
        panels=(("", _panel(name, arms, title)),),
        rows=rows,
        columns=COLUMNS,
        plan=plan,
    )


def _panel(name: str, arms: Sequence[str], text: str) -> Part:
    title = "memory taken, MiB"
    x = channel("flows:Q", title="entries in the table", axis=theme.si(6, grid=False))
    color, shape = theme.color(arms, arms), theme.shape(arms, arms)
    base = vega.rows(name)
    at = {"x": x, "color": color}
    projected = {"y": channel("projected:Q", title=title), "detail": "point:N", "style": "ideal"}
    tips = vega.tips("arm") + vega.numbers(",", {"flows": "entries"})
    tips += vega.numbers(".3f", {"measured": "MiB", "projected": "projected"})
    y = channel("measured:Q", title=title)
    return theme.panel(
        f"Memory over flows: {text}",
        base.mark("line", **at, **projected),
        base.span("rule", "y", "measured", title, **at, strokeWidth=1.5),
        curve.dots(base, **at, y=y, shape=shape, tooltip=tips),
    )
