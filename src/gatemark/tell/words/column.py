# SPDX-License-Identifier: Apache-2.0
"""A table as a list of its columns: the head with its unit, the cell of a row, when it is shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gatemark.tell.words.table import NONE, Table

T = TypeVar("T")


@dataclass(frozen=True)
class Column(Generic[T]):
    """One column of a table whose rows are of one kind of thing."""

    head: str
    make: Callable[[T], str]
    is_number: bool = False  # it stands by its point
    is_there: bool | None = True  # None: where any row has it


def number(head: str, make: Callable[[T], str], is_there: bool | None = True) -> Column[T]:
    """A column of numbers."""
    return Column(head, make, True, is_there)


def table(caption: str, rows: Iterable[T], *columns: Column[T], noted: bool = False) -> Table:
    """A row for each thing, with the columns that are there; `noted` as in `Table`."""
    things = list(rows)
    made = [(column, [column.make(thing) for thing in things]) for column in columns]
    shown = [
        (column, cells)
        for column, cells in made
        if (any(cell != NONE for cell in cells) if column.is_there is None else column.is_there)
    ]
    return Table(
        caption,
        tuple(column.head for column, _ in shown),
        tuple(zip(*(cells for _, cells in shown), strict=True)),
        frozenset(place for place, (column, _) in enumerate(shown) if column.is_number),
        noted=noted,
    )
