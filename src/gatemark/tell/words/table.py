# SPDX-License-Identifier: Apache-2.0
"""A table as terminal, page and Markdown share it: cells are text, made once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gatemark.tell.words import number

NONE = number.DASH
ADJUSTED = "p, adjusted"  # the head of a p beside intervals
FAMILY = "p is of all rows together (Holm), an interval of its row alone"
_NUMBER = re.compile(rf"^((?:{number.AT_LEAST})?\D?\d+)(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Table:
    """Head and rows of one table; `numeric` names the columns that stand by their point."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int]
    noted: bool = False  # as text the last column stands below, as notes: many rows share theirs

    def lines(self) -> list[str]:
        """The table as plain text, columns with two spaces between them, decimal points aligned."""
        table, notes = self.with_notes()
        padded = [self._padded(place, cells) for place, cells in enumerate(table.columns())]
        return [*("  ".join(cells).rstrip() for cells in zip(*padded, strict=True)), *notes]

    def with_notes(self) -> tuple["Table", list[str]]:
        """The same with marks in its last column, and what they mean; as it is if not noted."""
        texts = dict.fromkeys(row[-1] for row in self.rows) if self.noted else ()
        if not texts:
            return self, []
        marks = {text: str(place) for place, text in enumerate(texts, 1)}
        rows = tuple((*row[:-1], marks[row[-1]]) for row in self.rows)
        notes = [f"{mark}: {text}" for text, mark in marks.items()]
        return replace(self, rows=rows, noted=False), notes

    def columns(self) -> list[list[str]]:
        """The cells of each column below its head; numbers stand by their point."""
        columns = zip(self.head, *self.rows, strict=True)
        return [self._column(place, list(cells)) for place, cells in enumerate(columns)]

    def _column(self, place: int, cells: list[str]) -> list[str]:
        if place not in self.numeric:
            return cells
        head, *body = cells
        body = aligned(body)
        inner = max((len(cell) for cell in body), default=0)
        return [head, *(cell.ljust(inner) for cell in body)]

    def _padded(self, place: int, cells: list[str]) -> list[str]:
        width = max(map(len, cells))
        if place in self.numeric:
            return [cell.rjust(width) for cell in cells]
        return [cell.ljust(width) for cell in cells]


def aligned(cells: Sequence[str]) -> list[str]:
    """Cells padded on the left so that their decimal points stand below each other."""
    parts = [_NUMBER.match(cell) for cell in cells]
    widest = max((len(part[1]) for part in parts if part), default=0)
    return [
        part[1].rjust(widest) + part[2] if part else cell.rjust(widest)
        for part, cell in zip(parts, cells, strict=True)
    ]
