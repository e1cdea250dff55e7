# SPDX-License-Identifier: Apache-2.0
"""How one-way delay is distributed: a line for each arm and load, once whole, once for its tail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.math.histogram import reached, width
from gatemark.store.record import Record
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import each_run, latency, pool, sweep, trace
from gatemark.tell.group.latency import NAMES, Load, Timed
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named as lettered
from gatemark.tell.group.trace import Sheaf
from gatemark.tell.words import number, traffic

LOADS = {"low": "low rate", "near": "near the knee", "over": "overload"}
FLOOR = "bare veth"  # the tester alone
FINE = 0.01  # of the packets, and
FINE_NINES = 0.05  # of a nine: a point of a line that moves less than both is left out
TELLING = ("p9999", "p999", "p99", "p90", "p50")  # the furthest that all lines tell is the title's
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
        """How many."""
        return sum(self.counts.values())


def of_sweep(
    judgement: Judgement, knees: Sequence[Knee], records: Sequence[Record], sheaf: Sheaf
) -> Figure | None:
    """At a low rate, near the knee and in overload; None without histograms."""
    drawn = latency.loads(judgement, knees)
    named_ = [Load(load.arm, LOADS[load.load], load.point) for load in drawn]
    return _figure(sweep.anchor("cdf", knees[0]), named_, {}, (records, sheaf))


def of_timed(timed: Timed, source: Source) -> Figure | None:
    """At every load that was timed, beside the tester alone; None without histograms."""
    floors = each_run.floors(source, timed)
    return _figure(f"cdf-{timed.anchor}", timed.loads, floors, (source.records, source.sheaf))


def _figure(
    name: str,
    loads: Sequence[Load],
    floors: Mapping[str, PointResult],
    source: tuple[Sequence[Record], Sheaf],
) -> Figure | None:
    """Two panels for each direction: the share within a delay, and the share slower than it."""
    kept, sheaf = trace.trials(source[0]), source[1]
    lines = [
        Line(load.arm, load.load, load.direction, counts)
        for load in loads
        if (counts := pool.histogram(load.point, kept, sheaf))
    ]
    if not lines:
        return None
    pooled = {label: pool.histogram(floor, kept, sheaf) for label, floor in floors.items()}
    ways = list(dict.fromkeys(line.way for line in lines))
    every = [
        *lines,
        *(
            Line(lettered(label, FLOOR), FLOOR, way, alone)
            for way in ways
            for label, alone in pooled.items()
            if alone
        ),
    ]
    return Figure(
        name=name,
        title=_title(loads),
        definition=_definition(loads[0].point, every),
        panels=tuple(panel for way in ways for panel in _panels(name, way, every)),
        rows=[row for line in every for row in _rows(line)],
        columns={
            "arm": "setup",
            "direction": "direction",
            "load": "load",
            "delay_ns": "one-way delay (ns)",
            "below": "share within this delay (ratio)",
            "reached": "share slower than this (ratio)",
        },
        plan=loads[0].point.plan,
    )


def _title(loads: Sequence[Load]) -> str:
    """The finding: within what time nearly all packets arrive, of the first arm, load by load.

    These are the percentiles of all other figures and tables: medians of the repeats' own.
    """
    first = loads[0]
    own = [load for load in loads if (load.arm, load.direction) == (first.arm, first.direction)]
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


def _definition(point: PointResult, every: Sequence[Line]) -> str:
    least, most = (f(line.packets for line in every) for f in (min, max))
    return (
        f"{latency.WHERE} {traffic.traffic(point.definition)}; all repeats together, "
        f"{least:,.0f} to {most:,.0f} packets a line. A percentile in words is the median of the "
        "repeats' own percentiles, which a line of all repeats together need not meet. "
        "Left: the share within this delay "
        "(CDF); right: the share slower than this (CCDF), on a log axis that shows the tail. "
        f"Log axis of delay, known to within {latency.KNOWN}."
        + (f" Grey: {FLOOR}, the tester without a gateway." if _floors(every) else "")
    )


def _rows(line: Line) -> list[Row]:
    """The line where it moves: hundreds of buckets make dozens of points."""
    rows: list[Row] = []
    last = (2.0, 0.0)
    points = list(reached(line.counts))
    for place, (low, part) in enumerate(points):
        nines = -log10(part)
        moved = last[0] - part >= FINE or nines - last[1] >= FINE_NINES
        if not moved and place not in (0, len(points) - 1):
            continue
        last = part, nines
        row: Row = {"arm": line.arm, "direction": line.way, "load": line.load}
        row |= {"delay_ns": float(max(low, 1)), "below": float(f"{1 - part:.5g}")}
        rows.append(row | {"reached": float(f"{part:.4g}")})
    end: Row = {**rows[-1], "delay_ns": float(max(line.counts) + width(max(line.counts)))}
    return [
        *rows,
        end | {"below": 1.0, "reached": None},
    ]  # nobody is slower: no place on a log axis


def _panels(name: str, way: str, every: Sequence[Line]) -> list[tuple[str, Part]]:
    lines = [line for line in every if line.way == way]
    heads = {"below": "within this delay (CDF)", "reached": "slower than this (CCDF): the tail"}
    return [
        (f"{traffic.heading(way)}, {head}", _panel(name, y, lines)) for y, head in heads.items()
    ]


def _panel(name: str, field: str, drawn: Sequence[Line]) -> Part:
    way, lines = drawn[0].way, [line for line in drawn if line.load != FLOOR]
    arms = list(dict.fromkeys(line.arm for line in lines))
    loads = list(dict.fromkeys(line.load for line in lines))
    base = vega.rows(name, direction=way)
    y = _whole() if field == "below" else _tail(min(1 / line.packets for line in drawn))
    at = {"x": theme.delay_across("delay_ns", _span(drawn)), "y": y, "tooltip": _TIPS}
    look = {"color": theme.color(arms, arms), "strokeDash": theme.strokes("load", loads)}
    layers = []
    if _floors(drawn):
        layers.append(base.where(load=FLOOR).mark("line", **at, detail="arm:N", style="ceiling"))
    own = base.where(f"datum.load !== '{FLOOR}'")
    layers.append(own.mark("line", **at, **look, strokeWidth=1.8))
    what = "Share of packets within a delay" if field == "below" else "Share slower than it"
    return theme.panel(f"{what}, over one-way delay, {traffic.heading(way)}", *layers)


def _whole() -> Part:
    axis, title = {"format": "%", "tickCount": 5}, "within this delay (CDF)"
    return channel("below:Q", title=title, axis=axis, scale={"domain": [0, 1]})


def _tail(least: float) -> Part:
    """From all packets down to the last one, a decade each."""
    decades = range(int(-log10(least)) + 2)
    label = "format(datum.value * 100, '~g') + ' %'"
    axis = {"labelExpr": label, "values": [10.0**-n for n in decades]}
    scale = theme.logarithmic(least / 1.3, 1)
    return channel("reached:Q", title="slower than this (CCDF)", axis=axis, scale=scale)


def _span(lines: Sequence[Line]) -> tuple[float, float]:
    every = [low for line in lines for low in line.counts]
    return float(max(min(every), 1)), float(max(every))


def _floors(every: Sequence[Line]) -> bool:
    return any(line.load == FLOOR for line in every)
