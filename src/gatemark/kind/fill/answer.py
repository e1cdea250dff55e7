# SPDX-License-Identifier: Apache-2.0
"""Flows in a gateway's table: how many, the memory of each, and for how many there is room."""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.fill.plan import FILL
from gatemark.tell.answer import rates
from gatemark.tell.answer.answer import Answer
from gatemark.tell.fact import say
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import Scale
from gatemark.tell.words.table import Table

ANCHOR = "fill"
WHOLE = Scale(1.0, "")
CAPTION = "Flows held at once, and what each takes of the gateway's memory"
# Quantity -> its column.
COLUMNS = {
    "flows": "flows",
    "teardown_per_s": "removed/s",
    "flow_bytes": "B each",
    "flow_object_bytes": "B of objects",
    "flows_predicted": "memory has room for",
    "flows_recommended": "recommended nf_conntrack_max",
}


def points(judgement: Judgement) -> list[PointResult]:
    """The points that are about flows."""
    return [point for point in judgement.points if point.definition.quantity == FILL]


def made(judgement: Judgement) -> Table:
    """A line for each point."""
    filled = points(judgement)
    spec: list[Column[PointResult]] = [
        Column("setup", lambda p: p.setup),
        Column("point", traffic.point_words),
        *_numbers(filled),
        Column("bottleneck", lambda p: p.limit),
        Column("why", lambda p: say.words(p.why) or number.DASH),
    ]
    return column.table(CAPTION, filled, *spec)


def _numbers(points: Sequence[PointResult]) -> Iterator[Column[PointResult]]:
    for quantity, head in COLUMNS.items():

        def cell(point: PointResult, name: str = quantity) -> str:
            return rates.cell(point, name, WHOLE)

        there = any(quantity in point.values for point in points)
        yield Column(head, cell, is_number=True, is_there=there)


def lines(point: PointResult) -> Iterator[str]:
    """Yield what belongs to a number of flows: memory of each, room for how many, what to set."""
    if "flow_bytes" in point.values:
        yield f"{number.quantity_interval(point.values['flow_bytes'], 'B')} of memory each"
    if "flows_predicted" in point.values:
        room = number.quantity_interval(point.values["flows_predicted"], "flows")
        yield f"memory has room for {room}, told by the first tenth"
    if "flows_recommended" in point.values:
        yield f"recommended nf_conntrack_max: {point.values['flows_recommended'].value:.0f}"


KIND: Final = Answer(lambda source: [(ANCHOR, made(source.judgement))])
