# SPDX-License-Identifier: Apache-2.0
"""Charts of the CPU: by thread at the points that load it, and by each way of accounting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gatemark.judge.math.interval import Interval
from gatemark.judge.point import load as judged
from gatemark.judge.point.load import FLOWS, WAYS, Load
from gatemark.tell.answer.load import level, percent
from gatemark.tell.chart import bars, curve, theme, vega
from gatemark.tell.chart.figure import (
    Chart,
    Drawn,
    Row,
    each,
    heads,
    most,
    numbers,
    once,
    three,
    whole,
)
from gatemark.tell.chart.vega import Part, Rows, between, channel
from gatemark.tell.group import sweep, thread
from gatemark.tell.group.source import Source
from gatemark.tell.group.thread import Use
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT

# By thread: the gateway's threads stacked, the tester's sender and sink thin below them.

ROW = 36  # pixels: a bar, and two thin ones below it
THICK, THIN = 15, 5
NAMED = 0.25  # of a CPU: a part so wide has room for its name
TESTER = ("sender", "sink")


@dataclass(frozen=True, slots=True)
class Uses:
    """The bars of one plan."""

    uses: Sequence[Use]
    left: int  # points that have no room
    bound: bool | None  # whether the sweep found no knee; None: of no sweep
    is_named: bool = False  # of several plans each names its own

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.uses[0].point.plan

    @property
    def order(self) -> list[str]:
        """The keys of bars and headings; the CPU is named where the gateway has several."""
        several = len({use.cpu for use in self.uses}) > 1
        names = (f"{use.name}, CPU {use.cpu}" if several else use.name for use in self.uses)
        return bars.order([(use.heading, n) for use, n in zip(self.uses, names, strict=True)])

    def keyed(self) -> list[tuple[str, Use]]:
        """Each bar with its key."""
        return list(zip(bars.places(self.order), self.uses, strict=True))


def uses(source: Source) -> list[Uses]:
    """All plans whose trials read the gateway's threads."""
    judgement = source.judgement
    swept = {knee.plan: knee.at_least for knee in judgement.knees}
    made = [
        Uses(own, left, swept.get(own[0].point.plan))
        for own, left in thread.plans(judgement, source.records)
    ]
    return [replace(each, is_named=len(made) > 1) for each in made]


def _caption(d: Drawn[Uses]) -> str:
    uses, bound = d.of.uses, d.of.bound
    when = "at the highest rate" if bound else "at the first rate from the knee on"
    paced = any(use.point.point.get(name) for use in uses for name in sweep.RATES)
    ends = "one CPU for both" if any(use.is_shared for use in uses) else "each on its own CPU"
    parts = [
        "What each thread of the gateway used of its CPU "
        f"{'while it was sent' if bound is None else when}, read from outside (schedstat). "
        "Bar: medians; whisker: the interval of their sum.",
        f"Thin: the tester's sender (grey) and sink (hollow), {ends}."
        if any(use.tester for use in uses)
        else "",
        "A sender at a set rate spins while it waits: that is no sign of a limit." if paced else "",
        f"{d.of.left} more points of the plan are not drawn." if d.of.left else "",
        f"Plan: {d.of.plan}." if d.of.is_named else "",
    ]
    return " ".join(filter(None, parts))


def _rows(of: Uses) -> Iterator[Row]:
    """A row for each part of a bar, with the place where it is drawn."""
    for key, use in of.keyed():
        base: Row = {"point": use.heading, "arm": use.name, "key": key}
        own, end = base | {"cpu": "any" if use.cpu is None else f"{use.cpu}"}, 0.0
        for who in sorted(use.threads):
            yield own | _part(who, "gateway", use.threads[who], end)
            end += use.threads[who].value
        end = 0.0
        for who in (name for name in TESTER if name in use.tester):
            part = _part(who, who, use.tester[who], end if use.is_shared else 0.0)
            yield base | {"cpu": "tester's"} | part
            end += use.tester[who].value


def _part(who: str, lane: str, share: Interval, start: float) -> Row:
    row: Row = {"who": who, "lane": lane, "start": start, "end": start + share.value}
    row["label"] = who.removeprefix("napi/") if lane == "gateway" and share.value >= NAMED else ""
    return row | three("busy", share)


def _totals(of: Uses, _: Sequence[Row]) -> Iterator[Row]:
    for key, use in of.keyed():
        text = f"{number.interval(use.total, PERCENT)} %"
        yield Row(key=key, text=text) | three("busy", use.total)


def _threads(d: Drawn[Uses]) -> Part:
    totals, order = d.extra["totals"], d.of.order
    high = max(1.0, most(totals, "busy_hi"))
    axis = {"format": ".0%", "values": [0, 0.5, 1, *range(2, 1 + int(high))]}
    scale = between(0, theme.end(high, bars.room(once(totals, "text"))))
    title, y = "share of one CPU", bars.side(order)
    x = channel("start:Q", title=title, axis=axis, scale=scale)
    base, sums = vega.rows(d.name), vega.rows(f"{d.name}-totals")
    threads = base.where(lane="gateway")
    inside = threads.reckon(middle="(datum.start + datum.end) / 2")
    bar = {"color": _color(d.of.uses), "tooltip": _TIPS, "height": THICK, "yOffset": -THIN}
    name_at = {"x": channel("middle:Q", title=title), "y": y, "text": "label:N", "dy": -THIN}
    text = {"y": y, "text": "text:N", "style": "value", "align": "left", "dx": 8, "dy": -THIN}
    layers = [
        curve.level("start", 1, x=x),
        threads.mark("bar", x=x, x2="end", y=y, **bar),
        inside.mark("text", **name_at, style="within"),
        *_tester(base, d.of.uses, x, y),
        sums.span("rule", "x", "busy", title, y=y, style="whisker", yOffset=-THIN),
        *sums.haloed(x=channel("busy_hi:Q", title=title), **text),
    ]
    return bars.down("CPU by thread", order, layers, ROW)


def _tester(base: Rows, uses: Sequence[Use], x: Part, y: Part) -> Iterator[Part]:
    """Sender and sink in one line where they share a CPU, else below each other."""
    shared = any(use.is_shared for use in uses)
    for place, who in enumerate(TESTER):
        down = THICK - THIN + 1 + (0 if shared else place * (THIN + 1))
        look = {"style": "tester", "filled": who == TESTER[0], "height": THIN, "yOffset": down}
        yield base.where(lane=who).mark("bar", x=x, x2="end", y=y, tooltip=_TIPS, **look)


def _color(uses: Sequence[Use]) -> Part:
    threads = thread.names(uses)
    legend = {"columns": theme.columns(threads, 3), "symbolType": "square", "symbolOpacity": 1}
    shown = legend if len(threads) > 1 else None
    return channel("who:N", scale=vega.names(threads), legend=shown)


_TIPS = vega.tips(arm="setup", point="traffic", who="thread", cpu="CPU")
_TIPS += vega.interval("busy", ".1%")

THREADS = Chart[Uses](
    name=lambda of: sweep.plain(f"thread-{of.plan}"),
    rows=_rows,
    columns={"point": "traffic", "arm": "setup", "cpu": "gateway's CPU", "who": "thread"}
    | heads("busy", "share of a CPU", "ratio"),
    title=lambda d: thread.finding(d.of.uses),
    caption=_caption,
    form=whole(_threads),
    extra={"totals": _totals},
)

# Load against rate or flows: a panel for each setup, a line for each way of accounting. Where
# there is one way, all setups are lines of one panel.

ENDS = {FLOWS: "flows", "rate_bps": "offered, bit/s", "rate_pps": "offered, packets/s"}
BY_BOOKS = "by the scheduler's books (schedstat)"
BY_ALL = (
    f"{BY_BOOKS}, by the ticks of /proc/stat, and by what a loop of the lowest priority lacks "
    "(soak)"
)
APART = 0.1  # of a CPU: ways that differ by more are worth the title
Loads = Sequence[Load]


def loads(source: Source) -> list[Loads]:
    """Those of each plan and what varies in it."""
    return by_plan(judged.loads(source.groups))


def by_plan(loads: Loads) -> list[Loads]:
    """The same, of these."""
    kinds: dict[tuple[str, str], list[Load]] = {}
    for load in loads:
        kinds.setdefault((load.plan, load.factor), []).append(load)
    return list(kinds.values())


def _is_single(loads: Loads) -> bool:
    return len({way for load in loads for way in load.busy}) == 1


def _busy(loads: Loads) -> Iterator[Row]:
    """A line is a way in its setup's panel, or a setup in the one panel."""
    single = _is_single(loads)
    for load in loads:
        for way, busy in load.busy.items():
            row: Row = {"setup": "" if single else load.arm, "level": load.level}
            yield row | {"arm": load.arm if single else way} | three("busy", busy)


def _title(d: Drawn[Loads]) -> str:
    return _one_way(d.of) if _is_single(d.of) else _by_ways(d.of)


def _one_way(loads: Loads) -> str:
    """How busy the CPU is at both ends of what varies, over all setups."""
    levels, texts = [load.level for load in loads], []
    for end in (min(levels), max(levels)):
        at = [load for load in loads if load.level == end]
        busy = [busy.value for load in at for busy in load.busy.values()]
        low, high = percent(min(busy)), percent(max(busy))
        texts.append(f"{low if low == high else f'{low[:-2]} to {high}'} busy at {level(at[0])}")
    return f"The gateway's CPU is {texts[0]}, {texts[1]}"


def _by_ways(loads: Loads) -> str:
    """How far ticks are from the soak, where they are most."""
    distances = [(abs(load.apart.value), load) for load in loads if load.apart]
    if not distances:
        return "How busy is the gateway's CPU?"
    most, worst = max(distances, key=lambda pair: pair[0])
    if most < APART:
        return f"Ticks and soak tell the same CPU load, to {percent(most)} at every point"
    ticks, soak = (percent(worst.busy[way].value) for way in ("ticks", "soak"))
    return f"Ticks mislead: {worst.arm} is {ticks} busy by them, {soak} by the soak"


def _load_panel(d: Drawn[Loads], setup: str) -> Part:
    lines = once([row for row in d.rows if row["setup"] == setup], "arm")
    ways = sorted(lines, key=lambda line: list(WAYS).index(line) if line in WAYS else 0)
    levels, title = [value or 1 for value in numbers(d.rows, "level")], ENDS[d.of[0].factor]
    axis = {"labelExpr": theme.SI, "grid": False, "labelOverlap": True}
    scale = theme.logarithmic(min(levels) * 0.9, max(levels) * 1.1)
    at = {"x": channel("level:Q", title=title, axis=axis, scale=scale)}
    at |= {"y": theme.busy_axis("busy")}
    tips = [*vega.tips(arm="by"), channel("level:Q", title=title)]
    tips += vega.numbers(".1%", {"busy": "", "busy_lo": "", "busy_hi": ""})
    layers = curve.line(vega.rows(d.name, setup=setup), "busy", at, ways, tips, ways)
    return theme.panel(f"CPU busy by each way of accounting, {setup or 'every setup'}", *layers)


def _columns(loads: Loads) -> dict[str, str]:
    columns = {"arm": "setup"} if _is_single(loads) else {"setup": "setup", "arm": "by"}
    columns |= {"level": ENDS[loads[0].factor]}
    return columns | heads("busy", "CPU busy", "ratio")


LOAD = Chart[Loads](
    name=lambda loads: sweep.plain(f"load-{loads[0].plan}-{loads[0].factor}"),
    rows=_busy,
    columns=_columns,
    title=_title,
    caption=lambda d: (
        f"Share of the gateway's busiest CPU {BY_BOOKS if _is_single(d.of) else BY_ALL}: "
        f"{traffic.traffic(d.of[0].definition, but=[d.of[0].factor])}. "
        "Band: interval of the median."
    ),
    form=each("setup", _load_panel),
)
