# SPDX-License-Identifier: Apache-2.0
"""Charts over the offered rate of a sweep: received with the knee, delay, CPU; delay's tail."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.judgement import Knee
from gatemark.store.record import Record
from gatemark.tell.chart import curve, distribution, theme, vega
from gatemark.tell.chart.figure import Chart, Drawn, Panel, Row, finite, heads, numbers, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import latency, sweep
from gatemark.tell.group.each_run import letter, testers
from gatemark.tell.group.latency import NAMES, PARTS, Load
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named
from gatemark.tell.words import headline, number, traffic

COLUMNS: Final = {"arm": "setup", "direction": "direction", "offered_pps": "offered (packets/s)"}
LIMIT: Final = {"limit": "bottleneck"}


@dataclass(frozen=True, slots=True)
class Sweep:
    """Knees that share a plan and a kind of traffic, and the run that has them."""

    source: Source
    knees: Sequence[Knee]

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.knees[0].plan

    @property
    def arms(self) -> list[str]:
        """The arms in the order of the plan."""
        return sweep.arms(self.knees)

    @property
    def ways(self) -> list[str]:
        """Each direction once, in the order of the plan: they make panels."""
        return list(dict.fromkeys(knee.direction for knee in self.knees))

    @property
    def sent(self) -> str:
        """The traffic in words."""
        return traffic.traffic(self.knees[0].definition)

    def rows(self, *quantities: str) -> list[Row]:
        """One row for each point, with these quantities and their intervals."""
        return [
            Row(arm=knee.arm, direction=knee.direction, offered_pps=sweep.offered_pps(point))
            | {
                end: v
                for name in quantities
                for end, v in three(name, point.values.get(name)).items()
            }
            | {"limit": point.limit}
            for knee in self.knees
            for point in sweep.points_of(self.source.judgement, knee)
        ]


Sketch = Drawn[Sweep]


def sweeps(source: Source) -> list[Sweep]:
    """All sweeps that have points."""
    groups = sweep.groups(source.judgement)
    return [Sweep(source, knees) for knees in groups if sweep.points_of(source.judgement, knees[0])]


def anchor(kind: str) -> Callable[[Sweep], str]:
    """The name of a figure of this kind."""
    return lambda swept: sweep.anchor(kind, swept.knees[0])


def _ways(draw: Callable[[Sketch, str], Part]) -> Callable[[Sketch], list[Panel]]:
    return lambda d: [(traffic.heading(way), draw(d, way)) for way in d.of.ways]


# Offered against received, with the knee.

LEFTMOST, RIGHTMOST = 0.4, 0.54  # share of the axis that a label needs on its side at 360 px
MOST_DOTS = 1200  # that a browser draws at once; of more trials every second, third, ... is shown
HEADROOM = 1.25  # of the highest value; a ceiling below that is drawn, a higher one is named
CEILING = "tester's ceiling"


def until(knees: Sequence[Knee]) -> str:
    """The finding: `The slowed gateway keeps up until 30.1 k packets/s (route): ↑ up, 64 B`."""
    lead = sweep.lead(knees)
    load = traffic.load(lead[0].definition)
    keeps = f"The {'slowed ' if lead[0].definition.slow_to_pps else ''}gateway keeps up until"
    if len(lead) <= theme.LABELLED:
        return f"{keeps} {', '.join(map(_until, lead))}: {load}"
    lead.sort(key=lambda knee: -knee.knee_pps.value)
    return f"{keeps} {_until(lead[0])} at best, {_until(lead[-1])} at worst: {load}"


def _until(knee: Knee) -> str:
    if knee.at_least:
        return f"{number.AT_LEAST}{number.at_least(knee.knee_pps, 'packets/s')} ({knee.arm})"
    return f"{_pps(knee)} ({knee.arm})"


def _pps(knee: Knee) -> str:
    return number.measured(knee.knee_pps.value, knee.knee_pps.lo, knee.knee_pps.hi, "packets/s")


def _received(d: Sketch) -> str:
    """What was measured, under which slowdown, and how far the tester itself could go."""
    step = _step(d.of)
    dots = "single trials" if step == 1 else f"one of {step} trials"
    ceilings = _ceilings(d.of)
    parts = [
        f"Received against offered rate: {d.of.sent}. "
        f"Line: median; band: its interval; dots: {dots}. Upright: the knee, the offered rate "
        "beyond which received no longer follows.",
        *_slowdowns(d.of.knees),
        *([_tester(ceilings)] if ceilings else []),
    ]
    return " ".join(parts)


def _slowdowns(knees: Sequence[Knee]) -> list[str]:
    """How slow the gateway was made on purpose; of several runs, which arms by how much."""
    arms: dict[int, list[str]] = {}
    for knee in knees:
        arms.setdefault(knee.definition.slow_to_pps, []).append(knee.arm)
    texts = {pps: f"slowed to about {number.nominal(pps, 'packets/s')}" for pps in arms}
    if len(arms) == 1:
        return [f"The gateway is {text}." for pps, text in texts.items() if pps]
    each = (
        f"{', '.join(dict.fromkeys(names))} {texts[pps] if pps else 'without a slowdown'}"
        for pps, names in arms.items()
    )
    return [f"{'; '.join(each)}."]


def _tester(ceilings: Mapping[str, Mapping[str, float]]) -> str:
    """What each run's tester reaches in its slower direction."""
    least: dict[str, float] = {}
    for label, pps in (item for own in ceilings.values() for item in own.items()):
        least[label] = min(pps, least.get(label, pps))
    texts = [named(label, number.quantity(pps, "packets/s")) for label, pps in least.items()]
    return f"The tester alone reaches {'; '.join(texts)}."


def _ceilings(swept: Sweep) -> dict[str, dict[str, float]]:
    """The tester's own packets/s by direction and letter of the run; of several the lowest."""
    alone = testers(swept.source)
    ceilings: dict[str, dict[str, float]] = {}
    for knee in swept.knees:
        label = letter(swept.source, knee.arm)
        for point in headline.bounds(alone[label], knee):
            if point.definition.direction == knee.direction and "received_pps" in point.values:
                own, pps = ceilings.setdefault(knee.direction, {}), point.values["received_pps"]
                own[label] = min(pps.value, own.get(label, pps.value))
    return ceilings


def _trials(swept: Sweep) -> list[Row]:
    source, knees = swept.source, swept.knees
    return source.once(("trials", *map(id, knees)), lambda: [*_dots(source.records, knees)])


def _dots(records: Sequence[Record], knees: Sequence[Knee]) -> Iterator[Row]:
    for knee in knees:
        for record in sweep.records_of(records, knee):
            offered = record.values["offered_pps"]
            yield {
                "arm": knee.arm,
                "direction": knee.direction,
                "offered_pps": sweep.asked_pps(record.point, record.definition, offered),
                "received_pps": finite(record.values["received_pps"]),
            }


def _step(swept: Sweep) -> int:
    """One of so many trials has a dot."""
    return -(-len(_trials(swept)) // MOST_DOTS) or 1


def _marks(swept: Sweep, rows: Sequence[Row]) -> Iterator[Row]:
    """Where the knees stand; labels keep out of each other's way by side and level."""
    right = max([0.0, *numbers(rows, "offered_pps")])
    for way in swept.ways:
        knees = sorted(
            (knee for knee in swept.knees if knee.direction == way), key=lambda k: k.knee_pps.value
        )
        for level, knee in enumerate(knees):
            bound = number.AT_LEAST if knee.at_least else ""
            short = f"{bound}{_pps(knee).removesuffix('packets/s').strip()}"  # without its interval
            row: Row = {"arm": knee.arm, "direction": way, "label": f"{knee.arm} {short}"}
            left_from = RIGHTMOST if knee is knees[-1] else LEFTMOST
            side = "left" if knee.knee_pps.value > left_from * right else "right"
            yield row | three("knee_pps", knee.knee_pps) | {"side": side, "level": level}


def _ends(swept: Sweep, rows: Sequence[Row]) -> Iterator[Row]:
    """The last point of each line, where its arm's name stands: above the highest, else below."""
    del swept
    last = {(row["arm"], row["direction"]): row for row in rows}
    best: dict[object, float] = {}
    for (_, way), row in last.items():
        best[way] = max(best.get(way, 0.0), float(row["received_pps"] or 0))
    for (_, way), row in last.items():
        top = float(row["received_pps"] == best[way])
        yield _only(row, "arm", "direction", "offered_pps", "received_pps") | {"top": top}


def _only(row: Row, *names: str) -> Row:
    return {name: row[name] for name in names}


def _knee_panel(d: Sketch, way: str) -> Part:
    arms, right, top = d.of.arms, d.most("offered_pps"), d.most("received_pps_hi") * 1.15
    near = {a: pps for a, pps in _ceilings(d.of).get(way, {}).items() if pps <= top * HEADROOM}
    top = max([top, *(pps * 1.08 for pps in near.values())])
    at = {"x": theme.offered_axis(right), "y": theme.received_axis(top)}
    ideal = [{"offered_pps": end, "received_pps": end} for end in (0, min(right, top))]
    dots = vega.rows(f"{d.name}-repeats", direction=way)
    return theme.panel(
        f"Received against offered rate, {traffic.heading(way)}",
        vega.inline(*ideal).mark("line", **at, style="ideal", clip=True),
        *(layer for each in near.items() for layer in _ceiling(*each, at["y"])),
        *_knees(vega.rows(f"{d.name}-marks", direction=way), arms, top),
        dots.mark("circle", **at, color=theme.color(arms), size=12, opacity=0.45),
        *curve.line(vega.rows(d.name, direction=way), "received_pps", at, arms),
        *_arms(d, way, at),
    )


def _arms(d: Sketch, way: str, at: Part) -> Iterator[Part]:
    """Each arm's name at the end of its line."""
    for highest, dy in ((1, -12), (0, 16)) if theme.direct(d.of.arms) else ():
        ends = vega.rows(f"{d.name}-ends", direction=way, top=highest)
        look = {"style": "label", "align": "right", "dy": dy}
        yield ends.mark("text", **at, text="arm:N", color=theme.color(d.of.arms), **look)


def _ceiling(label: str, pps: float, y: Part) -> list[Part]:
    base = vega.inline({"received_pps": pps, "label": named(label, CEILING)})
    text = {"style": "note", "align": "left", "dx": 4, "dy": -6, "text": "label:N"}
    rule = base.mark("rule", y=y, style="ceiling")
    return [rule, base.mark("text", x=vega.value(0), y=y, **text)]


def _knees(base: vega.Rows, arms: Sequence[str], top: float) -> list[Part]:
    color, x = theme.color(arms), channel("knee_pps:Q")
    rule = {"color": color, "strokeDash": theme.dash(arms), "strokeWidth": 1.5, "clip": True}
    at, level = {"x": x, "y": channel("at:Q")}, f"{top * 0.05} + {top * 0.08} * datum.level"
    return [
        base.span("rect", "x", "knee_pps", color=color, opacity=0.25),
        base.mark("rule", x=x, **rule),
        *curve.sided(base, arms, "label", at, at=level),
    ]


KNEE = Chart[Sweep](
    name=anchor("knee"),
    rows=lambda swept: swept.rows("received_pps", "loss_ratio"),
    columns=COLUMNS
    | heads("received_pps", "received", "packets/s")
    | heads("loss_ratio", "loss", "ratio")
    | LIMIT,
    title=lambda d: until(d.of.knees),
    caption=_received,
    form=_ways(_knee_panel),
    extra={
        "repeats": lambda swept, _: _trials(swept)[:: _step(swept)],
        "marks": _marks,
        "ends": _ends,
    },
)

# CPU: a straight line to 100 % says that it is the bottleneck.

FULL = 0.97  # busy share from which a thread has no time left


def _filled(d: Sketch) -> str:
    """The finding: is the CPU full at every knee?"""
    loaded = (sweep.loaded(d.of.source.judgement, knee) for knee in d.of.knees)
    busy = [p.values["cpu_busy"].value for p in loaded if p and "cpu_busy" in p.values]
    load = traffic.load(sweep.lead(d.of.knees)[0].definition)
    if busy and min(busy) >= FULL:
        return f"The gateway's CPU is full where each setup stops following: {load}"
    if busy:
        most = number.quantity(max(busy), "ratio")
        return f"The gateway's CPU is at most {most} busy where setups stop following: {load}"
    return "How busy is the gateway's CPU?"


def _steepest(swept: Sweep, rows: Sequence[Row]) -> Iterator[Row]:
    """A place for each arm's name: the steepest line is named on its left, the others right.

    The place is the last point below 70 %, where lines have parted and are not yet flat.
    """
    del swept
    kept: dict[tuple[object, object], Row] = {}
    for row in rows:
        key = (row["direction"], row["arm"])
        if key not in kept or float(row["cpu_busy"] or 0) < 0.7:
            kept[key] = row
    for way in dict.fromkeys(way for way, _ in kept):
        own = sorted((row for (w, _), row in kept.items() if w == way), key=lambda r: -_steep(r))
        for place, row in enumerate(own):
            side = "right" if place else "left"
            yield _only(row, "arm", "direction", "offered_pps", "cpu_busy") | {"side": side}


def _steep(row: Row) -> float:
    return float(row["cpu_busy"] or 0) / max(float(row["offered_pps"] or 0), 1.0)


def _cpu_panel(d: Sketch, way: str) -> Part:
    at = {"x": theme.offered_axis(d.most("offered_pps")), "y": theme.busy_axis("cpu_busy")}
    names = vega.rows(f"{d.name}-names", direction=way)
    return theme.panel(
        f"CPU busy against offered rate, {traffic.heading(way)}",
        curve.level("cpu_busy", 1, y=at["y"]),
        *curve.line(vega.rows(d.name, direction=way), "cpu_busy", at, d.of.arms),
        *curve.sided(names, d.of.arms, "arm", at, 1.5),
    )


CPU = Chart[Sweep](
    name=anchor("cpu"),
    rows=lambda swept: [r for r in swept.rows("cpu_busy") if r["cpu_busy"] is not None],
    columns=COLUMNS | heads("cpu_busy", "CPU busy", "ratio") | LIMIT,
    title=_filled,
    caption=lambda d: (
        "Share of its own CPU that the gateway's busiest thread used, read from outside "
        f"(schedstat), against the offered rate: {d.of.sent}. Line: median; band: its interval."
    ),
    form=_ways(_cpu_panel),
    extra={"names": _steepest},
)

# Delay: median and 99th percentile, on a log axis.

QUANTILES = {"delay_p50_ns": "p50", "delay_p99_ns": "p99"}


def _idle_and_loaded(d: Sketch) -> str:
    """The finding: what the median is when idle, and when it cannot follow."""
    delays = sweep.delays(d.of.source.judgement, d.of.knees)
    if delays is None:
        return "How long does a packet take?"
    knee, points = delays
    ends = (points[0].values["delay_p50_ns"], points[-1].values["delay_p50_ns"])
    light, heavy = (number.quantity(end.value, "ns") for end in ends)
    what = f"{f'{knee.arm}, ' if len(d.of.arms) > 1 else ''}{traffic.load(knee.definition)}"
    return (
        f"A packet takes {light} through an idle gateway, {heavy} through an overloaded one: {what}"
    )


def _first(swept: Sweep, rows: Sequence[Row]) -> list[Row]:
    """Each arm's name at the first point of its median, below and above by turns."""
    del swept
    first: dict[tuple[object, object], Row] = {}
    for row in rows:
        first.setdefault((row["arm"], row["direction"]), row)
    order = list(dict.fromkeys(row["arm"] for row in rows))
    return [
        _only(row, "arm", "direction", "offered_pps", *QUANTILES)
        | {"place": float(order.index(row["arm"]))}
        for row in first.values()
    ]


def _delay_panel(d: Sketch, way: str) -> Part:
    arms, x = d.of.arms, theme.offered_axis(d.most("offered_pps"))
    values = numbers(d.rows, *QUANTILES)
    base, color, dash = vega.rows(d.name, direction=way), theme.color(arms), theme.dash(arms)
    y50, y99 = (theme.delay_axis(quantity, values) for quantity in QUANTILES)
    return theme.panel(
        f"One-way delay against offered rate, {traffic.heading(way)}",
        base.span("area", "y", "delay_p99_ns", "one-way delay", x=x, color=color, opacity=0.15),
        base.mark("line", x=x, y=y99, color=color, strokeDash=dash, strokeWidth=1),
        *curve.line(base, "delay_p50_ns", {"x": x, "y": y50}, arms),
        *(_quantiles(d, way, x, y50) if theme.direct(arms) else ()),
    )


def _quantiles(d: Sketch, way: str, x: Part, y: Part) -> Iterator[Part]:
    base, arms = vega.rows(f"{d.name}-names", direction=way), d.of.arms
    look = {"align": "left", "dx": -4}
    thin = {"x": x, "y": channel("delay_p99_ns:Q"), "text": vega.value("p99"), "style": "note"}
    yield base.where(place=0).mark("text", **thin, **look, dy=-9)
    at = {"x": x, "y": y, "color": theme.color(arms), "text": "arm:N", "style": "label"}
    for place in range(len(arms)):
        yield base.where(place=place).mark("text", **at, **look, dy=14 + 15 * place)


DELAY = Chart[Sweep](
    name=anchor("delay"),
    rows=lambda s: [r for r in s.rows(*QUANTILES) if r["delay_p50_ns"] is not None],
    columns=COLUMNS
    | heads("delay_p50_ns", "delay p50", "ns")
    | heads("delay_p99_ns", "delay p99", "ns"),
    title=_idle_and_loaded,
    caption=lambda d: (
        f"One-way delay of every packet that arrived, against the offered rate: {d.of.sent}. "
        "Thick: median (p50); thin: 99th percentile (p99); bands: their intervals. Log axis."
    ),
    form=_ways(_delay_panel),
    extra={"names": _first},
)

# Delay by percentile on an axis of nines: at a low rate, near the knee and in overload.

DODGE = 5  # pixels between the whiskers of two arms
# Each percentile at -log10 of what is above it; the largest has no place of its own there.
PLACES = {name: distribution.nine(part) for name, part in PARTS.items()}
MAX = 0.7  # it stands so far right of the last percentile
LOADS = {"low": "low rate", "near": "near the knee", "over": "overload"}
_WHEN = {"low": "at a low rate", "near": "near the knee", "over": "in overload"}
_SHORT = LOADS | {"near": "near knee"}
ROOM = 62  # pixels for these
_TAILS = {"delay_p999_ns": "a thousand", "delay_p99_ns": "a hundred"}
_TIPS = [
    *vega.tips("arm", "load", "percentile"),
    *vega.numbers("~s", {"offered_pps": "offered"}),
    *vega.interval("delay_ns"),
]


def _loads(swept: Sweep) -> list[Load]:
    return latency.loads(swept.source.judgement, swept.knees)


def slowest(drawn: Sequence[Load]) -> str:
    """The finding: the slowest packet of a thousand, or of a hundred, of the first arm."""
    first = drawn[0]
    loads = [load for load in drawn if (load.arm, load.direction) == (first.arm, first.direction)]
    for tail, many in _TAILS.items():
        if all(tail in load.point.values for load in loads):
            takes = ", ".join(
                f"{number.quantity(load.point.values[tail].value, 'ns')} {_WHEN[load.load]}"
                for load in loads
            )
            who = f"{first.arm}, {traffic.load(first.point.definition)}"
            return f"One packet in {many} takes at least {takes}: {who}"
    return "How long do the slowest packets take?"


def _rates(d: Sketch) -> str:
    """The loads in packets/s: `Low rate: 5 k packets/s; near the knee: 25 k packets/s.`"""
    parts = []
    for load, text in LOADS.items():
        rates = sorted({float(row["offered_pps"] or 0) for row in d.rows if row["load"] == load})
        ends = [number.nominal(rate, "packets/s") for rate in (*rates[:1], *rates[1:][-1:])]
        parts += [f"{text}: {' to '.join(ends)}"] if ends else []
    return f"{'; '.join(parts)}.".capitalize()


def _places(loads: Sequence[Load]) -> dict[str, float]:
    """Where each percentile stands that any of these points has, the largest behind the last."""
    known = {name for load in loads for name in NAMES if f"delay_{name}_ns" in load.point.values}
    values = {name: place for name, place in PLACES.items() if name in known}
    return values | {"max": max(values.values()) + MAX}


def _percentiles(swept: Sweep) -> Iterator[Row]:
    drawn = _loads(swept)
    for load in drawn:
        for short, place in _places(drawn).items():
            if measured := load.point.values.get(f"delay_{short}_ns"):
                row: Row = {"arm": load.arm, "direction": load.direction, "load": load.load}
                row["offered_pps"] = sweep.offered_pps(load.point)
                row |= {"percentile": NAMES[short], "place": place}
                yield row | three("delay_ns", measured)


def _percentile_panel(d: Sketch, way: str) -> Part:
    arms, places = d.of.arms, _places(_loads(d.of))
    end = vega.expression(f"{max(places.values()) + 0.1:g} * width / max(width - {ROOM}, 40)")
    names = {NAMES[name]: place for name, place in places.items()}
    x = distribution.nines("place", "of the packets are no slower", names, (0, end))
    values = [value or 1 for value in numbers(d.rows, "delay_ns", "delay_ns_lo", "delay_ns_hi")]
    at = {"x": x, "y": theme.delay_axis("delay_ns", values)}
    layers: list[Part] = []
    for place, arm in enumerate(arms):
        base = vega.rows(d.name, direction=way, arm=arm)
        layers += _dodged(base, at, arms, DODGE * (place - (len(arms) - 1) / 2))
    layers.append(_names([row for row in d.rows if row["direction"] == way], at))
    return theme.panel(f"One-way delay by percentile, {traffic.heading(way)}", *layers)


def _dodged(base: vega.Rows, at: Part, arms: Sequence[str], aside: float) -> list[Part]:
    """An arm's lines with a whisker at each point, a little aside of the other arms'."""
    texts = list(arms) if len(arms) > 1 else []
    color = {"color": theme.color(arms, texts), "xOffset": aside}
    whisker = {"x": at["x"], "strokeWidth": 1.5, "opacity": 0.6}
    line = {"strokeDash": theme.dash(arms, texts), "detail": "load:N", "strokeWidth": 2}
    return [
        base.span("rule", "y", "delay_ns", at["y"]["title"], **whisker, **color),
        base.mark("line", **at, **line, **color),
        curve.dots(base, **at, shape=theme.shape(arms, texts), tooltip=_TIPS, **color),
    ]


def _names(rows: Sequence[Row], at: Part) -> Part:
    """Each load's name behind the right end of its lowest line."""
    ends: dict[object, Row] = {}
    for row in sorted(rows, key=_end):
        ends.setdefault(row["load"], row)
    values = [
        {"place": ends[load]["place"], "delay_ns": ends[load]["delay_ns"], "text": _SHORT[load]}
        for load in dict.fromkeys(str(row["load"]) for row in rows)
    ]
    look = {"style": "note", "align": "left", "baseline": "middle", "dx": 9}
    return vega.inline(*values).mark("text", **at, text="text:N", **look)


def _end(row: Row) -> tuple[float, float]:
    """Furthest right first, then lowest."""
    return -float(row["place"] or 0), float(row["delay_ns"] or 0)


PERCENTILE = Chart[Sweep](
    name=anchor("percentile"),
    rows=_percentiles,
    columns={"arm": "setup", "direction": "direction", "load": "load"}
    | {"offered_pps": "offered (packets/s)", "percentile": "percentile"}
    | heads("delay_ns", "delay", "ns"),
    title=lambda d: slowest(_loads(d.of)),
    caption=lambda d: (
        f"How long the slowest packets take: one-way delay by percentile, {d.of.sent}. Each nine "
        f"further right is a tenth of the packets. {_rates(d)} Line: median; whisker: its "
        "interval. Log axis."
    ),
    form=lambda d: [p for p in _ways(_percentile_panel)(d) if _has(d, p[0])],
)


def _has(d: Sketch, heading: str) -> bool:
    return any(traffic.heading(str(row["direction"])) == heading for row in d.rows)
