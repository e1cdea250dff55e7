# SPDX-License-Identifier: Apache-2.0
"""Ranked bars with intervals: the tester's ceiling, points that stand alone, TCP connections."""

from collections.abc import Iterator, Sequence

from gatemark.judge.change.derived import is_bound
from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.connections.plan import HELD, RATE
from gatemark.plan.model import Plan
from gatemark.quantity import UNITS
from gatemark.tell.chart import ladder, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most, once, three
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import study
from gatemark.tell.words import number, traffic

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


BAR_HEIGHT = 30
LABEL_ROOM = 1.6  # the axis ends so far beyond the longest bar: room for its value

ALL_HELD = "All {} that were asked for were held at once"  # a request, and no limit
# What a figure is about -> its name, its finding, what was measured.
TOLD = {
    HELD: (
        "connections-held",
        "At most {} held at once",
        "Each was opened, sent a message and had its echo; at the end every one was asked again, "
        "and those count that answered. The limit's reason has the gateway's own bound "
        "(nf_conntrack_max), which is never changed.",
    ),
    RATE: (
        "connection-rate",
        "At most {}",
        "Connect, request, response, close, as fast as it goes. A value within 10 % of the "
        "tester's own is only a lower bound.",
    ),
}


def connections(judgement: Judgement) -> Iterator[Figure]:
    """One figure for each quantity that was measured."""
    everyone = (*judgement.ceilings, *judgement.points)
    for quantity in TOLD:
        points = [
            p
            for p in everyone
            if p.definition.quantity == quantity and p.definition.headline in p.values
        ]
        if points:
            yield _connections_figure(quantity, points)


def _connections_figure(quantity: str, points: Sequence[PointResult]) -> Figure:
    name, finding, definition = TOLD[quantity]
    headline = points[0].definition.headline
    unit = UNITS[headline]
    rows = [_connections_row(point, headline, unit) for point in points]
    most = max(points, key=lambda point: point.values[headline].value)
    if quantity == HELD and most.limit == "none":
        finding = ALL_HELD
    title = finding.format(number.quantity(most.values[headline].value, unit))
    columns = {"label": "point", "setup": "setup"}
    columns |= heads(headline, quantity, unit) | {"limit": "bottleneck", "why": "why"}
    return Figure(
        name=name,
        title=f"{title}: {'the tester alone' if most.setup == 'direct' else most.setup}",
        definition=f"{definition} Bar: median; whisker: its interval.",
        panels=(("", _bars(name, rows, headline, (f"{quantity}, {unit}", title))),),
        rows=rows,
        columns=columns,
        plan=points[0].plan,
    )


def _connections_row(point: PointResult, headline: str, unit: str) -> Row:
    setup = "tester alone" if point.setup == "direct" else point.setup
    label = f"{setup}, {traffic.connections(point.definition)}"
    value = point.values[headline]
    text = number.compact(value, unit, at_least=is_bound(point))
    row: Row = {"label": label, "arm": point.arm, "setup": setup}
    row |= {"limit": point.limit, "why": point.why}
    return row | three(headline, value) | {"text": text}


def _bars(name: str, rows: Sequence[Row], headline: str, texts: tuple[str, str]) -> Part:
    order = once(rows, "label")
    scale = between(0, max(most(rows, f"{headline}_hi") * LABEL_ROOM, 1.0))
    x = channel(f"{headline}:Q", title=texts[0], axis=theme.si(4), scale=scale)
    axis = {"labelLimit": 220, "ticks": False, "domain": False}
    y = channel("label:N", sort=order, title=None, axis=axis)
    color = theme.color(once(rows, "arm"), [])
    bars = ladder.ranked(vega.rows(name), headline, x, y, color=color)
    return vega.panel(texts[1], bars, BAR_HEIGHT * len(order))
