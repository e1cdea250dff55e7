# SPDX-License-Identifier: Apache-2.0
"""A table as wide as the terminal: what does not fit goes to the caption, wraps, or becomes blocks.

A pipe has no width: there a table stays as it is, one line a row.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from shutil import get_terminal_size
from textwrap import wrap as wrap_words
from typing import Final

from gatemark.tell.words.table import Table

Line = tuple[str, str]  # rich style, text
GAP: Final = 2  # characters between columns
NARROWEST: Final = 40  # characters: a terminal is not taken to be narrower
READABLE: Final = 12  # characters: text is not wrapped to fewer where it has more
INDENT: Final = 2

wrap = partial(wrap_words, break_on_hyphens=False)  # names of runs and stations stay whole


@dataclass(frozen=True, slots=True)
class Folded:
    """A table in lines, each part by itself, so that each can have a style."""

    caption: list[str]
    head: list[str]  # none: each row is a block that says its heads
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def room() -> int | None:
    """Characters of a line on the terminal; None where stdout is none."""
    terminal = sys.stdout and sys.stdout.isatty()  # none where it was closed: `>&-`
    return max(NARROWEST, get_terminal_size().columns) if terminal else None


def styled(table: Table, width: int | None, styles: Sequence[str] = ()) -> Iterator[Line]:
    """A table below its caption, indented; `styles` are those of its rows."""
    folded = fold(table, width if width is None else width - INDENT)
    yield "", ""
    yield from (("bold", text) for text in folded.caption)
    yield from (("dim", f"{'':{INDENT}}{text}") for text in folded.head)
    for place, row in enumerate(folded.rows):
        style = styles[place] if styles else ""
        yield from ((style, f"{'':{INDENT}}{text}".rstrip()) for text in row)
    yield from (("", f"{'':{INDENT}}{text}") for text in folded.notes)


def fold(table: Table, width: int | None) -> Folded:
    """The table in lines of at most `width` characters; None: as wide as it is."""
    table, notes = table.with_notes()
    if width is None or _natural(table) <= width:
        return _columns(table, [_widest(cells) for cells in table.columns()], width, notes)
    table = _hoisted(table)
    widths = _fitted(table, width)
    return _columns(table, widths, width, notes) if widths else _blocks(table, width, notes)


def _natural(table: Table) -> int:
    return sum(map(_widest, table.columns())) + GAP * (len(table.head) - 1)


def _hoisted(table: Table) -> Table:
    """Columns that have one value in all rows are said in the caption."""
    same = [len({row[at] for row in table.rows}) == 1 for at in range(len(table.head))]
    if len(table.rows) < 2 or all(same) or not any(same):
        return table
    first = table.rows[0]
    texts = [f"{head}: {first[at]}" for at, head in enumerate(table.head) if same[at]]
    kept = [at for at, is_same in enumerate(same) if not is_same]
    return replace(
        table,
        caption="; ".join((table.caption, *texts)),
        head=tuple(table.head[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in table.rows),
        numeric=frozenset(new for new, at in enumerate(kept) if at in table.numeric),
    )


def _fitted(table: Table, width: int) -> list[int]:
    """Widths of the columns, the widest cut first; empty where even the least do not fit."""
    columns = table.columns()
    most = [_widest(cells) for cells in columns]
    least = [_least(cells, is_number=at in table.numeric) for at, cells in enumerate(columns)]
    left = width - GAP * (len(columns) - 1)
    for level in range(width, 0, -1):
        widths = [min(m, max(n, level)) for m, n in zip(most, least, strict=True)]
        if sum(widths) <= left:
            return widths
    return []


def _least(cells: Sequence[str], *, is_number: bool) -> int:
    """A number stays in its line; text is wrapped between words."""
    head, *body = cells
    words = _widest([word for text in (head, *body) for word in text.split()])
    if is_number:
        return max(_widest(head.split()), _widest(body))
    return max(words, min(READABLE, _widest(cells)))


def _columns(table: Table, widths: list[int], width: int | None, notes: list[str]) -> Folded:
    """Rows side by side, each cell wrapped below itself."""
    columns = table.columns()
    cells = [
        [_cell(text, wide, right=at in table.numeric) for text in column]
        for at, (column, wide) in enumerate(zip(columns, widths, strict=True))
    ]
    rows = [_beside(row, widths) for row in zip(*cells, strict=True)]
    return Folded(wrapped(table.caption, width), rows[0], rows[1:], _all_wrapped(notes, width))


def _cell(text: str, width: int, *, right: bool) -> list[str]:
    lines = [text] if len(text) <= width else wrap(text, width) or [""]
    return [line.rjust(width) if right else line for line in lines]


def _beside(cells: Sequence[list[str]], widths: Sequence[int]) -> list[str]:
    """Cells of one row as lines."""
    high = max(map(len, cells), default=0)
    padded = [
        [line.ljust(width) for line in (*cell, *[""] * (high - len(cell)))]
        for cell, width in zip(cells, widths, strict=True)
    ]
    return [(" " * GAP).join(line).rstrip() for line in zip(*padded, strict=True)]


def _blocks(table: Table, width: int, notes: list[str]) -> Folded:
    """Each row as lines `head: value`, the first of them in front of the others."""
    rows = []
    for row in table.rows:
        lines = []
        for at, (head, cell) in enumerate(zip(table.head, row, strict=True)):
            before = "" if at == 0 else " " * INDENT
            text = f"{head}: {cell}" if head else cell
            lines += wrap(
                text, width, initial_indent=before, subsequent_indent=f"{before}{'':{INDENT}}"
            )
        rows.append(lines)
    return Folded(wrapped(table.caption, width), [], rows, _all_wrapped(notes, width))


def wrapped(text: str, width: int | None) -> list[str]:
    """A line of text in lines of at most `width`, those below as far in as the first."""
    if width is None or len(text) <= width:
        return [text]
    before = " " * (len(text) - len(text.lstrip()))
    return wrap(text, width, initial_indent=before, subsequent_indent=before) or [""]


def _all_wrapped(texts: Sequence[str], width: int | None) -> list[str]:
    return [line for text in texts for line in wrapped(text, width)]


def _widest(texts: Sequence[str]) -> int:
    return max(map(len, texts), default=0)
