# SPDX-License-Identifier: Apache-2.0
"""A row for each point, a column for each quantity: what a spreadsheet draws and a model fits."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gatemark.judge.judgement import Knee, PointResult, Value
from gatemark.judge.values import of_knee, of_point
from gatemark.tell.export.column import FIRST, Column, column, kinds
from gatemark.tell.export.row import Row, ValueRow, of_run
from gatemark.tell.export.traffic import rates, traffic
from gatemark.tell.group.source import Source

LAST: Final = ("n", "at_least", "limit", "warnings")


def of_points(sources: Iterable[Source]) -> list[Row]:
    """The tester's points, the gateway's, then the knees.

    A quantity's interval stands beside it: `received_pps`, `received_pps_lo`, `received_pps_hi`.
    """
    return [
        {**of_run(source), **traffic(judged, set_rates), **_row(judged, values)}
        for source in sources
        for set_rates in [rates(source)]
        for judged, values in _judged(source)
    ]


def columns(rows: Sequence[Row]) -> list[Column]:
    """The columns with something in a row: what was set, what came of it, what held it back."""
    typed = kinds(ValueRow)
    names = sorted(dict.fromkeys([*FIRST, *(name for row in rows for name in row)]), key=_place)
    every = [column(name, [row.get(name) for row in rows], typed.get(name)) for name in names]
    return [made for made in every if not rows or any(c not in (None, "") for c in made.cells)]


def _judged(source: Source) -> Iterator[tuple[PointResult | Knee, list[Value]]]:
    judgement = source.judgement
    for point in (*judgement.ceilings, *judgement.floors, *judgement.points):
        yield point, list(of_point(point))
    for knee in judgement.knees:
        yield knee, list(of_knee(knee))


def _row(judged: PointResult | Knee, values: Sequence[Value]) -> Row:
    row: Row = {"kind": "knee" if isinstance(judged, Knee) else "point"}
    row |= {"plan": judged.plan, "arm": judged.arm, "setup": judged.setup}
    row |= {f"point.{name}": level for name, level in judged.point.items() if name not in FIRST}
    for value in values:
        row |= {value.quantity: value.value}
        row |= {f"{value.quantity}_lo": value.lo, f"{value.quantity}_hi": value.hi}
    row |= {"n": _n(judged, values), "at_least": judged.at_least, "limit": judged.limit}
    return row | {"warnings": [warning.code for warning in judged.warnings]}


def _n(judged: PointResult | Knee, values: Sequence[Value]) -> int:
    """Trials that what it is about is the median of; other quantities may have fewer."""
    headline = [value.n for value in values if value.quantity == judged.definition.headline]
    return headline[0] if headline else max((value.n for value in values), default=0)


def _place(name: str) -> tuple[int, int]:
    """What was set first, then the factors besides; how it was judged last."""
    if name in FIRST:
        return 0, FIRST.index(name)
    if name in LAST:
        return 3, LAST.index(name)
    return (1, 0) if name == "kind" or name.startswith("point.") else (2, 0)
