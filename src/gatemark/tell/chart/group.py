# SPDX-License-Identifier: Apache-2.0
"""Grouped bars with intervals: payload by arm and length; panels by protocol and direction."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gatemark.judge.change.reference import Beside
from gatemark.judge.judgement import Judgement
from gatemark.judge.math.interval import Interval
from gatemark.tell.chart import ladder, published, theme, vega
from gatemark.tell.chart.bar import owned, words
from gatemark.tell.chart.figure import Figure, Row, finite, heads, once, three
from gatemark.tell.chart.published import Choice
from gatemark.tell.chart.vega import Part, Rows, channel
from gatemark.tell.group import bar, each_run, study
from gatemark.tell.group.bar import Bar
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.words import headline, number, traffic
from gatemark.tell.words.number import Scale

FEW = 8  # bars of a panel: so many have room for their CPU
NEAR = 1.6  # times our longest bar: a ceiling below that is drawn, a higher one is told
Most = Mapping[int, Interval]  # the tester alone, by the id of a point (each_run.ceilings)
WHAT = (
    "Payload in bits a second: of UDP what arrived, of TCP what the receiving program read. "
    "Bar: median; whisker: its interval."
)


def figure(source: Source, study: Study) -> Figure:
    """The bars of one study."""
    drawn = bar.bars(study.points)
    choice = published.choose(source.beside, study.points)
    most = each_run.ceilings(source, study.points)
    return _figure(most, study.anchor, bar.title(drawn), drawn, choice)


def ceilings(judgement: Judgement) -> Figure | None:
    """The tester's own TCP, without the gateway."""
    ceilings = [p for p in judgement.ceilings if p.definition.l4 == "tcp" and headline.payload(p)]
    if not ceilings:
        return None
    drawn = [Bar("", "", owner, words(point), point) for owner, point in owned(ceilings)]
    payloads = [i for point in ceilings if (i := headline.payload(point)) is not None]
    least = number.at_least(min(payloads, key=lambda i: i.lo), "bit/s")
    text = f"The tester alone moves at least {least} of TCP payload"
    return _figure({}, "ceiling-tcp", text, drawn, Choice())


@dataclass(frozen=True, slots=True)
class Panel:
    """What one panel draws; panels of one protocol have one axis."""

    heading: str
    l4: str
    order: tuple[str, ...]  # keys of its rows, top to bottom
    rows: tuple[Row, ...]
    hollow: tuple[Row, ...]


def _figure(most: Most, name: str, title: str, drawn: Sequence[Bar], choice: Choice) -> Figure:
    scales = {
        l4: number.scale([bar.value for bar in drawn if bar.l4 == l4], "bit/s")
        for l4 in dict.fromkeys(bar.l4 for bar in drawn)
    }
    panels = [
        _made(most, heading, bars, choice, scales[bars[0].l4])
        for heading, bars in bar.panels(drawn).items()
    ]
    rows = [row for panel in panels for row in panel.rows]
    columns = {"panel": "traffic", "setup": "setup", "point": "point"}
    columns |= heads("payload_bps", "payload", "bit/s")
    columns |= {"cpu_busy": "CPU busy (ratio)", "ceiling_bps": "tester's ceiling (bit/s)"}
    texts = [WHAT, f"{study.sent([each.point for each in drawn])}.", _tester(rows), choice.words()]
    return Figure(
        name=name,
        title=title,
        definition=" ".join(filter(None, texts)),
        panels=tuple(
            (panel.heading, _chart(name, panel, panels, scales[panel.l4])) for panel in panels
        ),
        rows=rows,
        columns=columns | {"limit": "bottleneck"},
        plan=drawn[0].point.plan,
        extra={f"{name}-published": [row for panel in panels for row in panel.hollow]},
    )


def _made(most: Most, heading: str, bars: Sequence[Bar], choice: Choice, to: Scale) -> Panel:
    steps = list(_steps(bars, choice))
    order = ladder.keys(ladder.grouped([(group, label) for group, label, _ in steps]))
    places = [key for key in order if not ladder.is_heading(key)]
    rows: list[Row] = []
    hollow: list[Row] = []
    for (_, _, what), key in zip(steps, places, strict=True):
        if isinstance(what, Bar):
            alone = most.get(id(what.point))
            rows.append(_row(alone, what, key, to, busy=len(bars) <= FEW))
        else:
            hollow.append(published.row(what) | _theirs(what, heading, key, to))
    return Panel(heading, bars[0].l4, tuple(order), tuple(rows), tuple(hollow))


def _steps(bars: Sequence[Bar], choice: Choice) -> Iterator[tuple[str, str, Bar | Beside]]:
    """Each group's bars, and below each of them what others published."""
    for group in dict.fromkeys(each.group for each in bars):
        for each in (each for each in bars if each.group == group):
            yield each.group, each.name, each
            for point, theirs in choice.near:
                if point is each.point:
                    yield each.group, theirs.published.device, theirs


def _row(most: Interval | None, bar: Bar, key: str, to: Scale, *, busy: bool) -> Row:
    point, measured = bar.point, headline.payload(bar.point)
    load = point.values.get("cpu_busy")
    text = number.interval(measured, to, at_least=point.at_least) if measured else ""
    if busy and load:
        text += f" (CPU {number.plain(load.value * 100, 0)} %)"
    row: Row = {"panel": bar.panel, "arm": point.arm, "setup": point.setup}
    row |= {"point": traffic.point_words(point)}
    row |= three("payload_bps", measured)
    row |= {"cpu_busy": finite(load.value) if load else None}
    row |= {"ceiling_bps": most.value if most else None, "limit": point.limit}
    row |= {"near": "yes" if most and most.value <= NEAR * bar.value else ""}
    return row | {"key": key, "text": text}


def _theirs(pair: Beside, heading: str, key: str, to: Scale) -> Row:
    text = f"{pair.published.value / to.factor:.4g} published"
    return {"panel": heading, "key": key, "payload_bps": pair.published.value, "text": text}


def _chart(name: str, panel: Panel, panels: Sequence[Panel], to: Scale) -> Part:
    of_one_kind = [other for other in panels if other.l4 == panel.l4]
    x, y = theme.bits_across("payload_bps", "payload", to, *_ends(of_one_kind)), None
    title, y = x["title"], ladder.side(panel.order)
    base = vega.rows(name, panel=panel.heading)
    color, tips = theme.color(once(panel.rows, "arm"), []), vega.tips("setup", "point", "limit")
    tips += vega.interval("payload_bps")
    bar, *_ = ladder.ranked(
        base, "payload_bps", x, y, color=color, tooltip=tips, height={"band": 0.66}
    )
    text = {"style": "value", "align": "left", "dx": 6, "text": "text:N"}
    layers = [
        bar,
        *_ceiling(base, panel, title, y),
        base.span("rule", "x", "payload_bps", title, y=y, style="whisker"),
        *base.haloed(x=channel("payload_bps_hi:Q", title=title), y=y, **text),
        *(_hollow(name, panel, x, y) if panel.hollow else []),
    ]
    return ladder.down(f"Payload, {panel.heading}", panel.order, layers)


def _ends(panels: Sequence[Panel]) -> tuple[float, int]:
    """Where the axis ends, and the pixels that text needs behind it."""
    rows = [row for panel in panels for row in (*panel.rows, *panel.hollow)]
    marks = [float(row.get("payload_bps_hi") or row["payload_bps"] or 0) for row in rows]
    marks += [float(row["ceiling_bps"] or 0) for row in rows if row.get("near")]
    return max([*marks, 1.0]), ladder.room([str(row["text"]) for row in rows])


def _ceiling(base: Rows, panel: Panel, title: str, y: Part) -> list[Part]:
    if not any(row["near"] for row in panel.rows):
        return []
    look = {"style": "ceiling", "thickness": 1.5, "size": ladder.ROW}
    return [
        base.where(near="yes").mark("tick", x=channel("ceiling_bps:Q", title=title), y=y, **look)
    ]


def _hollow(name: str, panel: Panel, x: Part, y: Part) -> list[Part]:
    base = vega.rows(f"{name}-published", panel=panel.heading)
    text = {"style": "note", "align": "left", "dx": 10, "text": "text:N"}
    return [
        base.mark("point", x=x, y=y, tooltip=published.TIPS, **published.LOOK, shape="diamond"),
        base.mark("text", x=x, y=y, **text),
    ]


def _tester(rows: Sequence[Row]) -> str:
    values = [float(row["ceiling_bps"]) for row in rows if row["ceiling_bps"]]
    if not values:
        return ""
    low, high = (number.quantity(value, "bit/s") for value in (min(values), max(values)))
    span = low if low == high else f"{low} to {high}"
    return f"The tester alone reaches {span} (grey, where it is near)."
