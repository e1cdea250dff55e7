# SPDX-License-Identifier: Apache-2.0
"""Ways to tune a gateway: delay against rate, with the CPU beside each; the front is filled."""

from collections.abc import Sequence

import altair as alt

from gatemark.quantity import UNITS
from gatemark.report.answer import pareto as words
from gatemark.report.chart import theme
from gatemark.report.chart.figure import Chart, Figure, Row, heads, named, three
from gatemark.report.words import number
from gatemark.stats.change.pareto import CPU, DELAY
from gatemark.stats.judgement import Front, Judgement, Option

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


def _panel(name: str, rows: Sequence[Row], quantity: str) -> Chart:
    most = max(float(row["rate_hi"] or 0) for row in rows) * ROOM
    scale = alt.Scale(domain=[0, most], nice=False)
    title = f"rate, {UNITS[quantity]}"
    x = alt.X("rate:Q", title=title, axis=alt.Axis(labelExpr=theme.SI, grid=False), scale=scale)
    ends = [float(row[end] or 1) for row in rows for end in ("delay_lo", "delay_hi")]
    y = theme.delay_axis("delay", ends)
    base = alt.Chart(named(name))
    colour = alt.Color("kind:N", scale=alt.Scale(domain=[FRONT, BEATEN]), legend=alt.Legend())
    wide = alt.X("rate_lo:Q", title=title), alt.X2("rate_hi:Q")
    tall = alt.Y("delay_lo:Q", title="one-way delay"), alt.Y2("delay_hi:Q")
    tips = [alt.Tooltip(f"{field}:N") for field in ("arm", "verdict")]
    kept = base.transform_filter(alt.datum.kind == FRONT).mark_point(filled=True, size=80)
    lost = base.transform_filter(alt.datum.kind == BEATEN).mark_point(style="hollow", size=60)
    text = base.mark_text(style="value", align="left", dx=9)
    layers = [
        base.mark_rule().encode(*wide, y, colour),
        base.mark_rule().encode(x, *tall, colour),
        kept.encode(x, y, colour, tooltip=tips),
        lost.encode(x, y, colour, tooltip=tips),
        *theme.haloed(text.encode(x, y, text="text:N")),
    ]
    return alt.layer(*layers).properties(
        width="container", height=theme.HEIGHT, description="Delay against rate"
    )
