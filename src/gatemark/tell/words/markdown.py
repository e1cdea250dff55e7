# SPDX-License-Identifier: Apache-2.0
"""Tables and words in Markdown: nothing of them is a mark."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gatemark.tell.words.table import Table

MARK: Final = re.compile(r"[\\`*\[\]<|~&$]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#")
# What begins a block (CommonMark 0.31, chapters 4 and 5): a quote, a list, a line below a heading.
BLOCK: Final = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[>=]|[-+](?:[-\s]|$)))")


def table(made: Table) -> Iterator[str]:
    """A table with its caption."""
    rule = ("---:" if place in made.numeric else "---" for place in range(len(made.head)))
    yield from (f"**{text(made.caption)}**", "")
    yield _row(map(text, made.head))
    yield _row(rule)
    yield from (_row(map(text, row)) for row in made.rows)
    yield ""


def text(words: str) -> str:
    """Words that stay words: on one line, nothing of them a mark."""
    return line(MARK.sub(r"\\\g<0>", " ".join(words.split())))


def line(marked: str) -> str:
    """A line of Markdown that goes on with the block before it."""
    return BLOCK.sub(r"\1\\", marked)


def fenced(kind: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines as they are, between fences that none of them can be (CommonMark 0.31, 4.5)."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}{kind}", *lines, fence)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
