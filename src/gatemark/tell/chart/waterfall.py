# SPDX-License-Identifier: Apache-2.0
"""A ladder as a waterfall: each step's bar begins where the arm that it is a step from ends."""

from collections import Counter
from collections.abc import Sequence

from gatemark.judge.change.exact import is_exact
from gatemark.judge.change.ladder import INSTRUCTIONS, PACKET, quantity_of
from gatemark.judge.judgement import Judgement, Ladder, Step
from gatemark.judge.math.interval import Interval
from gatemark.quantity import UNITS
from gatemark.tell.answer import exact
from gatemark.tell.answer import ladder as words
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart import ladder as rungs
from gatemark.tell.chart.figure import Figure, Row, finite, heads, most, once, three
from gatemark.tell.chart.ladder import Rung
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.words import number, traffic

BASE, COSTS, SAVES, UNTOLD = "base", "costs", "saves", "not told"
KINDS = (BASE, COSTS, SAVES, UNTOLD)
COLORS = ["var(--bar)", "var(--bad)", "var(--good)", "var(--soft)"]
NEAR = 50.0  # ns, packets/s, instructions: nearer to nothing the axis of steps is linear
STEPS = f"What each step adds (log axis beyond ±{NEAR:g})"
MOST = 4  # points of a plan in instructions that have one each; of more a curve tells
Span = tuple[float, float]


def figures(judgement: Judgement) -> list[Figure]:
    """One for each ladder."""
    points = Counter(ladder.plan for ladder in judgement.ladders if is_exact(ladder))
    return [
        _figure(ladder)
        for ladder in judgement.ladders
        if quantity_of(ladder) in ladder.values
        and not (is_exact(ladder) and points[ladder.plan] > MOST)
    ]


def _figure(ladder: Ladder) -> Figure:
    name, quantity = words.anchor(ladder), quantity_of(ladder)
    rows = _rows(ladder, quantity)
    unit = UNITS[quantity]
    columns = {"arm": "step", "against": "against"}
    columns |= heads("step", "adds", unit) | heads("takes", "all of it", unit)
    columns |= {"noise": f"noise ({unit})", "mde": f"MDE ({unit})", "p": "p"}
    panels: list[tuple[str, Part]] = [("", _waterfall(name, rows, quantity))]
    if len(rows) > 1:
        panels.append((STEPS, _steps(name, rows[1:], quantity)))
    return Figure(
        name=name,
        title=_title(ladder),
        definition=_definition(ladder, quantity),
        panels=tuple(panels),
        rows=rows,
        columns=columns | {"verdict": "verdict"},
        plan=ladder.plan,
    )


def _title(ladder: Ladder) -> str:
    """The finding, and the load at which it holds: a plan has a ladder for each."""
    text = exact.finding(ladder) if is_exact(ladder) else words.finding(ladder)
    size = "" if ladder.definition.frame_bytes or not ladder.definition.mix else ", mixed sizes"
    rate = "".join(f", {at}" for at in words.rates(ladder))
    return f"{text[:1].upper()}{text[1:]}: {traffic.load(ladder.definition)}{size}{rate}"


def _definition(ladder: Ladder, quantity: str) -> str:
    if quantity == INSTRUCTIONS:
        return (
            f"Instructions that the gateway executes for one packet: {words.sent(ladder)}. Bar: "
            "what a step adds to the arm that it is against, the difference of the modes of their "
            "walks; whisker: the range over repeats, of no width where they agree."
        )
    what = (
        "Time of the gateway's busiest CPU for each packet delivered"
        if quantity == PACKET
        else f"{quantity.removesuffix('_pps').removesuffix('_bps').capitalize()} rate"
    )
    return (
        f"{what}: {words.sent(ladder)}. Bar: what a step adds to the arm that it is against, "
        "the middle of the differences within blocks (Hodges and Lehmann); whisker: its 95 % "
        "interval. Grey band: noise, by the same setup measured again where there is one."
    )


def _rows(ladder: Ladder, quantity: str) -> list[Row]:
    """The base, then the steps; each bar from `start` to `end`."""
    steps = [step for step in ladder.steps if quantity in step.costs]
    keys = dict(
        zip(
            [ladder.arm, *(step.arm for step in steps)],
            rungs.keys([Rung(ladder.arm), *(Rung(step.arm) for step in steps)]),
            strict=True,
        )
    )
    own = ladder.values[quantity]
    rows, levels = [_base(ladder, own, keys[ladder.arm], quantity)], {ladder.arm: own.value}
    for step in steps:
        start = levels.get(step.against, own.value)
        levels[step.arm] = start + step.costs[quantity].difference.value
        span = start, levels[step.arm]
        row = _row(ladder, step, quantity, span)
        rows.append(row | {"key": keys[step.arm], "from_key": keys.get(step.against)})
    return rows


def _base(ladder: Ladder, own: Interval, key: str, quantity: str) -> Row:
    row: Row = {"arm": ladder.arm, "against": "", **three("step", None), **three("takes", own)}
    row |= {"noise": None, "mde": None, "p": None, "verdict": "", "key": key, "from_key": key}
    row |= {"start": 0.0, "end": finite(own.value), "low": own.lo, "high": own.hi}
    return row | {"kind": BASE, "text": _text(own, quantity), "tip": max(own.value, own.hi)}


def _row(ladder: Ladder, step: Step, quantity: str, span: Span) -> Row:
    cost, (start, end) = step.costs[quantity], span
    i = cost.difference
    row: Row = {"arm": step.arm, "against": step.against, **three("step", i)}
    row |= three("takes", step.values.get(quantity))
    row |= {"noise": finite(cost.noise), "mde": cost.mde, "p": cost.p}
    row |= {"verdict": _verdict(ladder, step), "start": finite(start), "end": finite(end)}
    row |= {"low": finite(start + i.lo), "high": finite(start + i.hi)}
    kind = {"slower": COSTS, "faster": SAVES}.get(cost.verdict, UNTOLD)
    sign = "+" if i.value > 0 else ""
    text = exact.added(i) if quantity == INSTRUCTIONS else f"{sign}{_text(i, quantity)}"
    tip = max(start, end, start + i.hi)
    return row | {"kind": UNTOLD if step.twin else kind, "text": text, "tip": finite(tip)}


def _verdict(ladder: Ladder, step: Step) -> str:
    return exact.verdict(step) if is_exact(ladder) else words.verdict(ladder, step)


def _text(i: Interval, quantity: str) -> str:
    if quantity == INSTRUCTIONS:
        return exact.count(i)
    to = number.scale([i.value], UNITS[quantity])
    return f"{number.interval(i, to)} {to.unit}"


def _axis(quantity: str) -> str:
    if quantity == INSTRUCTIONS:
        return "instructions of a packet"
    return "time of a packet" if quantity == PACKET else f"rate, {UNITS[quantity]}"


def _kind(*, legend: bool) -> Part:
    columns = theme.columns(list(KINDS), len(KINDS))
    shown = {"columns": columns, "symbolOpacity": 1} if legend else None
    return channel("kind:N", scale=vega.names(KINDS, range=COLORS), legend=shown)


def _waterfall(name: str, rows: Sequence[Row], quantity: str) -> Part:
    order = [str(row["key"]) for row in rows]
    end = theme.end(max(most(rows, "tip"), 1.0), rungs.room(once(rows, "text")))
    label = theme.TIME if quantity == PACKET else theme.SI
    axis = {"labelExpr": label, "tickCount": 5, "labelOverlap": True, "labelSeparation": 8}
    title = _axis(quantity)
    x = channel("start:Q", title=title, axis=axis, scale=between(0, end))
    y, base = rungs.side(order), vega.rows(name)
    join = {"x": x, "y": rungs.side(order, "from_key"), "y2": "key", "style": "ideal"}
    span = {"x": channel("low:Q", title=title), "x2": "high", "y": y, "style": "whisker"}
    text = {"text": "text:N", "style": "value", "align": "left", "dx": 6}
    layers = [
        base.where("datum.key != datum.from_key").mark("rule", **join),
        base.mark("bar", x=x, x2="end", y=y, color=_kind(legend=True), height={"band": 0.62}),
        base.mark("rule", **span),
        *base.haloed(x=channel("tip:Q", title=title), y=y, **text),
    ]
    return rungs.down("A waterfall of steps", order, layers)


def _steps(name: str, rows: Sequence[Row], quantity: str) -> Part:
    """Each step's own difference on an axis that shows 30 ns beside 12 µs."""
    order = [str(row["key"]) for row in rows]
    ends = [float(row[end] or 0) for row in rows for end in ("step_lo", "step_hi")]
    low, high = min([-NEAR, *ends]), max([NEAR, *ends])
    sizes = [step * 10.0**power for power in range(2, 8) for step in (1, 2, 5)]
    both = [sign * size for size in sizes for sign in (1, -1)]
    ticks = sorted([0.0, *(value for value in both if low <= value <= high)])
    zero_plain = "datum.value == 0 ? '0' : datum.label"
    axis = {"format": "+,.0f", "labelExpr": zero_plain, "values": ticks, "labelOverlap": "greedy"}
    scale = between(low, high * 1.2, type="symlog", constant=NEAR)
    title, y = f"adds, {UNITS[quantity]}", rungs.side(order)
    x, color = channel("step:Q", title=title, axis=axis, scale=scale), _kind(legend=False)
    base = vega.rows(name).where(f"datum.kind != '{BASE}'")
    band = {"x": channel("under:Q", title=title), "x2": "noise", "style": "noise", "opacity": 0.7}
    tips = vega.tips("arm", "against", "text", "verdict")
    layers = [
        base.reckon(under="-datum.noise").mark("rect", y=y, **band),
        vega.inline({"step": 0}).mark("rule", x=x, style="zero"),
        base.span("rule", "x", "step", title, y=y, color=color, strokeWidth=2),
        curve.dots(base, x=x, y=y, color=color, tooltip=tips, size=70),
    ]
    return rungs.down(STEPS, order, layers)
