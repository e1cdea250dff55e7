# SPDX-License-Identifier: Apache-2.0
"""Which run is meant: a path, a run's bare name, `latest`, or nothing for the newest.

Runs are looked for in the current folder and two levels below, so in `gatemark-runs/` too.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gatemark.commands.console import output
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.store.catalog import Entry

LATEST: Final = "latest"
NEAREST: Final = 3  # names that an error lists
NONE: Final = "no run here: make one with `gatemark run`, or give the path of one"
RUN_HELP: Final = "A run: folder, name, latest or latest~1.  [the newest]"
RUNS_HELP: Final = "Runs: folders, names, latest or latest~1.  [the newest]"


def known() -> "list[Entry]":
    """The runs that a name may mean, the newest first."""
    from gatemark.store.catalog import entries

    return entries(Path())


def measured() -> "list[Entry]":
    """The runs that have something to show, the newest first; all where none has a trial yet."""
    entries = known()
    return [entry for entry in entries if entry.is_measured] or entries


def located(word: Path) -> Path:
    """The directory that a word of the command line means. Raises UsageError."""
    if word.exists():
        return word
    if match := re.fullmatch(rf"{LATEST}(?:~(\d+))?", str(word)):
        return _printed(str(word), _nth(str(word), int(match[1] or 0), known()))
    named = [entry.path for entry in known() if entry.path.name == str(word)]
    if len(named) > 1:
        raise UsageError(f"{word}: several runs have this name: {_listed(named)}; give a path")
    if not named:
        raise UsageError(f"{word}: no run there{_near(word.name)}")
    return named[0]


def newest(runs: Sequence[Path] | None) -> list[Path]:
    """The runs that are meant; where none is, the newest. Raises UsageError."""
    if runs:
        return [located(run) for run in runs]
    return [_printed("newest run", _nth(LATEST, 0, measured()))]


def pair(runs: Sequence[Path | None], *, same_station: bool = True) -> list[Path]:
    """The runs that are compared: those that are named, or the two newest that are comparable.

    These are of one plan or suite, and of one station if asked for, the older first. Raises
    UsageError.
    """
    words = [run for run in runs if run]
    if words:
        return [located(run) for run in words]
    newer, older = _comparable(known(), same_station=same_station)
    return [_printed("old", older.path), _printed("new", newer.path)]


def newest_with(plan: str) -> Path | None:
    """The newest run with a plan of this name."""
    for entry in known():
        if plan in entry.plans:
            return _printed("newest run", entry.path)
    return None


def _comparable(entries: "Sequence[Entry]", *, same_station: bool) -> "tuple[Entry, Entry]":
    if not entries:
        raise UsageError(NONE)
    newer: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = entry.suite, entry.station if same_station else ""
        if key in newer:
            return newer[key], entry
        newer[key] = entry
    raise UsageError("no two runs of one plan or suite here: name the runs that are compared")


def _nth(word: str, place: int, entries: "Sequence[Entry]") -> Path:
    if not entries:
        raise UsageError(NONE)
    if place >= len(entries):
        raise UsageError(f"{word}: there are only {len(entries)} runs here")
    return entries[place].path


def _printed(what: str, path: Path) -> Path:
    """The path, named on stderr: nobody typed it."""
    output.say(f"{what}: {path}", err=True)
    return path


def _near(name: str) -> str:
    """The runs whose names are nearest, or the newest where none is near."""
    from difflib import get_close_matches

    names = list(dict.fromkeys(entry.path.name for entry in known()))
    if near := get_close_matches(name, names, NEAREST):
        return f"; did you mean {' or '.join(repr(text) for text in near)}?"
    if names:
        return f"; the newest are {', '.join(names[:NEAREST])}"
    return "; `gatemark run` makes one"


def _listed(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))
