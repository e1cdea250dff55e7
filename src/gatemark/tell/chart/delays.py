# SPDX-License-Identifier: Apache-2.0
"""Charts of how one-way delay is distributed: a line for each arm and load, whole and its tail."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log10

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.histogram import reached, width
from gatemark.tell.chart import distribution, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Panel, Row
from gatemark.tell.chart.swept import LOADS, Sweep, anchor
from gatemark.tell.chart.vega import Part
from gatemark.tell.group import each_run, latency, pool, trace
from gatemark.tell.group.latency import NAMES, Load, Timed
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named as lettered
from gatemark.tell.words import number, traffic

FLOOR = "bare veth"  # the tester alone
FINE = 0.01  # of the packets, and
FINE_NINES = 0.05  # of a nine: a point of a line that moves less than both is left out
TELLING = ("p9999", "p999", "p99", "p90", "p50")  # the furthest of all lines is the title's
HEADS = {"below": "within this delay (CDF)", "reached": "slower than this (CCDF)"}
_TIPS = [
    *vega.tips("arm", "load"),
    *vega.numbers(".4s", {"delay_ns": "delay"}),
    *vega.numbers(".3%", {"reached": "slower than this"}),
]


@dataclass(frozen=True, slots=True)
class Line:
    """All packets of one arm at one load."""

    arm: str
    load: str
    way: str
    counts: Mapping[int, float]  # pooled over the repeats

    @property
    def packets(self) -> float:
        """The number of them."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Delays:
    """Loads, the tester alone by the letters of the runs, and the lines of both."""

    name: str
    loads: Sequence[Load]
    lines: Sequence[Line]

    @property
    def plan(self) -> str:
        """The plan of the first load."""
        return self.loads[0].point.plan

    @property
    def own(self) -> list[Line]:
        """The lines of the gateway."""
        return [line for line in self.lines if line.load != FLOOR]


def of_sweep(swept: Sweep) -> Delays:
    """At a low rate, near the knee and in overload."""
    drawn = latency.loads(swept.source.judgement, swept.knees)
    loads = [Load(load.arm, LOADS[load.load], load.point) for load in drawn]
    return _delays(anchor("cdf")(swept), loads, {}, swept.source)


def of_timed(of: tuple[Source, Timed]) -> Delays:
    """At every load that was timed, beside the tester alone."""
    source, timed = of
    floors = each_run.floors(source, timed)
    return _delays(f"cdf-{timed.anchor}", timed.loads, floors, source)


def _delays(
    name: str, loads: Sequence[Load], floors: Mapping[str, PointResult], source: Source
) -> Delays:
    counted = partial(pool.histogram, kept=trace.trials(source.records), sheaf=source.sheaf)
    lines = [
        Line(load.arm, load.load, load.direction, counts)
        for load in loads
        if (counts := counted(load.point))
    ]
    pooled = {lettered(label, FLOOR): counted(floor) for label, floor in floors.items()}
    alone = [
        Line(arm, FLOOR, way, counts)
        for way in dict.fromkeys(line.way for line in lines)
        for arm, counts in pooled.items()
        if counts
    ]
    return Delays(name, loads, [*lines, *alone])


def _title(d: Drawn[Delays]) -> str:
    """The finding: within what time nearly all packets arrive, of the first arm, load by load.

    These are the percentiles of all other figures and tables: medians of the repeats' own.
    """
    first = d.of.loads[0]
    own = [
        load for load in d.of.loads if (load.arm, load.direction) == (first.arm, first.direction)
    ]
    tails = (p for p in TELLING if all(f"delay_{p}_ns" in load.point.values for load in own))
    short = next(tails, None)
    if short is None:
        return "How are delays distributed?"
    parts = [
        f"{number.quantity(load.point.values[f'delay_{short}_ns'].value, 'ns')} ({load.load})"
        for load in own
    ]
    who = f"{first.arm}, {traffic.load(first.point.definition)}"
    return f"{NAMES[short]} of the packets take at most {', '.join(parts)}: {who}"


def _caption(d: Drawn[Delays]) -> str:
    least, most = (f(line.packets for line in d.of.lines) for f in (min, max))
    floor = f" Grey: {FLOOR}, the tester without a gateway."
    return (
        f"{latency.WHERE} {traffic.traffic(d.of.loads[0].point.definition)}; all repeats together, "
        f"{least:,.0f} to {most:,.0f} packets a line. A percentile in words is the median of the "
        "repeats' own percentiles, which a line of all repeats together need not meet. "
        "Left: the share within this delay "
        "(CDF); right: the share slower than this (CCDF), on a log axis that shows the tail. "
        f"Log axis of delay, known to within {latency.KNOWN}."
    ) + floor * (len(d.of.own) < len(d.of.lines))


def _rows(line: Line) -> Iterator[Row]:
    """The line where it moves: hundreds of buckets make dozens of points."""
    base: Row = {"arm": line.arm, "direction": line.way, "load": line.load}
    last, points = (2.0, 0.0), list(reached(line.counts))
    for place, (low, part) in enumerate(points):
        nines = -log10(part)
        moved = last[0] - part >= FINE or nines - last[1] >= FINE_NINES
        if moved or place in (0, len(points) - 1):
            last = part, nines
            row = base | {"delay_ns": float(max(low, 1)), "below": float(f"{1 - part:.5g}")}
            yield row | {"reached": float(f"{part:.4g}")}
    end = float(max(line.counts) + width(max(line.counts)))
    yield base | {"delay_ns": end, "below": 1.0, "reached": None}  # none is slower: no log of it


def _panels(d: Drawn[Delays]) -> list[Panel]:
    """Two for each direction: the share within a delay, and the share slower than it."""
    tails = {"below": "", "reached": ": the tail"}
    return [
        (f"{traffic.heading(way)}, {head}{tails[field]}", _panel(d, way, field))
        for way in dict.fromkeys(line.way for line in d.of.lines)
        for field, head in HEADS.items()
    ]


def _panel(d: Drawn[Delays], way: str, field: str) -> Part:
    lines = [line for line in d.of.lines if line.way == way]
    own = [line for line in d.of.own if line.way == way]
    arms, loads = (list(dict.fromkeys(getattr(o, by) for o in own)) for by in ("arm", "load"))
    low, high = (end(ns for o in lines for ns in o.counts) for end in (min, max))
    y = distribution.within(field, HEADS[field])
    if field == "reached":
        y = distribution.beyond(field, HEADS[field], min(1 / line.packets for line in lines))
    span = float(max(low, 1)), float(high)
    at = {"x": theme.delay_across("delay_ns", span), "y": y, "tooltip": _TIPS}
    look = {"color": theme.color(arms, arms), "strokeDash": theme.strokes("load", loads)}
    base = vega.rows(d.name, direction=way)
    floor = base.where(load=FLOOR).mark("line", **at, detail="arm:N", style="ceiling")
    line = base.where(f"datum.load !== '{FLOOR}'").mark("line", **at, **look, strokeWidth=1.8)
    what = "Share of packets within a delay" if field == "below" else "Share slower than it"
    text = f"{what}, over one-way delay, {traffic.heading(way)}"
    return theme.panel(text, *([floor] if len(own) < len(lines) else []), line)


CDF = Chart[Delays](
    name=lambda of: of.name,
    rows=lambda of: [row for line in of.lines for row in _rows(line)],
    columns={
        "arm": "setup",
        "direction": "direction",
        "load": "load",
        "delay_ns": "one-way delay (ns)",
        "below": "share within this delay (ratio)",
        "reached": "share slower than this (ratio)",
    },
    title=_title,
    caption=_caption,
    form=_panels,
)
