# SPDX-License-Identifier: Apache-2.0
"""Charts of ranked bars: the tester's ceilings, points that stand alone, TCP connections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.change.derived import is_bound
from gatemark.judge.judgement import PointResult
from gatemark.kind.connections.plan import HELD, RATE
from gatemark.quantity import UNITS
from gatemark.tell.chart import bars, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Row, heads, three, whole
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.fact import say
from gatemark.tell.group import study
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

Points = Sequence[PointResult]
RECEIVED = heads("received_pps", "received", "packets/s")
COLUMNS = {"label": "point", "setup": "setup", "plan": "plan"} | RECEIVED | {"limit": "bottleneck"}


def ceilings(source: Source) -> list[Points]:
    """The tester without the gateway: what no UDP rate of the run can exceed."""
    points = [p for p in source.judgement.ceilings if "received_pps" in p.values]
    points.sort(key=lambda p: (p.definition.frame_bytes or 0, p.definition.direction != "up"))
    return [[point for _, point in owned(points)]] if points else []


def singles(source: Source) -> list[Points]:
    """UDP points of a single size outside the sweeps, fastest first."""
    points = study.singles(source.judgement, source.run.plans)
    return [points] if points else []


def owned(points: Points) -> list[tuple[str, PointResult]]:
    """Each point with whose it is, owner by owner; nobody's where all have one owner."""
    owners = _owners(points)
    order = list(dict.fromkeys(owners))
    return sorted(zip(owners, points, strict=True), key=lambda pair: order.index(pair[0]))


def words(point: PointResult) -> str:
    """What a point sent, with the factors that this leaves out: its rate, its mix."""
    rest = study.label(point, [name for name in point.point if name not in traffic.LOAD])
    return ", ".join(filter(None, (traffic.point_words(point), rest)))


def _owners(points: Points) -> list[str]:
    """The arm, which has its run's letter, and the plan of each: where there are several."""
    arms, plans = {p.arm for p in points}, {p.plan for p in points}
    pairs = [((p.arm, arms), (p.plan, plans)) for p in points]
    return [", ".join(name for name, names in pair if len(names) > 1) for pair in pairs]


def _by_owner(points: Points) -> list[tuple[str, str]]:
    return [(owner, words(point)) for owner, point in owned(points)]


def _alone(points: Points) -> list[tuple[str, str]]:
    """Setup and load of each point; where several have the same, whose it is."""
    labels = [f"{point.setup} {words(point)}" for point in points]
    owners: dict[int, str] = {}
    for label in dict.fromkeys(labels):
        alike = [p for p, other in zip(points, labels, strict=True) if other == label]
        owners |= {id(p): owner for p, owner in zip(alike, _owners(alike), strict=True)}
    pairs = zip(labels, points, strict=True)
    return [("", ", ".join(filter(None, (label, owners[id(p)])))) for label, p in pairs]


def _ceiling_title(d: Drawn[Points]) -> str:
    least = min((point.values["received_pps"] for point in d.of), key=lambda i: i.lo)
    return f"The tester alone sends and receives at least {number.at_least(least, 'packets/s')}"


def _fastest(d: Drawn[Points]) -> str:
    received = d.of[0].values["received_pps"]
    rate = number.quantity(received.value, "packets/s")
    if d.of[0].at_least:
        rate = f"at least {number.at_least(received, 'packets/s')}"
    return f"Fastest of the single points: {d.of[0].setup}, {rate}"


def _slowdowns(points: Points) -> str:
    slowdowns = {p.definition.slow_to_pps for p in points}
    if slowdowns == {0}:
        return "the gateway without a slowdown"
    return "slowed where it is said" if 0 in slowdowns else "the gateway slowed"


def _rows(points: Points, pairs: Sequence[tuple[str, str]]) -> Iterator[Row]:
    keys = bars.places(bars.order(pairs))
    for point, (_, label), key in zip(points, pairs, keys, strict=True):
        received = point.values["received_pps"]
        row: Row = {"label": label, "arm": point.arm, "setup": point.setup, "plan": point.plan}
        text = number.compact(received, "packets/s", at_least=point.at_least)
        row |= three("received_pps", received)
        yield row | {"limit": point.limit, "text": text, "key": key}


def _panel(d: Drawn[Points], pairs: Sequence[tuple[str, str]], title: str) -> Part:
    order = bars.order(pairs)
    end = theme.end(max(d.most("received_pps_hi"), 1.0), bars.room(d.once("text")))
    axis = {"title": "received, packets/s", "axis": theme.si(4), "scale": between(0, end)}
    x, color = channel("received_pps:Q", **axis), theme.color(d.once("arm"), [])
    layers = bars.ranked(vega.rows(d.name), "received_pps", x, bars.side(order), color=color)
    return bars.down(title, order, layers)


CEILING = Chart[Points](
    name="ceiling",
    rows=lambda points: _rows(points, _by_owner(points)),
    columns=COLUMNS,
    title=_ceiling_title,
    caption=(
        "LAN host to WAN host without the gateway. A gateway's value within 10 % of its ceiling "
        "is only a lower bound. Bar: median; whisker: its interval."
    ),
    form=whole(lambda d: _panel(d, _by_owner(d.of), _ceiling_title(d))),
)

SINGLE = Chart[Points](
    name="single",
    rows=lambda points: _rows(points, _alone(points)),
    columns=COLUMNS,
    title=_fastest,
    caption=lambda d: (
        f"Received rate: {traffic.traffic(d.of[0].definition)}; {_slowdowns(d.of)}. "
        "Bar: median; whisker: its interval."
    ),
    form=whole(lambda d: _panel(d, _alone(d.of), _fastest(d))),
)

# TCP connections: how many were held, how fast they were made.

BAR_HEIGHT = 30
LABEL_ROOM = 1.6  # the axis ends so far beyond the longest bar: room for its value
ALL_HELD = "All {} that were asked for were held at once"  # a request, and no limit


@dataclass(frozen=True, slots=True)
class Connected:
    """What a figure is about, and the points that measured it."""

    quantity: str
    points: Points

    @property
    def headline(self) -> str:
        """The quantity of the bars."""
        return self.points[0].definition.headline

    @property
    def unit(self) -> str:
        """Its unit."""
        return UNITS[self.headline]

    @property
    def plan(self) -> str:
        """The plan of the first point."""
        return self.points[0].plan


# What a figure is about -> its name, its finding, what was measured.
CONNECTIONS = {
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


def connected(source: Source) -> Iterator[Connected]:
    """One for each quantity that was measured."""
    everyone = (*source.judgement.ceilings, *source.judgement.points)
    for quantity in CONNECTIONS:
        own = [point for point in everyone if point.definition.quantity == quantity]
        if points := [point for point in own if point.definition.headline in point.values]:
            yield Connected(quantity, points)


def _connection_rows(of: Connected) -> Iterator[Row]:
    for point in of.points:
        setup = "tester alone" if point.setup == "direct" else point.setup
        label = f"{setup}, {traffic.connections(point.definition)}"
        row: Row = {"label": label, "arm": point.arm, "setup": setup}
        row |= {"limit": point.limit, "why": say.words(point.why)} | three(
            of.headline, point.values[of.headline]
        )
        text = number.compact(point.values[of.headline], of.unit, at_least=is_bound(point))
        yield row | {"text": text}


def _at_most(of: Connected) -> tuple[str, PointResult]:
    most = max(of.points, key=lambda point: point.values[of.headline].value)
    is_whole = of.quantity == HELD and most.limit == "none"
    finding = ALL_HELD if is_whole else CONNECTIONS[of.quantity][1]
    return finding.format(number.quantity(most.values[of.headline].value, of.unit)), most


def _most_connections(d: Drawn[Connected]) -> str:
    finding, most = _at_most(d.of)
    return f"{finding}: {'the tester alone' if most.setup == 'direct' else most.setup}"


def _connection_panel(d: Drawn[Connected]) -> Part:
    field, order = d.of.headline, d.once("label")
    title = f"{d.of.quantity}, {d.of.unit}"
    x = theme.si_axis(field, title, max(d.most(f"{field}_hi") * LABEL_ROOM, 1.0), 4)
    axis = {"labelLimit": 220, "ticks": False, "domain": False}
    y = channel("label:N", sort=order, title=None, axis=axis)
    color = theme.color(d.once("arm"), [])
    layers = bars.ranked(vega.rows(d.name), field, x, y, color=color)
    return vega.panel(_at_most(d.of)[0], layers, BAR_HEIGHT * len(order))


CONNECTED = Chart[Connected](
    name=lambda of: CONNECTIONS[of.quantity][0],
    rows=_connection_rows,
    columns=lambda of: (
        {"label": "point", "setup": "setup"}
        | heads(of.headline, of.quantity, of.unit)
        | {"limit": "bottleneck", "why": "why"}
    ),
    title=_most_connections,
    caption=lambda d: f"{CONNECTIONS[d.of.quantity][2]} Bar: median; whisker: its interval.",
    form=whole(_connection_panel),
)
