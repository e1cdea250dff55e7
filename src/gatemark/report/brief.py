# SPDX-License-Identifier: Apache-2.0
"""The first answer in the terminal: at most 24 lines of 80 columns. `show --all` has the rest."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Final

from gatemark.report.answer import line, warning
from gatemark.report.answer.answers import tables
from gatemark.report.answer.brief import Brief, briefs
from gatemark.report.group.source import Source
from gatemark.report.words.run import counts, repeat_command, resume_command
from gatemark.report.words.table import Table
from gatemark.stats.capacity.line import Line as AccessLine

LINES, COLUMNS = 24, 80
HEADS: Final = 2  # lines above the rows of a table
MOST_CODES: Final = 3  # of warnings that are named
VIRTUAL: Final = "Virtual gateway: compare its setups with each other, not with devices."
Line = tuple[str, str]  # rich style, text


def lines(source: Source, page: Path | None) -> Iterator[Line]:
    """Sentence, tables, the access line, warnings, where the rest is, how to repeat it."""
    first, last = list(_begin(source)), [*_carries(source), ("", ""), *_end(source, page)]
    yield from first
    for caption, heads, rows in _fitting(source, LINES - len(first) - len(last)):
        yield "", ""
        yield "bold", caption
        yield from (("dim", head) for head in heads)
        yield from (("", row) for row in rows)
    yield from last


def _begin(source: Source) -> Iterator[Line]:
    yield from _wrapped("bold", source.judgement.sentence)
    if source.run.station.virtual:
        yield "dim", VIRTUAL
    for lack in source.run.station.missing:
        yield from _wrapped("yellow", f"missing: {lack}")


def _carries(source: Source) -> Iterator[Line]:
    if source.run.line:
        asked = AccessLine(*source.run.line)
        yield from _wrapped("bold", line.sentence(source.judgement.points, asked))


def _fitting(source: Source, room: int) -> list[tuple[str, list[str], list[str]]]:
    """Caption, heads and rows of each table; the longest gives up rows until all of them fit."""
    tables = [(made.caption, made.lines()) for made in _tables(source)]
    parts = [(caption, text[:HEADS], text[HEADS:]) for caption, text in tables]
    over = sum(2 + HEADS + len(rows) for _, _, rows in parts) - room
    for _ in range(over):
        longest = max((rows for _, _, rows in parts), key=len)
        if len(longest) > 1:
            longest.pop()
    return parts


def _tables(source: Source) -> Sequence[Brief | Table]:
    return briefs(source.judgement) or _other(source)


def _wrapped(style: str, text: str) -> Iterator[Line]:
    yield from ((style, part) for part in wrap(text, COLUMNS))


def _other(source: Source) -> Sequence[Table]:
    """The first table of a run that has neither of the two."""
    first = next((table for _, table in tables(source)), None)
    return [first] if first else []


def _end(source: Source, page: Path | None) -> Iterator[Line]:
    """Where everything else is, a line each."""
    codes = list(dict.fromkeys(w.code for w, _ in warning.warnings(source.judgement)))
    more = ", ..." if len(codes) > MOST_CODES else ""
    count = f"{len(codes)} warning{'' if len(codes) == 1 else 's'}"
    codes_in_words = f"{count} ({', '.join(codes[:MOST_CODES])}{more}); " if codes else ""
    rest = f"all: {shlex.join(('gatemark', 'show', _name(source.folder), '--all'))}"
    yield from _wrapped("yellow" if codes else "", f"{codes_in_words}{rest}")
    if page is not None:
        yield "", f"page: {page}"
    if source.judgement.missing:
        yield "yellow", f"{counts(source.judgement)}: {resume_command(source.folder)}"
    yield "", f"again: {repeat_command(source.run)}"


def _name(folder: Path | None) -> str:
    """A run by its bare name where that is enough to find it."""
    if folder is None:
        return "RUN"
    return folder.name if folder.parent.name == "gatemark-runs" else str(folder)
