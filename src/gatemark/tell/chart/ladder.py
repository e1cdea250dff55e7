# SPDX-License-Identifier: Apache-2.0
"""Charts of what setups cost: a ladder's steps, instructions by size, ways to tune a gateway."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gatemark.judge.change.exact import is_exact
from gatemark.judge.change.ladder import INSTRUCTIONS, PACKET, quantity_of
from gatemark.judge.change.pareto import CPU, DELAY
from gatemark.judge.judgement import Executed, Front, Judgement, Ladder, Option, Step
from gatemark.judge.math.interval import Interval
from gatemark.quantity import UNITS
from gatemark.tell.answer import exact, pareto
from gatemark.tell.answer import ladder as words
from gatemark.tell.chart import bars, curve, scatter, theme, vega
from gatemark.tell.chart.figure import (
    Chart,
    Drawn,
    Panel,
    Row,
    finite,
    heads,
    numbers,
    three,
    whole,
)
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic
from gatemark.tell.words.figure import upper

# A waterfall: each step's bar begins where the arm that it is a step from ends.

BASE, COSTS, SAVES, UNKNOWN = KINDS = ("base", "costs", "saves", "not told")
COLORS = ["var(--bar)", "var(--bad)", "var(--good)", "var(--soft)"]
NEAR = 50.0  # ns, packets/s, instructions: nearer to nothing the axis of steps is linear
STEPS = f"What each step adds (log axis beyond ±{NEAR:g})"
MOST = 4  # points of a plan in instructions that have one each; of more there is a curve
Falls = Drawn[Ladder]


def ladders(judgement: Judgement) -> list[Ladder]:
    """Those that are drawn."""
    points = Counter(ladder.plan for ladder in judgement.ladders if is_exact(ladder))
    return [
        ladder
        for ladder in judgement.ladders
        if quantity_of(ladder) in ladder.values
        and not (is_exact(ladder) and points[ladder.plan] > MOST)
    ]


def _title(d: Falls) -> str:
    """The finding, and the load at which it holds: a plan has a ladder for each."""
    ladder, at = d.of, d.of.definition
    text = exact.finding(ladder) if is_exact(ladder) else words.finding(ladder)
    size = "" if at.frame_bytes or not at.mix else ", mixed sizes"
    rate = "".join(f", {at}" for at in words.rates(ladder))
    return f"{upper(text)}: {traffic.load(at)}{size}{rate}"


def _caption(d: Falls) -> str:
    quantity, sent = quantity_of(d.of), words.sent(d.of)
    if quantity == INSTRUCTIONS:
        return (
            f"Instructions that the gateway executes for one packet: {sent}. Bar: "
            "what a step adds to the arm that it is against, the difference of the modes of their "
            "walks; whisker: the range over repeats, of no width where they agree."
        )
    rate = f"{quantity.removesuffix('_pps').removesuffix('_bps').capitalize()} rate"
    time = "Time of the gateway's busiest CPU for each packet delivered"
    return (
        f"{time if quantity == PACKET else rate}: {sent}. Bar: what a step adds to the arm that it "
        "is against, the middle of the differences within blocks (Hodges and Lehmann); whisker: "
        "its 95 % interval. Grey band: noise, by the same setup measured again where there is one."
    )


def _rows(ladder: Ladder) -> Iterator[Row]:
    """The base, then the steps; each bar from `start` to `end`."""
    quantity = quantity_of(ladder)
    steps = [step for step in ladder.steps if quantity in step.costs]
    arms = [ladder.arm, *(step.arm for step in steps)]
    keys = dict(zip(arms, bars.keys([bars.Rung(arm) for arm in arms]), strict=True))
    own = ladder.values[quantity]
    levels, key = {ladder.arm: own.value}, keys[ladder.arm]
    row: Row = {"arm": ladder.arm, "against": "", **three("step", None), **three("takes", own)}
    row |= {"noise": None, "mde": None, "p": None, "verdict": "", "key": key, "from_key": key}
    row |= {"start": 0.0, "end": finite(own.value), "low": own.lo, "high": own.hi, "kind": BASE}
    yield row | {"text": _text(own, quantity), "tip": max(own.value, own.hi)}
    for step in steps:
        start = levels.get(step.against, own.value)
        levels[step.arm] = start + step.costs[quantity].difference.value
        row = _row(ladder, step, start, levels[step.arm])
        yield row | {"key": keys[step.arm], "from_key": keys.get(step.against)}


def _row(ladder: Ladder, step: Step, start: float, end: float) -> Row:
    quantity = quantity_of(ladder)
    cost = step.costs[quantity]
    i = cost.difference
    row: Row = {"arm": step.arm, "against": step.against, **three("step", i)}
    row |= three("takes", step.values.get(quantity))
    row |= {"noise": finite(cost.noise), "mde": cost.mde, "p": cost.p}
    verdict = exact.verdict(step) if is_exact(ladder) else words.verdict(ladder, step)
    row |= {"verdict": verdict, "start": finite(start), "end": finite(end)}
    row |= {"low": finite(start + i.lo), "high": finite(start + i.hi)}
    kind = {"slower": COSTS, "faster": SAVES}.get(cost.verdict, UNKNOWN)
    plain = f"{'+' if i.value > 0 else ''}{_text(i, quantity)}"
    text = exact.added(i) if quantity == INSTRUCTIONS else plain
    tip = finite(max(start, end, start + i.hi))
    return row | {"kind": UNKNOWN if step.twin else kind, "text": text, "tip": tip}


def _text(i: Interval, quantity: str) -> str:
    if quantity == INSTRUCTIONS:
        return exact.count(i)
    to = number.scale([i.value], UNITS[quantity])
    return f"{number.interval(i, to)} {to.unit}"


def _columns(ladder: Ladder) -> dict[str, str]:
    unit = UNITS[quantity_of(ladder)]
    columns = {"arm": "step", "against": "against"}
    columns |= heads("step", "adds", unit) | heads("takes", "all of it", unit)
    columns |= {"noise": f"noise ({unit})", "mde": f"MDE ({unit})", "p": "p"}
    return columns | {"verdict": "verdict"}


def _panels(d: Falls) -> list[Panel]:
    return [("", _waterfall(d)), *([(STEPS, _steps(d))] if len(d.rows) > 1 else [])]


def _kind(*, legend: bool) -> Part:
    columns = theme.columns(list(KINDS), len(KINDS))
    shown = {"columns": columns, "symbolOpacity": 1} if legend else None
    return channel("kind:N", scale=vega.names(KINDS, range=COLORS), legend=shown)


def _waterfall(d: Falls) -> Part:
    quantity, order = quantity_of(d.of), d.once("key")
    end = theme.end(max(d.most("tip"), 1.0), bars.room(d.once("text")))
    label = theme.TIME if quantity == PACKET else theme.SI
    titles = {INSTRUCTIONS: "instructions of a packet", PACKET: "time of a packet"}
    title = titles.get(quantity, f"rate, {UNITS[quantity]}")
    axis = {"labelExpr": label, "tickCount": 5, "labelOverlap": True, "labelSeparation": 8}
    x = channel("start:Q", title=title, axis=axis, scale=between(0, end))
    y, base = bars.side(order), vega.rows(d.name)
    join = {"x": x, "y": bars.side(order, "from_key"), "y2": "key", "style": "ideal"}
    span = {"x": channel("low:Q", title=title), "x2": "high", "y": y, "style": "whisker"}
    text = {"text": "text:N", "style": "value", "align": "left", "dx": 6}
    layers = [
        base.where("datum.key != datum.from_key").mark("rule", **join),
        base.mark("bar", x=x, x2="end", y=y, color=_kind(legend=True), height={"band": 0.62}),
        base.mark("rule", **span),
        *base.haloed(x=channel("tip:Q", title=title), y=y, **text),
    ]
    return bars.down("A waterfall of steps", order, layers)


def _steps(d: Falls) -> Part:
    """Each step's own difference on an axis that shows 30 ns beside 12 µs."""
    order, rows = d.once("key")[1:], d.rows[1:]
    ends = numbers(rows, "step_lo", "step_hi")
    low, high = min([-NEAR, *ends]), max([NEAR, *ends])
    sizes = [step * 10.0**power for power in range(2, 8) for step in (1, 2, 5)]
    both = [sign * size for size in sizes for sign in (1, -1)]
    ticks = sorted([0.0, *(value for value in both if low <= value <= high)])
    axis = {"format": "+,.0f", "labelExpr": bars.ZERO, "values": ticks, "labelOverlap": "greedy"}
    scale = between(low, high * 1.2, type="symlog", constant=NEAR)
    x = channel("step:Q", title=f"adds, {UNITS[quantity_of(d.of)]}", axis=axis, scale=scale)
    base, color = vega.rows(d.name).where(f"datum.kind != '{BASE}'"), _kind(legend=False)
    dot = {"color": color, "tooltip": vega.tips("arm", "against", "text", "verdict"), "size": 70}
    layers = [
        *bars.differing(base, "under", x, bars.side(order), color),
        curve.dots(base, x=x, y=bars.side(order), **dot),
    ]
    return bars.down(STEPS, order, layers)


WATERFALL = Chart[Ladder](
    name=words.anchor,
    rows=_rows,
    columns=_columns,
    title=_title,
    caption=_caption,
    form=_panels,
)

# Instructions of one packet over the size of its frame: a panel for each way, a line each arm.

FEWEST = 3  # sizes that make a line
Walks = Sequence[Executed]


def walks(judgement: Judgement) -> list[Walks]:
    """Those of each plan with so many sizes."""
    plans: dict[str, list[Executed]] = {}
    for walk in judgement.executed:
        plans.setdefault(walk.plan, []).append(walk)
    return [own for own in plans.values() if len({_size(walk) for walk in own} - {0}) >= FEWEST]


def _size(walk: Executed) -> int:
    return walk.definition.frame_bytes or 0


def _way(walk: Executed) -> str:
    kind = walk.definition
    family = "" if kind.family == "ipv4" else f", {traffic.FAMILY[kind.family]}"
    return f"{traffic.way(kind.direction)}{', TCP' if kind.l4 == 'tcp' else ''}{family}"


def _walked(walks: Walks) -> list[Row]:
    rows = [
        Row(arm=walk.arm, way=_way(walk), frame_bytes=float(_size(walk)))
        | three("instructions", walk.instructions)
        for walk in walks
    ]
    return sorted(rows, key=lambda row: (row["arm"], row["frame_bytes"]))


def _grows(d: Drawn[Walks]) -> str:
    """What the smallest and largest frame of the first line with most sizes execute."""
    lines: dict[object, list[Executed]] = {}
    for walk in d.of:
        lines.setdefault((walk.arm, _way(walk)), []).append(walk)
    own: list[Executed] = max(lines.values(), key=len)
    own.sort(key=_size)
    by = exact.signed(own[-1].instructions.value - own[0].instructions.value)
    sizes = f"{_size(own[0])} to {_size(own[-1])} bytes"
    return f"{own[0].arm}: from {sizes} a packet costs {by} instructions"


def _ways(d: Drawn[Walks]) -> list[Panel]:
    return [(way, _walk_panel(d, way)) for way in dict.fromkeys(map(_way, d.of))]


def _walk_panel(d: Drawn[Walks], way: str) -> Part:
    arms = list(dict.fromkeys(walk.arm for walk in d.of))
    x = channel("frame_bytes:Q", title="frame, bytes", axis=theme.si(5), scale={"nice": False})
    scale = {"domain": [0, d.most("instructions_hi")], "nice": True}
    title = "instructions of a packet"
    y = channel("instructions:Q", title=title, axis=theme.si(5), scale=scale)
    tips = vega.tips("arm", "way", "frame_bytes", "instructions")
    at, base = {"x": x, "color": theme.color(arms, arms)}, vega.rows(d.name, way=way)
    return theme.panel(
        f"Instructions of a packet over its size, {way}",
        base.mark("line", **at, y=y),
        base.span("rule", "y", "instructions", title, **at, strokeWidth=1.5),
        curve.dots(base, **at, y=y, shape=theme.shape(arms, arms), tooltip=tips, size=50),
    )


SIZES = Chart[Walks](
    name=lambda walks: sweep.plain(f"instructions-{walks[0].plan}"),
    rows=_walked,
    columns={"arm": "arm", "way": "way", "frame_bytes": "frame (B)"}
    | heads("instructions", "instructions of a packet", "instructions"),
    title=_grows,
    caption=(
        "Instructions that the gateway executes for one packet, by the size of its frame: the "
        "mode of all walks. A copy that a card makes costs none, one that the CPU makes does."
    ),
    form=_ways,
)

# Ways to tune a gateway: delay against rate, with the CPU beside each; the front is filled.

FRONT, BEATEN = "front", "beaten"
ROOM = 1.35  # of the highest rate: for the names


def _option(front: Front, option: Option) -> Row:
    cpu = option.values.get(CPU)
    text = f"{option.arm} ({number.plain(cpu.value * 100, 0)} %)" if cpu else option.arm
    row: Row = {"arm": option.arm, **three("rate", option.values[front.rate])}
    row |= three("delay", option.values[DELAY]) | three("cpu", cpu)
    kind = BEATEN if option.beaten else FRONT
    return row | {"verdict": pareto.fate(option), "kind": kind, "text": text}


def _tuned(d: Drawn[Front]) -> Part:
    title, high = f"rate, {UNITS[d.of.rate]}", d.most("rate_hi") * ROOM
    axis = {"labelExpr": theme.SI, "grid": False}
    x = channel("rate:Q", title=title, axis=axis, scale=between(0, high))
    y = theme.delay_axis("delay", numbers(d.rows, "delay_lo", "delay_hi"))
    color = channel("kind:N", scale=vega.names([FRONT, BEATEN]), legend={})
    at = {"x": x, "y": y, "color": color, "tooltip": vega.tips("arm", "verdict")}
    text = {"x": x, "y": y, "text": "text:N", "style": "value", "align": "left", "dx": 9}
    base = vega.rows(d.name)
    return theme.panel(
        "Delay against rate",
        *scatter.crossed(base, x, y, color=color),
        base.where(kind=FRONT).mark("point", **at, filled=True, size=80),
        base.where(kind=BEATEN).mark("point", **at, style="hollow", size=60),
        *base.haloed(**text),
    )


PARETO = Chart[Front](
    name=pareto.anchor,
    rows=lambda front: [_option(front, o) for o in front.options if DELAY in o.values],
    columns=lambda front: (
        {"arm": "setup"}
        | heads("rate", "rate", UNITS[front.rate])
        | heads("delay", "delay p50", "ns")
        | heads("cpu", "CPU busy", "ratio")
        | {"verdict": "verdict"}
    ),
    title=lambda d: pareto.finding(d.of),
    caption=lambda d: (
        f"{pareto.loads(d.of)}. Filled: no other is clearly better in one of rate, delay and CPU "
        "and clearly worse in none; clearly: the 95 % intervals lie apart. In brackets the "
        "gateway's CPU."
    ),
    form=whole(_tuned),
)
