# SPDX-License-Identifier: Apache-2.0
"""What one packet runs, by subsystem: stacked bars, arms side by side at each packet's size."""

from collections.abc import Sequence
from itertools import groupby

from gatemark.judge.judgement import Judgement, Travel
from gatemark.tell.answer import kernel_path as words
from gatemark.tell.chart import ladder, vega
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.chart.vega import Part
from gatemark.tell.group import sweep

MOST_PARTS = 5  # with a colour of their own; the sixth is of all others
OTHERS = "all others"


def figures(judgement: Judgement) -> list[Figure]:
    """One for each plan and unit: of several gateways some count instructions, some sample time."""
    figures = []
    for plan, group in groupby(judgement.travels, key=lambda travel: travel.plan):
        travels = list(group)
        units = list(dict.fromkeys(travel.unit for travel in travels))
        for number, unit in enumerate(units):
            name = f"subsystems-{sweep.plain(plan)}{f'-{number + 1}' * (number > 0)}"
            of_unit = [travel for travel in travels if travel.unit == unit]
            figures.append(_figure(name, plan, unit, of_unit))
    return figures


def _figure(name: str, plan: str, unit: str, travels: Sequence[Travel]) -> Figure:
    kept = _largest(travels)
    rungs = [
        (words.point(travel), travel.arm) for place in words.places(travels) for travel in place
    ]
    order = ladder.keys(ladder.grouped(rungs))
    bars = [key for key in order if not ladder.is_heading(key)]
    every = [travel for place in words.places(travels) for travel in place]
    rows: list[Row] = []
    ends: list[Row] = []
    for key, this_travel in zip(bars, every, strict=True):
        row: Row = {"arm": this_travel.arm, "packet": words.point(this_travel), "key": key}
        rows += [
            row
            | {"subsystem": part, "part": part if part in kept else OTHERS}
            | {"amount": size.amount, "calls": size.calls}
            for part, size in sorted(
                this_travel.subsystems.items(), key=lambda item: _place(kept, item[0])
            )
        ]
        ends.append(row | {"amount": this_travel.total, "text": words.count(this_travel.total)})
    columns = {"arm": "setup", "packet": "packet", "subsystem": "subsystem"}
    return Figure(
        name=name,
        title=words.finding(travels),
        definition=(
            f"{unit.capitalize()} that the gateway runs for one packet, of packets sent one at a "
            "time, by subsystem: all of it, from the interrupt until the gateway idles again. "
            f"Seen as {'; '.join(dict.fromkeys(map(words.seen, travels)))}."
        ),
        panels=(("", _panel(name, order, [*kept, OTHERS], ends, unit)),),
        rows=rows,
        columns=columns | {"amount": unit, "calls": "calls"},
        plan=plan,
        extra={f"{name}-all": ends},
    )


def _largest(travels: Sequence[Travel]) -> list[str]:
    """The subsystems that come to most somewhere, in the order of the file."""
    most: dict[str, int] = {}
    for travel in travels:
        for name, part in travel.subsystems.items():
            most[name] = max(most.get(name, 0), part.amount)
    largest = sorted(most, key=lambda name: -most[name])[:MOST_PARTS]
    return [name for name in words.subsystems(travels) if name in largest]


def _place(kept: Sequence[str], name: str) -> int:
    return kept.index(name) if name in kept else len(kept)


def _panel(
    name: str, order: Sequence[str], parts: Sequence[str], ends: Sequence[Row], unit: str
) -> Part:
    title, y = f"{unit} a packet", ladder.side(order)
    x = ladder.stack_axis("amount", title, ladder.across(ends, "amount"))
    tips = vega.tips("arm", "packet", "subsystem", "calls")
    tips += vega.numbers(",.0f", {"amount": ""})
    base = vega.rows(name).reckon(place=f"indexof({list(parts)!r}, datum.part)")
    layers = [
        ladder.stacked(base, x, y, "part", parts, tooltip=tips, order="place:Q"),
        ladder.behind(vega.rows(f"{name}-all"), "amount", title, y),
    ]
    return ladder.down("What one packet runs, by subsystem", order, layers)
