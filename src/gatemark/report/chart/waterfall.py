# SPDX-License-Identifier: Apache-2.0
"""A ladder as a waterfall: each step's bar begins where the arm that it is a step from ends."""

from collections import Counter
from collections.abc import Sequence

import altair as alt

from gatemark.quantity import UNITS
from gatemark.report.answer import exact
from gatemark.report.answer import ladder as words
from gatemark.report.chart import ladder as rungs
from gatemark.report.chart import theme
from gatemark.report.chart.figure import Chart, Figure, Row, finite, heads, named, three
from gatemark.report.chart.ladder import Rung
from gatemark.report.words import number, traffic
from gatemark.stats.change.exact import is_exact
from gatemark.stats.change.ladder import INSTRUCTIONS, PACKET, quantity_of
from gatemark.stats.judgement import Judgement, Ladder, Step
from gatemark.stats.math.interval import Interval

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
    panels: list[tuple[str, Chart]] = [("", _waterfall(name, rows, quantity))]
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


def _kind(*, told_: bool) -> alt.Color:
    columns = theme.columns(list(KINDS), len(KINDS))
    legend = alt.Legend(columns=columns, symbolOpacity=1) if told_ else None
    scale = alt.Scale(domain=list(KINDS), range=COLORS)
    return alt.Color("kind:N", scale=scale, legend=legend)


def _waterfall(name: str, rows: Sequence[Row], quantity: str) -> Chart:
    order = [str(row["key"]) for row in rows]
    most = max(float(row["tip"] or 0) for row in rows)
    room = rungs.room([str(row["text"]) for row in rows])
    end = theme.end(max(most, 1.0), room)
    label = theme.TIME if quantity == PACKET else theme.SI
    axis = alt.Axis(labelExpr=label, tickCount=5, labelOverlap=True, labelSeparation=8)
    title = _axis(quantity)
    x = alt.X("start:Q", title=title, axis=axis, scale=alt.Scale(domain=[0, end], nice=False))
    y = rungs.side(order)
    base = alt.Chart(named(name))
    join = base.transform_filter("datum.key != datum.from_key")
    layers = [
        join.mark_rule(style="ideal").encode(x, y=rungs.side(order, "from_key"), y2="key:N"),
        base.mark_bar(height={"band": 0.62}).encode(x, alt.X2("end:Q"), y, _kind(told_=True)),
        base.mark_rule(style="whisker").encode(alt.X("low:Q", title=title), alt.X2("high:Q"), y),
        *theme.haloed(
            base.mark_text(style="value", align="left", dx=6).encode(
                alt.X("tip:Q", title=title), y, text="text:N"
            )
        ),
    ]
    return alt.layer(*layers).properties(
        width="container", height=rungs.height(order), description="A waterfall of steps"
    )


def _steps(name: str, rows: Sequence[Row], quantity: str) -> Chart:
    """Each step's own difference on an axis that shows 30 ns beside 12 µs."""
    order = [str(row["key"]) for row in rows]
    ends = [float(row[end] or 0) for row in rows for end in ("step_lo", "step_hi")]
    low, high = min([-NEAR, *ends]), max([NEAR, *ends])
    sizes = [step * 10.0**power for power in range(2, 8) for step in (1, 2, 5)]
    both = [sign * size for size in sizes for sign in (1, -1)]
    ticks = sorted([0.0, *(value for value in both if low <= value <= high)])
    zero_plain = "datum.value == 0 ? '0' : datum.label"
    axis = alt.Axis(format="+,.0f", labelExpr=zero_plain, values=ticks, labelOverlap="greedy")
    scale = alt.Scale(type="symlog", constant=NEAR, domain=[low, high * 1.2], nice=False)
    title = f"adds, {UNITS[quantity]}"
    x = alt.X("step:Q", title=title, axis=axis, scale=scale)
    y = rungs.side(order)
    base = alt.Chart(named(name)).transform_filter(f"datum.kind != '{BASE}'")
    band = base.transform_calculate(under="-datum.noise").mark_rect(style="noise", opacity=0.7)
    zero = alt.Chart(alt.InlineData(values=[{"step": 0}])).mark_rule(style="zero")
    lo = alt.X("step_lo:Q", title=title)
    tips = [alt.Tooltip(f"{field}:N") for field in ("arm", "against", "text", "verdict")]
    layers = [
        band.encode(alt.X("under:Q", title=title), alt.X2("noise:Q"), y),
        zero.encode(x=x),
        base.mark_rule(strokeWidth=2).encode(lo, alt.X2("step_hi:Q"), y, _kind(told_=False)),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x, y, _kind(told_=False), tooltip=tips
        ),
    ]
    return alt.layer(*layers).properties(
        width="container", height=rungs.height(order), description=STEPS
    )
