# SPDX-License-Identifier: Apache-2.0
"""Charts over the size of a write, datagram or buffer: payload, and the share of its plateau."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatemark.judge.math.interval import Interval
from gatemark.tell.chart import curve, published, theme, vega
from gatemark.tell.chart.figure import (
    Chart,
    Drawn,
    Panel,
    Row,
    finite,
    heads,
    most,
    numbers,
    once,
    three,
)
from gatemark.tell.chart.published import Choice
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import each_run, line, study
from gatemark.tell.group.line import Line
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.group.together import named
from gatemark.tell.words import headline, number, traffic

NEAR = 1.6  # times our highest value: a ceiling below that is drawn, a higher one is named in words
ABOVE = 1.15  # room over the highest mark, for its name
APART = 0.1  # of the axis: names of lines whose ends are nearer go into a legend
PAYLOAD, SHARE = "payload_bps", "share"
GOODPUT = "payload that the receiving program read while it was sent"
_SIZE = (
    "datum.value >= 1048576 && datum.value % 1048576 == 0 ? datum.value / 1048576 + ' MiB' : "
    "datum.value >= 1024 && datum.value % 1024 == 0 ? datum.value / 1024 + ' KiB' : "
    "datum.value + ' B'"
)
COLUMNS = {"kind": "protocol", "direction": "direction", "arm": "setup"}
COLUMNS |= {"size_bytes": "size (bytes)"}


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over sizes, what was published beside them, and the quantity that is drawn."""

    source: Source
    study: Study
    lines: Sequence[Line]
    choice: Choice
    field: str

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.study.plan

    @property
    def kinds(self) -> list[str]:
        """The protocols; each has an axis."""
        return list(dict.fromkeys(line.l4 for line in self.lines))

    def value(self, drawn: Line, measured: Interval | None) -> Row:
        """The drawn quantity of a point."""
        whole = three(self.field, measured)
        if self.field == PAYLOAD:
            return whole
        return {key: float(value or 0) / drawn.plateau for key, value in whole.items()}


def payload(of: tuple[Source, Study]) -> Curves:
    """All lines of a study, if it is one of curves."""
    return _curves(*of, PAYLOAD)


def shares(of: tuple[Source, Study]) -> Curves:
    """The lines that have a plateau."""
    return _curves(*of, SHARE)


def _curves(source: Source, shown: Study, field: str) -> Curves:
    lines = line.lines(shown.points) if shown.shape == "curve" else []
    if field == SHARE:
        lines = [line for line in lines if line.is_flat and line.plateau > 0]
    return Curves(source, shown, lines, published.choose(source.beside, shown.points), field)


def _place(drawn: Line, at: int) -> Row:
    """What every row begins with."""
    row: Row = {"panel": drawn.panel, "kind": drawn.l4.upper(), "direction": drawn.direction}
    return row | {"arm": drawn.name, "size_bytes": drawn.size(at)}


def _rows(of: Curves) -> Iterator[Row]:
    for drawn in of.lines:
        for at, point in enumerate(drawn.points):
            row = _place(drawn, at) | of.value(drawn, headline.payload(point))
            busy = point.values.get("cpu_busy")
            more: Row = {"cpu_busy": finite(busy.value) if busy else None, "limit": point.limit}
            yield row | more if of.field == PAYLOAD else row


def _hollow(of: Curves, _: Sequence[Row]) -> list[Row]:
    """The published values that lie on these lines' sizes; a device is named at its largest."""
    rows: list[Row] = []
    for panel in line.panels(of.lines):
        rows += _panel_hollow(of, panel)
    if of.field == SHARE:
        rows = _shares(rows)
    published.levels(rows, of.field)
    return rows


def _panel_hollow(of: Curves, panel: Sequence[Line]) -> list[Row]:
    place = {id(p): (ours, at) for ours in panel for at, p in enumerate(ours.points)}
    rows = [
        published.row(theirs) | {of.field: theirs.published.value} | _place(*place[id(point)])
        for point, theirs in (of.choice.every if of.field == SHARE else of.choice.near)
        if id(point) in place
    ]
    order = sorted(rows, key=lambda row: float(row["size_bytes"] or 0))
    # Shares end at 1, all of them: there a device is named at its smallest size.
    last = {row["device"]: row for row in (reversed(order) if of.field == SHARE else order)}
    sizes = _sizes(panel)
    for row in rows:
        is_right = float(row["size_bytes"] or 0) <= (sizes[0] * sizes[-1]) ** 0.5
        side = "right" if is_right else "left"
        row["named"] = side if last[row["device"]] is row else ""
    return rows


def _shares(rows: Sequence[Row]) -> list[Row]:
    """Each by the largest of its device and panel; one value alone has no share."""
    best: dict[tuple[object, object], list[float]] = {}
    for row in rows:
        best.setdefault((row["panel"], row["device"]), []).append(float(row[SHARE] or 0))
    return [
        row | {SHARE: float(row[SHARE] or 0) / max(values)}
        for row in rows
        if len(values := best[row["panel"], row["device"]]) > 1
    ]


def _ceilings(of: Curves, rows: Sequence[Row]) -> list[Row]:
    """The tester alone at the same points: in a panel a line of each run, drawn where near."""
    made: list[Row] = []
    for panel in line.panels(of.lines):
        own = [row for row in rows if row["kind"] == panel[0].l4.upper()]
        for alone in _alone(of.source, panel).values():
            ordered = [alone[size] for size in sorted(alone)]
            is_near = most(ordered, PAYLOAD) <= NEAR * most(own, f"{PAYLOAD}_hi")
            near: Row = {"near": "yes" if is_near else ""}
            made += [row | near | {"named": "" if at else "yes"} for at, row in enumerate(ordered)]
    return made


def _alone(source: Source, panel: Sequence[Line]) -> dict[str, dict[float, Row]]:
    """Rows by the name of their line, which has the letter of its run, and by size."""
    points = [point for drawn in panel for point in drawn.points]
    ceilings = each_run.ceilings(source, points)
    lines: dict[str, dict[float, Row]] = {}
    for drawn in panel:
        for at, point in enumerate(drawn.points):
            if alone := ceilings.get(id(point)):
                name = named(each_run.letter(source, point.arm), "tester's ceiling")
                row = _place(drawn, at) | {PAYLOAD: alone.value, "line": name}
                lines.setdefault(name, {})[drawn.size(at)] = row
    return lines


def _ends(d: Drawn[Curves]) -> dict[str, float]:
    """Where each protocol's axis ends: over all that is drawn on it; shares have one axis."""
    if d.of.field == SHARE:
        return dict.fromkeys(d.of.kinds, max(d.most(f"{SHARE}_hi"), 1.0) * ABOVE)
    near = [row for row in d.extra["ceiling"] if row["near"]]
    tops = {
        l4: most(
            [r for r in (*d.rows, *d.extra["published"], *near) if r["kind"] == l4.upper()],
            PAYLOAD,
            f"{PAYLOAD}_hi",
        )
        for l4 in d.of.kinds
    }
    return {l4: top * ABOVE or 1.0 for l4, top in tops.items()}


def _panels(d: Drawn[Curves]) -> list[Panel]:
    """One for each protocol and direction."""
    ends = _ends(d)
    is_direct = _is_direct(d.of, ends)
    return [
        (panel[0].heading, _panel(d, panel, ends[panel[0].l4], is_direct=is_direct))
        for panel in line.panels(d.of.lines)
    ]


def _panel(d: Drawn[Curves], lines: Sequence[Line], end: float, *, is_direct: bool) -> Part:
    first, field, names = lines[0], d.of.field, line.names(d.of.lines)
    shares = {"format": ".0%", "tickCount": 5}
    x, y = _size_axis(lines), theme.bits_axis(field, "payload", end)
    if field == SHARE:
        y = channel("share:Q", title="share of the plateau", axis=shares, scale=between(0, end))
    texts = _in_legend(names, lines, is_direct=is_direct)
    base = vega.rows(d.name, panel=first.panel)
    devices = once(d.extra["published"], "device") if field == SHARE else d.of.choice.devices
    tips = [*vega.tips(arm="setup"), channel("size_bytes:Q", title="size, bytes")]
    tips += vega.interval(field, ".1%" if field == SHARE else ".4s")
    return theme.panel(
        f"{y['title']} over {x['title']}, {first.heading}",
        *_ceiling(d, first, x, y),
        *curve.line(base, field, {"x": x, "y": y}, names, tips, texts),
        *published.layers(d.name, first.panel, devices, x, y),
        *(_names(d.of, lines, x, y) if not texts and len(lines) > 1 else ()),
    )


def _sizes(lines: Sequence[Line]) -> list[float]:
    return sorted({drawn.size(at) for drawn in lines for at in range(len(drawn.points))})


def _size_axis(lines: Sequence[Line]) -> Part:
    sizes, factor = _sizes(lines), lines[0].factor
    axis = {"labelExpr": _SIZE, "values": sizes, "labelOverlap": "parity", "grid": False}
    scale = theme.logarithmic(sizes[0] / 1.1, sizes[-1] * 1.1, base=2)
    size = f"size of a {traffic.SIZES[factor][0]}"
    what = "payload of a datagram" if factor == "payload_bytes" else size
    return channel("size_bytes:Q", title=f"{what}, log axis", axis=axis, scale=scale)


def _in_legend(names: Sequence[str], lines: Sequence[Line], *, is_direct: bool) -> list[str]:
    """The names that a legend must have: none of a single line, none that stand at their lines."""
    if len(lines) == 1:
        return [lines[0].name] if len(names) > 1 else []
    return [] if is_direct else line.names(lines)


def _is_direct(of: Curves, ends: Mapping[str, float]) -> bool:
    """Whether names can stand at the ends of the lines: few, short, with room between them."""
    gaps = [
        (b - a) / ends[panel[0].l4]
        for panel in line.panels(of.lines)
        for a, b in pairwise(sorted(_last(of, drawn) for drawn in panel))
    ]
    return theme.direct(line.names(of.lines)) and min(gaps, default=1.0) > APART


def _last(of: Curves, drawn: Line) -> float:
    value = drawn.values[-1]
    return value / drawn.plateau if of.field == SHARE else value


def _names(of: Curves, lines: Sequence[Line], x: Part, y: Part) -> list[Part]:
    """Each line's name over its last point."""
    rows = [_place(drawn, len(drawn.points) - 1) | {of.field: _last(of, drawn)} for drawn in lines]
    color = theme.color(line.names(of.lines), [])
    text = {"text": "arm:N", "color": color, "align": "right", "dy": -12}
    return vega.inline(*rows).haloed(x=x, y=y, **text, style="label")


def _ceiling(d: Drawn[Curves], first: Line, x: Part, y: Part) -> list[Part]:
    if d.of.field == SHARE:
        return [curve.level(SHARE, 1, y=y)]
    base = vega.rows(f"{d.name}-ceiling", panel=first.panel, near="yes")
    text = {"text": "line:N", "style": "note", "align": "left", "dx": 4, "dy": -8}
    return [
        base.mark("line", x=x, y=y, detail="line:N", style="ceiling", clip=True),
        base.where(named="yes").mark("text", x=x, y=y, **text),
    ]


def _what(lines: Sequence[Line]) -> Iterator[str]:
    """What was measured: `TCP: payload ..., by the size of a write (TCP over IPv4, 1 stream).`"""
    for l4 in dict.fromkeys(drawn.l4 for drawn in lines):
        own = [drawn for drawn in lines if drawn.l4 == l4]
        what = GOODPUT if l4 == "tcp" else "payload received"
        sent = study.sent([point for drawn in own for point in drawn.points])
        yield f"{l4.upper()}: {what}, by the size of a {traffic.SIZES[own[0].factor][0]} ({sent})."


def _tester(ceilings: Sequence[Row]) -> str:
    if not (values := numbers(ceilings, PAYLOAD)):
        return ""
    low, high = (number.quantity(value, "bit/s") for value in (min(values), max(values)))
    return f"The tester alone reaches {low} to {high} at these sizes."


def _caption(d: Drawn[Curves]) -> str:
    parts = [*_what(d.of.lines), "Line: median; band: its interval.", _tester(d.extra["ceiling"])]
    return " ".join(filter(None, (*parts, line.straight(d.of.lines), d.of.choice.words())))


THROUGHPUT = Chart[Curves](
    name=lambda of: of.study.anchor,
    rows=_rows,
    columns=COLUMNS
    | heads(PAYLOAD, "payload", "bit/s")
    | {"cpu_busy": "CPU busy (ratio)", "limit": "bottleneck"},
    title=lambda d: line.title(d.of.lines),
    caption=_caption,
    form=_panels,
    extra={"ceiling": _ceilings, "published": _hollow},
)

PLATEAU = Chart[Curves](
    name=lambda of: f"{of.study.anchor}-share",
    rows=_rows,
    columns=COLUMNS | heads(SHARE, "share of the plateau", "ratio"),
    title=lambda d: line.share_title(d.of.lines),
    caption=lambda d: (
        (
            "Each line by its own plateau: the median at its largest two sizes (three of six or "
            "more). A line that still rises there has none and is left out. "
            "Band: the interval of the value alone."
        )
        + " Hollow markers: published, by the largest value of their device."
        * bool(d.extra["published"])
    ),
    form=_panels,
    extra={"published": _hollow},
)
