# SPDX-License-Identifier: Apache-2.0
"""The words of one page that are explained where they stand, each once, with the run's trials."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from gatemark.tell.explain.entry import Entry, column, plain, words
from gatemark.tell.explain.place import behind
from gatemark.tell.explain.sample import Points, points, value
from gatemark.tell.explain.text import FEW, Behind, counted, named
from gatemark.tell.group.source import Source
from gatemark.tell.words import traffic

JUDGED: Final = ("bottleneck", "verdict", "fault", "class", "grade")  # columns of words


@dataclass(slots=True)
class Glossary:
    """Finds the page of a word while a report is written, and remembers which were found."""

    source: Source
    docs: str = ""  # the address of the documents' site, which `make docs` builds; "": no link
    points: Points | None = None  # of the source, once a word has asked for them
    used: dict[str, Entry] = field(default_factory=dict)  # by anchor, in the order of the page

    def head(self, head: str, table: str = "") -> str:
        """The anchor of a table's head, or of a card's title; "" where it is no quantity."""
        return self._anchor(column(head, table))

    def cell(self, cell: str, head: str) -> str:
        """The anchor of a cell that is a verdict or a bottleneck; "" for all others."""
        return self.word(cell) if head in JUDGED else ""

    def word(self, word: str) -> str:
        """The anchor of a word: `cpu`, `spread`, `slower, 12 repeats more`; "" for none."""
        return self._anchor(words().get(plain(re.split(r"[,:;(]", word)[0])))

    def _anchor(self, entry: Entry | None) -> str:
        if entry is None:
            return ""
        anchor = f"explain-{entry.kind}-{entry.word}"
        self.used[anchor] = entry
        return anchor

    def behind(self, entry: Entry) -> Behind:
        """What the page's run has of a word."""
        self.points = self.points or points(self.source.records)
        return Behind(self.source.run.run, *behind(self.source.judgement, self.points, entry, FEW))

    def lines(self, made: Behind) -> Iterator[tuple[str, str]]:
        """For each point its arm and value, then its trials."""
        for sample in made.samples:
            where = ", ".join(
                [sample.arm, *([traffic.point(sample.point)] if sample.point else [])]
            )
            yield f"{where}: {value(sample, made.quantity)}".removesuffix(": "), named(sample, FEW)

    def count(self, made: Behind) -> str:
        """At how many points the word is."""
        return counted(made) if made.points else "no trial of this run is about it"
