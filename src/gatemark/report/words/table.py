# SPDX-License-Identifier: Apache-2.0
"""A table as terminal, page and Markdown share it: cells are text, made once."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatemark.report.words import number

NONE = number.DASH
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
        """The table as plain text, columns two spaces apart, decimal points aligned."""
        notes = {text: str(place) for place, text in enumerate(self._notes(), 1)}
        rows = [(*row[:-1], notes[row[-1]]) for row in self.rows] if notes else self.rows
        return [*self._lines(rows), *(f"{place}: {text}" for text, place in notes.items())]

    def _notes(self) -> Iterable[str]:
        return dict.fromkeys(row[-1] for row in self.rows) if self.noted else ()

    def _lines(self, rows: Iterable[tuple[str, ...]]) -> list[str]:
        columns = list(zip(self.head, *rows, strict=True))
        wide = [self._column(place, cells) for place, cells in enumerate(columns)]
        return ["  ".join(cells).rstrip() for cells in zip(*wide, strict=True)]

    def _column(self, place: int, cells: Sequence[str]) -> list[str]:
        head, *body = cells
        body = aligned(body) if place in self.numeric else body
        width = max(len(cell) for cell in (head, *body))
        if place not in self.numeric:
            return [cell.ljust(width) for cell in (head, *body)]
        inner = max((len(cell) for cell in body), default=0)
        return [head.rjust(width), *(cell.ljust(inner).rjust(width) for cell in body)]


def aligned(cells: Sequence[str]) -> list[str]:
    """Cells padded on the left so that their decimal points stand below each other."""
    parts = [_NUMBER.match(cell) for cell in cells]
    widest = max((len(part[1]) for part in parts if part), default=0)
    return [
        part[1].rjust(widest) + part[2] if part else cell.rjust(widest)
        for part, cell in zip(parts, cells, strict=True)
    ]
