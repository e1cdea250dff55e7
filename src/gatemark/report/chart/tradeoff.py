# SPDX-License-Identifier: Apache-2.0
"""What a load gets for the delay that it adds: goodput over delay, a point for each setup.

RFC 7928 asks for the trade-off of latency and goodput in one graph.
"""

from collections.abc import Sequence
from typing import Final

from gatemark.report.chart import curve, theme, vega
from gatemark.report.chart.figure import Figure, Row, heads, most, three
from gatemark.report.chart.vega import Part
from gatemark.report.group.queue import Scene
from gatemark.report.words import number

ADDED, GOODPUT = "queue_added_p50_ns", "queue_goodput_bps"
ABOVE: Final = 1.1  # of the highest goodput: where the axis ends
LEAST_NS: Final = 1000.0  # an axis of a logarithm has no zero


def figure(scene: Scene) -> Figure | None:
    """A point for each setup; None where there are fewer than two."""
    rows = [
        {"arm": loaded.label, **three("added_ns", v[ADDED]), **three("goodput_bps", v[GOODPUT])}
        for loaded in scene.loaded
        if {ADDED, GOODPUT} <= (v := loaded.queue.values).keys()
    ]
    if len(rows) < 2:
        return None
    name = f"tradeoff-{scene.anchor}"
    columns = {"arm": "setup"} | heads("added_ns", "added delay, median", "ns")
    return Figure(
        name=name,
        title=_title(scene, rows),
        definition=(
            f"Goodput of the load over the median delay that it adds to {scene.what}: a point for "
            "each setup, whiskers are the intervals over its trials (RFC 7928). Up and "
            "to the left is better: the same goodput for less delay. Log axis of delay."
        ),
        panels=(("", _panel(name, rows)),),
        rows=rows,
        columns=columns | heads("goodput_bps", "goodput of the load", "bit/s"),
        plan=scene.plan,
    )


def _title(scene: Scene, rows: Sequence[Row]) -> str:
    """The finding: what the setup with the least delay gives away."""
    best = min(rows, key=lambda row: float(row["added_ns"] or 0))
    high = most(rows, "goodput_bps")
    delay = number.quantity(float(best["added_ns"] or 0), "ns")
    if not high:
        return f"The load gets nothing: {scene.what}"
    share = number.plain(float(best["goodput_bps"] or 0) / high * 100, 0)
    return f"{best['arm']} adds {delay} and keeps {share} % of the best goodput: {scene.what}"


def _panel(name: str, rows: Sequence[Row]) -> Part:
    ends = [
        max(float(row[f"added_ns_{end}"] or 0), LEAST_NS) for row in rows for end in ("lo", "hi")
    ]
    span = (min(ends) / 2, max(ends) * 2)
    x = theme.delay_across("added_ns", span, "added delay, median")
    high = most(rows, "goodput_bps_hi") * ABOVE
    y = theme.bits_axis("goodput_bps", "goodput of the load", high)
    labels = [str(row["arm"]) for row in rows]
    look = {"color": theme.color(labels, labels), "shape": theme.shape(labels, labels), "size": 80}
    tips = vega.tips("arm")
    tips += vega.numbers(".4s", {"added_ns": "added delay", "goodput_bps": "goodput"})
    base = vega.rows(name)
    return theme.panel(
        "Goodput of the load over the delay that it adds",
        base.span("rule", "x", "added_ns", y=y, style="whisker"),
        base.span("rule", "y", "goodput_bps", x=x, style="whisker"),
        curve.dots(base, x=x, y=y, tooltip=tips, **look),
    )
