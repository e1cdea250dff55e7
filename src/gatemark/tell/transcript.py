# SPDX-License-Identifier: Apache-2.0
"""What `gatemark show` prints of a finished run, kept in the run's folder: `answer.json`.

It is read as long as nothing has changed of what it was made of (group.kept), nor the path by which
the answer names its files.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from gatemark.printable import printable
from gatemark.store.folder import Folder, ForeignError
from gatemark.tell.words.screen import Line

if TYPE_CHECKING:
    from gatemark.tell.group.source import Source
    from gatemark.tell.words.table import Table

NAME: Final = "answer.json"


class Grid(msgspec.Struct, frozen=True):
    """A table (words.table.Table), which is as wide as its reader's terminal."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int]
    noted: bool

    def __post_init__(self) -> None:
        """Refuse what a stranger wrote and nobody can print. Raises ValueError."""
        if not self.head or any(len(row) != len(self.head) for row in self.rows):
            raise ValueError("a row is not as long as the head")


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of a run: its text, its data, and whether it is what the plans expect."""

    brief: tuple[Line, ...]  # the first answer
    whole: tuple[Line | Grid, ...]  # that of `--all`
    values: tuple[dict[str, Any], ...]  # `--json`
    more: tuple[dict[str, Any], ...]  # what `--json --all` has besides
    missed: bool  # an expectation of its plans

    def lines(self) -> "Iterator[Line | Table]":
        """The answer of `--all`."""
        from gatemark.tell.words.table import Table

        for line in self.whole:
            yield Table(**structs.asdict(line)) if isinstance(line, Grid) else line


def transcript(source: "Source", page: Path | None) -> Transcript:
    """All that can be asked of one run without naming anything besides it."""
    from gatemark.judge.values import values
    from gatemark.tell import terminal
    from gatemark.tell.brief import lines as brief

    judgement = source.judgement
    made = {
        "brief": list(map(_encodable, brief.lines(source, page))),
        "whole": list(map(_encodable, terminal.lines(source, page))),
        "values": [*values(judgement), *judgement.refusals],
        "more": list(_more(source)),
        "missed": is_missed(source),
    }
    # By way of the file's form, so that what is kept can say nothing else.
    return msgspec.json.decode(msgspec.json.encode(made), type=Transcript)


def is_missed(source: "Source") -> bool:
    """Return True where a run misses an expectation of its plans."""
    from gatemark.judge.expect import checks, facts, missed

    return bool(missed(checks(source.judgement, source.run.plans, facts(source.run))))


def key(path: Path, digest: str) -> str:
    """The key of a run's answer, which names its path and its page, too; "" without a digest."""
    with suppress(OSError, ForeignError):
        page = b"page" if digest and Folder(path).status("report.html") else b""
        parts = b"\0".join((digest.encode(), os.fsencode(path), page))
        return hashlib.sha256(parts).hexdigest() if digest else ""
    return ""


def _encodable(line: "Line | Table") -> "Line | Table":
    """The same without what JSON cannot have: a folder may be named by any bytes."""
    return (line[0], printable(line[1])) if isinstance(line, tuple) else line


def _more(source: "Source") -> Iterator[dict[str, object]]:
    """What is no value: each warning, then each table as its reader sees it."""
    from gatemark.tell.answer.answers import tables
    from gatemark.tell.fact import say
    from gatemark.tell.fact.warned import warnings

    for seen, where in warnings(source.judgement):
        words = {"seen": say.words(seen.seen), "advice": say.words(seen.advice)}
        yield {"warning": seen.code, "where": where, **words}
    for name, table in tables(source):
        yield {"table": name, "caption": table.caption, "head": table.head, "rows": table.rows}
