# SPDX-License-Identifier: Apache-2.0
"""One-way delay at shares of the throughput that the same repeat found."""

from collections.abc import Sequence

from gatemark.report.answer import search
from gatemark.report.answer.search import SHARE
from gatemark.report.chart import theme, vega
from gatemark.report.chart.figure import Figure, Row, heads, three
from gatemark.report.chart.vega import Part, channel
from gatemark.report.group import sweep
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, PointResult


def figures(judgement: Judgement) -> list[Figure]:
    """One for each plan that has such trials."""
    return [_delay(points) for points in search.shares(judgement).values()]


def _delay(points: Sequence[PointResult]) -> Figure:
    name = sweep.plain(f"delay-{points[0].plan}")
    loads = list(search.varying_loads(points))
    rows: list[Row] = []
    for point, load in zip(points, loads, strict=True):
        share = point.point[SHARE]
        row: Row = {"arm": point.arm, "load": load, "share": f"{100 * float(share):g} %"}
        for quantity in ("delay_p50_ns", "delay_p99_ns"):
            row |= three(quantity, point.values.get(quantity))
        rows.append(row)
    arms = list(dict.fromkeys(point.arm for point in points))
    values = [float(v) for r in rows for v in (r["delay_p50_ns"], r["delay_p99_ns"]) if v]
    columns = {"arm": "setup", "load": "load", "share": "share of the throughput"}
    columns |= heads("delay_p50_ns", "delay p50", "ns") | heads("delay_p99_ns", "delay p99", "ns")
    low, high = (number.quantity(p.values["delay_p50_ns"].value, "ns") for p in _ends(points))
    shares = [traffic.factor(SHARE, p.point[SHARE]) for p in _ends(points)]
    return Figure(
        name=name,
        title=f"A packet takes {low} at {shares[0]}, {high} at {shares[1]} ({points[0].arm})",
        definition=(
            "One-way delay of every packet at shares of the rate that the same repeat's search "
            f"found: {traffic.traffic(points[0].definition, {'frame_bytes', 'flows', 'family'})}. "
            "Marker: median; upright: up to the 99th percentile. Log axis."
        ),
        panels=tuple(
            (load, _delay_panel(name, load, arms, values)) for load in dict.fromkeys(loads)
        ),
        rows=rows,
        columns=columns,
        plan=points[0].plan,
    )


def _ends(points: Sequence[PointResult]) -> tuple[PointResult, PointResult]:
    """The first arm's smallest and largest share, at its first load."""
    first = points[0]
    at = search.base(first.point)
    own_points = [p for p in points if p.arm == first.arm and search.base(p.point) == at]
    own_points.sort(key=lambda point: float(point.point[SHARE]))
    return own_points[0], own_points[-1]


def _delay_panel(name: str, load: str, arms: Sequence[str], values: Sequence[float]) -> Part:
    x = channel("share:N", sort=None, title="share of the throughput", axis={"labelAngle": 0})
    legend = {"symbolOpacity": 1} if len(arms) > 1 else None
    color = channel("arm:N", scale=vega.names(arms), legend=legend)
    offset = channel("arm:N", sort=list(arms))
    base = vega.rows(name, load=load).encode(x=x, color=color, xOffset=offset)
    y = theme.delay_axis("delay_p50_ns", values)
    tips = vega.tips(arm="setup")
    tips += vega.numbers(".4s", {"delay_p50_ns": "median", "delay_p99_ns": "99 %"})
    return theme.panel(
        f"One-way delay at shares of the throughput, {load}",
        base.mark("rule", y=y, y2="delay_p99_ns", strokeWidth=1.5),
        base.mark("point", y=y, tooltip=tips, size=60, filled=True),
    )
