# SPDX-License-Identifier: Apache-2.0
"""Applications, a line each: good, fair or bad in every arm, with the figure that decided."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from gatemark.judge.math.interval import Interval
from gatemark.kind.application.application import Quality
from gatemark.kind.application.grade import UNJUDGED, Grade, Place, by_place, grades
from gatemark.quantity import UNITS, words
from gatemark.tell.answer.answer import Answer
from gatemark.tell.fact import say
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.applications import late, where
from gatemark.tell.words import column, number
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table

ANCHOR: Final = "applications"
CAPTION: Final = "Each application, played by real programs, and the figure that decided{}"
NUMBER: Final = re.compile(r"[\d.]+")
Row = tuple[Place, str]  # an application, by name
LIMITS: Final = "Limits: good as far as the one, bad beyond the other, fair between"


def tables(source: Source) -> list[tuple[str, Table]]:
    """The grades, and the limits that they are by."""
    every = grades(source.judgement.points)
    return [(ANCHOR, table(every)), (f"{ANCHOR}-limits", limits(every))]


def table(every: Sequence[Grade]) -> Table:
    """A line for each application at each place, a column for each arm."""
    cells = {(grade.place, grade.application.name, grade.point.arm): grade for grade in every}
    titles = {grade.application.name: grade.application.title for grade in every}
    places = list(by_place(every))
    rows = list(dict.fromkeys((place, name) for place, name, _ in cells))
    spec: list[Column[Row]] = [
        Column("where", lambda row: where(row[0], places), is_there=len(places) > 1),
        Column("application", lambda row: titles[row[1]]),
        *(
            Column(arm, partial(_at, cells, arm))
            for arm in dict.fromkeys(grade.point.arm for grade in every)
        ),
    ]
    return column.table(CAPTION.format(_unjudged(every)), rows, *spec)


def _unjudged(every: Iterable[Grade]) -> str:
    """Return why some are not judged: `. Not judged: the clean way is not good`."""
    whys = [say.words(grade.why) for grade in every if grade.word == UNJUDGED]
    once = {NUMBER.sub("", why): why for why in reversed(whys)}
    return f". Not judged: {', or '.join(reversed(once.values()))}" if once else ""


def _at(cells: Mapping[tuple[Place, str, str], Grade], arm: str, row: Row) -> str:
    return cell(cells.get((*row, arm)))


def cell(grade: Grade | None) -> str:
    """`bad: 412 ± 30 ms`, `fair or bad: 2.9x`, `good: MOS 4.4`, `not judged`."""
    if grade is None:
        return NONE
    figure = value(grade)
    short = f" {grade.quality.short}" if grade.quality and grade.quality.short else ""
    behind = ", ".join(filter(None, (f"{figure}{short}", late(grade))))
    return f"{grade.text}: {behind}" if figure else grade.text


def value(grade: Grade) -> str:
    """The figure with its unit; "" where there is none."""
    if grade.quality is None or grade.value is None:
        return ""
    unit = UNITS[grade.quality.quantity]
    if grade.share is not None and not grade.is_clean:
        return f"{number.quantity_interval(grade.value, unit)}, {grade.share:.1f}x"
    if unit == "ratio":
        return f"{number.interval(grade.value, PERCENT)} %"
    if unit == "MOS":
        return f"MOS {_opinion(grade.value)}"
    return number.quantity_interval(grade.value, unit)


def _opinion(value: Interval) -> str:
    """`4.4`, or with its interval: more digits would say more than a listener can."""
    middle, low, high = (f"{each:.1f}" for each in (value.value, value.lo, value.hi))
    return middle if value.n < 2 or low == high else f"{middle} ({low}{number.DASH}{high})"


def limits(every: Sequence[Grade]) -> Table:
    """A line for each figure, and whose limits they are."""
    played = {grade.application.name: grade.application for grade in every}
    return column.table(
        LIMITS,
        [(each.title, quality) for each in played.values() for quality in each.qualities],
        Column("application", lambda row: row[0]),
        Column("figure", lambda row: words(row[1].quantity)),
        Column("good", lambda row: _limit(row[1], row[1].good)),
        Column("bad", lambda row: _limit(row[1], row[1].bad)),
        Column("source", lambda row: row[1].source),
    )


def _limit(quality: Quality, limit: float) -> str:
    if quality.of_clean:
        return f"{limit:g} times the clean way's"
    unit = UNITS[quality.quantity]
    if unit == "ratio":
        return f"{100 * limit:g} %"
    return f"{limit:g}" if unit == "MOS" else number.nominal(limit, unit)


KIND: Final = Answer(tables)
