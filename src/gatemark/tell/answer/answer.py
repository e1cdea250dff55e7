# SPDX-License-Identifier: Apache-2.0
"""An answer as data: its tables, where they stand, and what no table can show."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gatemark.tell.group.source import Source
from gatemark.tell.words.table import Table

Tables = Sequence[tuple[str, Table]]  # each with its anchor, a name that a page has once
Text = tuple[str, list[str]]  # a heading, and lines in a fixed-width font; the first is their head


def _nothing(source: Source) -> Iterable[Text]:
    del source
    return ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One kind of answer. A table without rows is printed nowhere."""

    tables: Callable[[Source], Tables]
    folded: bool = False  # on the page: behind the fold
    texts: Callable[[Source], Iterable[Text]] = _nothing  # what no table can show; not on the page
    most: int = 0  # rows in the terminal; 0: all
    option: str = ""  # of `gatemark show`, that prints all rows

    def made(self, source: Source) -> Tables:
        """The tables of a run, made once."""
        return source.once(self, lambda: self.tables(source))
