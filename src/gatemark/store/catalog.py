# SPDX-License-Identifier: Apache-2.0
"""The runs in a folder and the folders in it, each as far as it is needed to choose one.

And the values of a run's trials, without all else that their records hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from gatemark.store.folder import Folder, ForeignError

DEEPEST = 2  # folders below the one that is asked for
TRIALS: Final = "trials.jsonl"


class _Named(msgspec.Struct, frozen=True):
    name: str = ""


class _Head(msgspec.Struct, frozen=True):
    """The part of a `run.json` that is read: decoding all of it would take ten times as long."""

    started: str = ""
    suite: str = ""
    station: _Named = _Named()
    plans: tuple[_Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """A run to choose."""

    path: Path
    started: str  # ISO 8601
    suite: str
    station: str
    plans: tuple[str, ...]
    is_measured: bool  # a trial has ended


def below(folder: Path, deepest: int = DEEPEST) -> list[Path]:
    """The directories of runs in a folder and the folders in it, newest names last."""
    levels = ["/".join(["*"] * depth) for depth in range(1, deepest + 1)]
    parents = sorted(path.parent for level in levels for path in folder.glob(f"{level}/run.json"))
    once = {path.resolve(): path for path in reversed(parents)}  # a link to a run is no other run
    return sorted(once.values())


def entries(folder: Path) -> list[Entry]:
    """The runs below a folder, the newest first; one that cannot be read is left out."""
    return sorted(_read(below(folder)), key=lambda entry: (entry.started, entry.path), reverse=True)


def _read(paths: list[Path]) -> Iterator[Entry]:
    decoder = msgspec.json.Decoder(_Head)
    for path in paths:
        try:
            head = decoder.decode(Folder(path).read("run.json"))
        except (OSError, ForeignError, ValueError, RecursionError):
            continue
        if head.started:  # else it is another file of that name
            plans = tuple(plan.name for plan in head.plans)
            names = head.suite, head.station.name
            yield Entry(path, head.started, *names, plans, _is_measured(path))


def _is_measured(folder: Path) -> bool:
    try:
        return (folder / TRIALS).stat().st_size > 0
    except OSError:
        return False


class Outcome(msgspec.Struct, frozen=True):
    """The result of one trial."""

    trial: str
    plan: str
    arm: str
    status: str
    pass_: str = msgspec.field(name="pass")
    point: dict[str, str | int | float | bool] = {}
    values: dict[str, float] = {}


def outcomes(folder: Path) -> Iterator[Outcome]:
    """Each trial in the order of writing; a line that cannot be read is left out.

    Raises OSError or ForeignError where the folder has no such file.
    """
    decoder = msgspec.json.Decoder(Outcome)
    for line in Folder(folder).read(TRIALS).splitlines():
        try:
            yield decoder.decode(line)
        except (ValueError, RecursionError):
            continue
