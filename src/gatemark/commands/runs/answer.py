# SPDX-License-Identifier: Apache-2.0
"""The answer of a run: the one that is kept in its folder, else made and kept there."""

from pathlib import Path
from typing import TYPE_CHECKING

from gatemark.commands.console import output
from gatemark.commands.runs import reading

if TYPE_CHECKING:
    from gatemark.tell.group.source import Source
    from gatemark.tell.transcript import Transcript


def of_run(path: Path) -> "Transcript":
    """Return a run's answer, judged only where it was not yet. Raises GatemarkError."""
    from gatemark.tell import transcript
    from gatemark.tell.group import kept

    digest = kept.digest(path)
    key = transcript.key(path, digest)
    if made := kept.read(path, transcript.NAME, key, transcript.Transcript):
        return made

    from gatemark.tell.group.source import judged

    return keep(judged(reading.read(path), path, drawn=False, key=digest), path, key)


def keep(source: "Source", path: Path, key: str) -> "Transcript":
    """Return the answer of what was judged; it is kept where the run is whole and at its end."""
    from gatemark.tell import transcript
    from gatemark.tell.group import kept

    made = transcript.transcript(source, page(path))
    if not (source.judgement.missing or source.faults or source.is_going):
        kept.keep(path, transcript.NAME, key, made)
    return made


def page(path: Path) -> Path | None:
    """The page of a run, where it has one."""
    from gatemark.store.directory import RunDirectory

    directory = RunDirectory(path)
    return directory.page if directory.has_page() else None


def tell(made: "Transcript", *, json_: bool, whole: bool = False) -> None:
    """Print an answer, brief or whole, or its data."""
    from gatemark.tell.words import screen

    if json_:
        output.lines((*made.values, *(made.more if whole else ())))
    else:
        screen.tell(made.lines() if whole else made.brief)
