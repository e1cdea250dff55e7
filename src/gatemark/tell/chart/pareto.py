# SPDX-License-Identifier: Apache-2.0
"""Ways to tune a gateway: delay against rate, with the CPU beside each; the front is filled."""

from collections.abc import Sequence

from gatemark.judge.change.pareto import CPU, DELAY
from gatemark.judge.judgement import Front, Judgement, Option
from gatemark.quantity import UNITS
from gatemark.tell.answer import pareto as words
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, most, three
from gatemark.tell.chart.vega import Part, between, channel
from gatemark.tell.words import number

FRONT, BEATEN = "front", "beaten"
ROOM = 1.35  # of the highest rate: for the names


def figures(judgement: Judgement) -> list[Figure]:
    """One for each front whose delays were measured."""
    figures = [_figure(front) for front in judgement.fronts]
    return [figure for figure in figures if figure is not None]


def _figure(front: Front) -> Figure | None:
    timed = [option for option in front.options if DELAY in option.values]
    if not timed:
        return None
    name, rows = words.anchor(front), [_row(front, option) for option in timed]
    columns = {"arm": "setup"} | heads("rate", "rate", UNITS[front.rate])
    columns |= heads("delay", "delay p50", "ns") | heads("cpu", "CPU busy", "ratio")
    return Figure(
        name=name,
        title=words.finding(front),
        definition=f"{words.loads(front)}. Filled: no other is clearly better in one of rate, "
        "delay and CPU and clearly worse in none; clearly: the 95 % intervals lie apart. In "
        "brackets the gateway's CPU.",
        panels=(("", _panel(name, rows, front.rate)),),
        rows=rows,
        columns=columns | {"verdict": "verdict"},
        plan=front.plan,
    )


def _row(front: Front, option: Option) -> Row:
    row: Row = {"arm": option.arm, **three("rate", option.values[front.rate])}
    row |= three("delay", option.values[DELAY]) | three("cpu", option.values.get(CPU))
    cpu = option.values.get(CPU)
    text = f"{option.arm} ({number.plain(cpu.value * 100, 0)} %)" if cpu else option.arm
    kind = BEATEN if option.beaten else FRONT
    return row | {"verdict": words.fate(option), "kind": kind, "text": text}


def _panel(name: str, rows: Sequence[Row], quantity: str) -> Part:
    title, scale = f"rate, {UNITS[quantity]}", between(0, most(rows, "rate_hi") * ROOM)
    axis = {"labelExpr": theme.SI, "grid": False}
    x = channel("rate:Q", title=title, axis=axis, scale=scale)
    ends = [float(row[end] or 1) for row in rows for end in ("delay_lo", "delay_hi")]
    y = theme.delay_axis("delay", ends)
    color = channel("kind:N", scale=vega.names([FRONT, BEATEN]), legend={})
    base = vega.rows(name)
    at = {"x": x, "y": y, "color": color, "tooltip": vega.tips("arm", "verdict")}
    text = {"x": x, "y": y, "text": "text:N", "style": "value", "align": "left", "dx": 9}
    return theme.panel(
        "Delay against rate",
        base.span("rule", "x", "rate", title, y=y, color=color),
        base.span("rule", "y", "delay", y["title"], x=x, color=color),
        base.where(kind=FRONT).mark("point", **at, filled=True, size=80),
        base.where(kind=BEATEN).mark("point", **at, style="hollow", size=60),
        *base.haloed(**text),
    )
