# SPDX-License-Identifier: Apache-2.0
"""The tables of kinds whose rules name their columns: a line for each point, the tester's first."""

from collections.abc import Iterator
from functools import partial

from gatemark.judge.judgement import PointResult
from gatemark.kind.rules import Listed
from gatemark.plan.kind import RULES
from gatemark.quantity import UNITS
from gatemark.tell.answer import rates
from gatemark.tell.answer.answer import Answer, Tables
from gatemark.tell.group.source import Source
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import Table


def answers() -> Iterator[Answer]:
    """An answer for each such kind."""
    for kind, rules in RULES.items():
        if rules.listed:
            yield Answer(partial(_tables, kind, rules.listed, frozenset(rules.headlines)))


def _tables(kind: str, listed: Listed, about: frozenset[str], source: Source) -> Tables:
    every = (*source.judgement.ceilings, *source.judgement.points)
    return [(kind, table(listed, [p for p in every if p.definition.quantity in about]))]


def _who(points: list[PointResult], point: PointResult) -> str:
    """Return its setup; its arm where two arms have the same one."""
    arms = {p.arm for p in points if p.setup == point.setup}
    return point.arm if len(arms) > 1 else rates.who(point)


def table(listed: Listed, points: list[PointResult]) -> Table:
    """The points with the columns that any of them has; a share is in per cent."""
    spec: list[Column[PointResult]] = [
        Column("setup", partial(_who, points)),
        Column("point", traffic.at),
    ]
    for name, head in listed.columns.items():
        unit = UNITS[name]
        is_share = unit == "ratio"
        to = PERCENT if is_share else number.scale(rates.middles(points, name), unit)
        shown = rates.cells(points, name, to)
        spec.append(Column(f"{head}, {'%' if is_share else to.unit}", *shown))
    return column.table(listed.caption, points, *spec)
