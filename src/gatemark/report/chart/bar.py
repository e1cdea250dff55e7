# SPDX-License-Identifier: Apache-2.0
"""Ranked bars with intervals: the tester's ceiling by frame size, and points that stand alone."""

from collections.abc import Sequence

import altair as alt

from gatemark.plan.model import Plan
from gatemark.report.chart import theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, named, three
from gatemark.report.group import study
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, PointResult

BAR_HEIGHT = 30
LABEL_ROOM = 1.75  # the axis ends so far beyond the longest bar: room for its value


def ceilings(judgement: Judgement) -> Figure | None:
    """The tester without the gateway: what no UDP rate of the run can exceed."""
    ceilings = [p for p in judgement.ceilings if "received_pps" in p.values]
    if not ceilings:
        return None
    ceilings.sort(key=lambda p: (p.definition.frame_bytes or 0, p.definition.direction != "up"))
    least = min((p.values["received_pps"] for p in ceilings), key=lambda i: i.lo)
    rate = number.at_least(least, "packets/s")
    return _figure(
        "ceiling",
        f"The tester alone sends and receives at least {rate}",
        "LAN host to WAN host without the gateway. A gateway's value within 10 % of its ceiling "
        "is only a lower bound. Bar: median; whisker: its interval.",
        [(traffic.point_words(p), p) for p in ceilings],
    )


def singles(judgement: Judgement, plans: Sequence[Plan] = ()) -> Figure | None:
    """UDP points of a single size outside the sweeps, fastest first."""
    singles = study.singles(judgement, plans)
    if not singles:
        return None
    received = singles[0].values["received_pps"]
    rate = number.quantity(received.value, "packets/s")
    if singles[0].at_least:
        rate = f"at least {number.at_least(received, 'packets/s')}"
    return _figure(
        "single",
        f"Fastest of the single points: {singles[0].setup}, {rate}",
        f"Received rate: {traffic.traffic(singles[0].definition)}; "
        f"{_slowdowns(singles)}. Bar: median; whisker: its interval.",
        [(f"{p.setup} {traffic.point_words(p)}", p) for p in singles],
    )


def _slowdowns(points: Sequence[PointResult]) -> str:
    slowdowns = {p.definition.slow_to_pps for p in points}
    if slowdowns == {0}:
        return "the gateway without a slowdown"
    return "slowed where it is said" if 0 in slowdowns else "the gateway slowed"


def _figure(
    name: str, title: str, definition: str, texts: Sequence[tuple[str, PointResult]]
) -> Figure:
    rows = [_row(label, point) for label, point in texts]
    columns = {"label": "point", "setup": "setup"}
    columns |= heads("received_pps", "received", "packets/s") | {"limit": "bottleneck"}
    return Figure(
        name=name,
        title=title,
        definition=definition,
        panels=(("", _bars(name, rows, title)),),
        rows=rows,
        columns=columns,
        plan=texts[0][1].plan,
    )


def _row(label: str, point: PointResult) -> Row:
    received = point.values["received_pps"]
    row: Row = {"label": label, "arm": point.arm, "setup": point.setup, "limit": point.limit}
    text = number.compact(received, "packets/s", at_least=point.at_least)
    return row | three("received_pps", received) | {"text": text}


def _bars(name: str, rows: Sequence[Row], description: str) -> Chart:
    most = max(float(row["received_pps_hi"] or 0) for row in rows) * LABEL_ROOM
    order = list(dict.fromkeys(str(row["label"]) for row in rows))
    axis = alt.Axis(labelExpr=theme.SI, tickCount=4)
    scale = alt.Scale(domain=[0, max(most, 1.0)], nice=False)
    x = alt.X("received_pps:Q", title="received, packets/s", axis=axis, scale=scale)
    side = alt.Axis(labelLimit=150, ticks=False, domain=False)
    y = alt.Y("label:N", sort=order, title=None, axis=side)
    base = alt.Chart(named(name))
    color = theme.color(list(dict.fromkeys(str(row["arm"]) for row in rows)), [])
    bar = base.mark_bar(style="bar", height={"band": 0.62}).encode(x, y, color)
    whisker = base.mark_rule(style="whisker").encode(
        alt.X("received_pps_lo:Q", title="received, packets/s"), alt.X2("received_pps_hi:Q"), y
    )
    text = base.mark_text(style="value", align="left", dx=6).encode(
        alt.X("received_pps_hi:Q", title="received, packets/s"), y, text="text:N"
    )
    return alt.layer(bar, whisker, text).properties(
        width="container", height=BAR_HEIGHT * len(order), description=description
    )
