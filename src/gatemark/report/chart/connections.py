# SPDX-License-Identifier: Apache-2.0
"""TCP connections as bars with intervals: those held at once, those opened and closed a second."""

from collections.abc import Iterator, Sequence

from gatemark.quantity import UNITS
from gatemark.report.chart import ladder, theme, vega
from gatemark.report.chart.figure import Figure, Row, heads, most, once, three
from gatemark.report.chart.vega import Part, between, channel
from gatemark.report.words import number, traffic
from gatemark.stats.change.derived import is_bound
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.stats.point.connections import HELD, RATE

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


def figures(judgement: Judgement) -> Iterator[Figure]:
    """One figure for each quantity that was measured."""
    everyone = (*judgement.ceilings, *judgement.points)
    for quantity in TOLD:
        points = [
            p
            for p in everyone
            if p.definition.quantity == quantity and p.definition.headline in p.values
        ]
        if points:
            yield _figure(quantity, points)


def _figure(quantity: str, points: Sequence[PointResult]) -> Figure:
    name, finding, definition = TOLD[quantity]
    headline = points[0].definition.headline
    unit = UNITS[headline]
    rows = [_row(point, headline, unit) for point in points]
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


def _row(point: PointResult, headline: str, unit: str) -> Row:
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
