# SPDX-License-Identifier: Apache-2.0
"""Charts of payload as bars: a study's by arm and length, and what the tester reaches alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gatemark.judge.change.reference import Beside
from gatemark.judge.math.interval import Interval
from gatemark.tell.chart import bars, published, theme, vega
from gatemark.tell.chart.bar import owned, words
from gatemark.tell.chart.figure import Chart, Drawn, Panel, Row, finite, heads, numbers, once, three
from gatemark.tell.chart.published import Choice
from gatemark.tell.chart.vega import Part, Rows, channel
from gatemark.tell.group import bar, each_run, study
from gatemark.tell.group.bar import Bar
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.words import headline, number, traffic
from gatemark.tell.words.number import Scale

FEW = 8  # bars of a panel: so many have room for their CPU
NEAR = 1.6  # times our longest bar: a ceiling below that is drawn, a higher one is named in words
PAYLOAD = "payload_bps"


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of a figure, the published values below them, the tester's ceilings."""

    name: str
    bars: Sequence[Bar]
    choice: Choice = field(default_factory=Choice)
    ceilings: Mapping[int, Interval] = field(default_factory=dict)  # by id(point)

    @property
    def plan(self) -> str:
        """The plan of the first bar."""
        return self.bars[0].point.plan

    @property
    def panels(self) -> dict[str, list[Bar]]:
        """The bars by their panel's heading."""
        return bar.panels(self.bars)

    def scale(self, l4: str) -> Scale:
        """The unit of a protocol's panels, which have one axis."""
        return number.scale([bar.value for bar in self.bars if bar.l4 == l4], "bit/s")

    def steps(self, heading: str) -> Iterator[tuple[str, str, Bar | Beside]]:
        """Each group's bars of a panel, and below each of them what others published."""
        own = self.panels[heading]
        for group in dict.fromkeys(made.group for made in own):
            for each in (made for made in own if made.group == group):
                yield group, each.name, each
                for point, theirs in self.choice.near:
                    if point is each.point:
                        yield group, theirs.published.device, theirs

    def order(self, heading: str) -> list[str]:
        """The keys of a panel's rows, top to bottom."""
        return bars.order([(group, name) for group, name, _ in self.steps(heading)])

    def keyed(self, heading: str) -> Iterator[tuple[str, Bar | Beside]]:
        """What stands in each row of a panel, by its key."""
        steps = self.steps(heading)
        pairs = zip(bars.places(self.order(heading)), steps, strict=True)
        return ((key, what) for key, (_, _, what) in pairs)


def of_study(of: tuple[Source, Study]) -> Bars:
    """The bars of one study; a curve has none."""
    source, shown = of
    choice = published.choose(source.beside, shown.points)
    own = bar.bars(shown.points) if shown.shape != "curve" else []
    return Bars(shown.anchor, own, choice, each_run.ceilings(source, shown.points))


def ceilings(source: Source) -> list[Bars]:
    """The tester's own TCP, without the gateway."""
    every = source.judgement.ceilings
    points = [p for p in every if p.definition.l4 == "tcp" and headline.payload(p)]
    made = [Bar("", "", owner, words(point), point) for owner, point in owned(points)]
    return [Bars("ceiling-tcp", made)] if made else []


def _rows(of: Bars) -> Iterator[Row]:
    for heading, own in of.panels.items():
        for key, what in of.keyed(heading):
            if isinstance(what, Bar):
                yield _row(of, what, is_few=len(own) <= FEW) | {"key": key}


def _row(of: Bars, bar: Bar, *, is_few: bool) -> Row:
    point, measured = bar.point, headline.payload(bar.point)
    load, most = point.values.get("cpu_busy"), of.ceilings.get(id(bar.point))
    to = of.scale(bar.l4)
    text = number.interval(measured, to, at_least=point.at_least) if measured else ""
    if is_few and load:
        text += f" (CPU {number.plain(load.value * 100, 0)} %)"
    row: Row = {"panel": bar.panel, "arm": point.arm, "setup": point.setup}
    row |= {"point": traffic.point_words(point)} | three(PAYLOAD, measured)
    row |= {"cpu_busy": finite(load.value) if load else None}
    row |= {"ceiling_bps": most.value if most else None, "limit": point.limit}
    near = "yes" if most and most.value <= NEAR * bar.value else ""
    return row | {"near": near, "text": text}


def _hollow(of: Bars, _: Sequence[Row]) -> Iterator[Row]:
    for heading, own in of.panels.items():
        to = of.scale(own[0].l4)
        for key, what in of.keyed(heading):
            if not isinstance(what, Bar):
                bps = what.published.value
                row = published.row(what) | {"panel": heading, "key": key, PAYLOAD: bps}
                yield row | {"text": f"{bps / to.factor:.4g} published"}


def _caption(d: Drawn[Bars]) -> str:
    texts = [
        "Payload in bits a second: of UDP what arrived, of TCP what the receiving program read. "
        "Bar: median; whisker: its interval.",
        f"{study.sent([bar.point for bar in d.of.bars])}.",
        _tester(numbers(d.rows, "ceiling_bps")),
        d.of.choice.words(),
    ]
    return " ".join(filter(None, texts))


def _tester(bps: Sequence[float]) -> str:
    if not bps:
        return ""
    ends = dict.fromkeys(number.quantity(value, "bit/s") for value in (min(bps), max(bps)))
    return f"The tester alone reaches {' to '.join(ends)} (grey, where it is near)."


def _panels(d: Drawn[Bars]) -> list[Panel]:
    return [(heading, _panel(d, heading)) for heading in d.of.panels]


def _panel(d: Drawn[Bars], heading: str) -> Part:
    l4 = d.of.panels[heading][0].l4
    rows, hollow = (_of(every, [heading]) for every in (d.rows, d.extra["published"]))
    x = theme.bits_across(PAYLOAD, "payload", d.of.scale(l4), *_ends(d, l4))
    title, y = x["title"], bars.side(order := d.of.order(heading))
    base = vega.rows(d.name, panel=heading)
    tips = vega.tips("setup", "point", "limit") + vega.interval(PAYLOAD)
    look = {"color": theme.color(once(rows, "arm"), []), "tooltip": tips, "height": {"band": 0.66}}
    bar, whisker, _ = bars.ranked(base, PAYLOAD, x, y, **look)
    text = {"style": "value", "align": "left", "dx": 6, "text": "text:N"}
    layers = [
        bar,
        *(_ceiling(base, title, y) if any(row["near"] for row in rows) else ()),
        whisker,
        *base.haloed(x=channel(f"{PAYLOAD}_hi:Q", title=title), y=y, **text),
        *(_marks(vega.rows(f"{d.name}-published", panel=heading), x, y) if hollow else ()),
    ]
    return bars.down(f"Payload, {heading}", order, layers)


def _of(rows: Sequence[Row], headings: Sequence[str]) -> list[Row]:
    return [row for row in rows if row["panel"] in headings]


def _ends(d: Drawn[Bars], l4: str) -> tuple[float, int]:
    """Where the axis of a protocol ends, and the pixels that text needs behind it."""
    own = [heading for heading, made in d.of.panels.items() if made[0].l4 == l4]
    rows, hollow = (_of(every, own) for every in (d.rows, d.extra["published"]))
    marks = numbers([*rows, *hollow], PAYLOAD, f"{PAYLOAD}_hi")
    marks += numbers([row for row in rows if row["near"]], "ceiling_bps")
    return max([*marks, 1.0]), bars.room([str(row["text"]) for row in (*rows, *hollow)])


def _ceiling(base: Rows, title: str, y: Part) -> list[Part]:
    look = {"style": "ceiling", "thickness": 1.5, "size": bars.ROW}
    x = channel("ceiling_bps:Q", title=title)
    return [base.where(near="yes").mark("tick", x=x, y=y, **look)]


def _marks(base: Rows, x: Part, y: Part) -> list[Part]:
    text = {"style": "note", "align": "left", "dx": 10, "text": "text:N"}
    look = {"tooltip": published.TIPS, **published.LOOK, "shape": "diamond"}
    return [base.mark("point", x=x, y=y, **look), base.mark("text", x=x, y=y, **text)]


def _least(d: Drawn[Bars]) -> str:
    payloads = (headline.payload(bar.point) for bar in d.of.bars)
    least = min((i for i in payloads if i), key=lambda i: i.lo)
    return f"The tester alone moves at least {number.at_least(least, 'bit/s')} of TCP payload"


COLUMNS = {"panel": "traffic", "setup": "setup", "point": "point"}
COLUMNS |= heads(PAYLOAD, "payload", "bit/s")
COLUMNS |= {"cpu_busy": "CPU busy (ratio)", "ceiling_bps": "tester's ceiling (bit/s)"}
COLUMNS |= {"limit": "bottleneck"}

STUDY = Chart[Bars](
    name=lambda of: of.name,
    rows=_rows,
    columns=COLUMNS,
    title=lambda d: bar.title(d.of.bars),
    caption=_caption,
    form=_panels,
    extra={"published": _hollow},
)

CEILING = replace(STUDY, title=_least)
