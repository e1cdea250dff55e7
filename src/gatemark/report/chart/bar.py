# SPDX-License-Identifier: Apache-2.0
"""Ranked bars with intervals: the tester's ceiling by frame size, and points that stand alone."""

from collections.abc import Sequence

from gatemark.plan.model import Plan
from gatemark.report.chart import ladder, theme, vega
from gatemark.report.chart.figure import Figure, Row, heads, most, once, three
from gatemark.report.chart.vega import between, channel
from gatemark.report.group import study
from gatemark.report.words import number, traffic
from gatemark.stats.judgement import Judgement, PointResult

Bar = tuple[str, str, PointResult]  # group, name within it, what it shows


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
        [(owner, words(point), point) for owner, point in owned(ceilings)],
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
        [("", label, point) for label, point in zip(_labels(singles), singles, strict=True)],
    )


def owned(points: Sequence[PointResult]) -> list[tuple[str, PointResult]]:
    """Each point with whose it is, owner by owner; nobody's where all have one owner."""
    owners = _owners(points)
    order = list(dict.fromkeys(owners))
    return sorted(zip(owners, points, strict=True), key=lambda pair: order.index(pair[0]))


def words(point: PointResult) -> str:
    """What a point sent, with the factors that this leaves out: its rate, its mix."""
    rest = study.label(point, [name for name in point.point if name not in traffic.LOAD])
    return ", ".join(filter(None, (traffic.point_words(point), rest)))


def _owners(points: Sequence[PointResult]) -> list[str]:
    """The arm, which has its run's letter, and the plan of each: where there are several."""
    arms, plans = {p.arm for p in points}, {p.plan for p in points}
    pairs = [((p.arm, arms), (p.plan, plans)) for p in points]
    return [", ".join(name for name, names in pair if len(names) > 1) for pair in pairs]


def _labels(points: Sequence[PointResult]) -> list[str]:
    """Setup and load of each point; where several have the same, whose it is."""
    labels = [f"{point.setup} {words(point)}" for point in points]
    owners: dict[int, str] = {}
    for label in dict.fromkeys(labels):
        alike = [p for p, other in zip(points, labels, strict=True) if other == label]
        owners |= {id(p): owner for p, owner in zip(alike, _owners(alike), strict=True)}
    pairs = zip(labels, points, strict=True)
    return [", ".join(filter(None, (label, owners[id(point)]))) for label, point in pairs]


def _slowdowns(points: Sequence[PointResult]) -> str:
    slowdowns = {p.definition.slow_to_pps for p in points}
    if slowdowns == {0}:
        return "the gateway without a slowdown"
    return "slowed where it is said" if 0 in slowdowns else "the gateway slowed"


def _figure(name: str, title: str, definition: str, bars: Sequence[Bar]) -> Figure:
    order = ladder.keys(ladder.grouped([(group, label) for group, label, _ in bars]))
    keys = [key for key in order if not ladder.is_heading(key)]
    pairs = zip(keys, bars, strict=True)
    rows = [_row(label, point) | {"key": key} for key, (_, label, point) in pairs]
    columns = {"label": "point", "setup": "setup", "plan": "plan"}
    columns |= heads("received_pps", "received", "packets/s") | {"limit": "bottleneck"}
    end = theme.end(max(most(rows, "received_pps_hi"), 1.0), ladder.room(once(rows, "text")))
    axis = {"title": "received, packets/s", "axis": theme.si(4), "scale": between(0, end)}
    x, color = channel("received_pps:Q", **axis), theme.color(once(rows, "arm"), [])
    layers = ladder.ranked(vega.rows(name), "received_pps", x, ladder.side(order), color=color)
    return Figure(
        name=name,
        title=title,
        definition=definition,
        panels=(("", ladder.down(title, order, layers)),),
        rows=rows,
        columns=columns,
        plan=bars[0][2].plan,
    )


def _row(label: str, point: PointResult) -> Row:
    received = point.values["received_pps"]
    row: Row = {"label": label, "arm": point.arm, "setup": point.setup, "plan": point.plan}
    text = number.compact(received, "packets/s", at_least=point.at_least)
    return row | three("received_pps", received) | {"limit": point.limit, "text": text}
