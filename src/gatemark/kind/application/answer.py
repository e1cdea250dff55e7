# SPDX-License-Identifier: Apache-2.0
"""Applications, a line each: good, fair or bad in every arm, with the figure that decided."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from gatemark.kind.application.application import Quality
from gatemark.kind.application.grade import Arm, Grade, arms, grades
from gatemark.quantity import UNITS, words
from gatemark.tell.answer.answer import Answer
from gatemark.tell.group.source import Source
from gatemark.tell.words import column, number
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import PERCENT
from gatemark.tell.words.table import NONE, Table

ANCHOR: Final = "applications"
CAPTION: Final = (
    "Applications, played by real programs at both ends; the figure that decided. Not judged: {}"
)
SLOW: Final = "this machine was too slow for it, or it is not good with nothing beside"
LIMITS: Final = "Limits: good as far as the one, bad beyond the other, fair between"


def tables(source: Source) -> list[tuple[str, Table]]:
    """The grades, and the limits that they are by."""
    every = grades(source.judgement.points)
    return [(ANCHOR, table(every)), (f"{ANCHOR}-limits", limits(every))]


def table(every: Sequence[Grade]) -> Table:
    """A line for each application, a column for each arm."""
    names = list(dict.fromkeys(grade.application.name for grade in every))
    titles = {grade.application.name: grade.application.title for grade in every}
    spec: list[Column[str]] = [
        Column("application", titles.__getitem__),
        *(Column(arm.name, partial(_at, arm)) for arm in arms(every)),
    ]
    return column.table(CAPTION.format(SLOW), names, *spec)


def _at(arm: Arm, name: str) -> str:
    return cell(arm.grades.get(name))


def cell(grade: Grade | None) -> str:
    """`bad: 412 ms`, `good: MOS 4.38`, `not judged`."""
    if grade is None:
        return NONE
    figure = value(grade)
    return f"{grade.word}: {figure}" if figure else grade.word


def value(grade: Grade) -> str:
    """The figure with its unit; "" where there is none."""
    if grade.quality is None or grade.value is None:
        return ""
    unit = UNITS[grade.quality.quantity]
    if grade.share is not None and not grade.is_clean:
        return f"{number.quantity(grade.value.value, unit)}, {grade.share:.1f}x"
    if unit == "ratio":
        return f"{number.value_alone(grade.value, PERCENT)} %"
    if unit == "MOS":
        return f"MOS {grade.value.value:.1f}"
    return number.quantity(grade.value.value, unit)


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
