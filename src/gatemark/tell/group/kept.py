# SPDX-License-Identifier: Apache-2.0
"""What is made of a run and kept beside it, as long as nothing has changed of what it is made of.

That is the program and the run's files. Who can write such a file can write the records as well,
so it is trusted as they are: it is data, of which nothing is executed.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from gatemark.edition import edition
from gatemark.error import GatemarkError
from gatemark.judge.judge import Judged, judged
from gatemark.judge.queue import mixed
from gatemark.store import series
from gatemark.store.contents import Contents
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import Folder, ForeignError
from gatemark.store.naming import shipped
from gatemark.store.subsystem import Subsystem
from gatemark.tell.sentence.answer import answer

JUDGED: Final = "judged.json"
T = TypeVar("T", bound=msgspec.Struct)


class _File(msgspec.Struct, frozen=True):
    key: str  # of what it was made of
    made: msgspec.Raw


def judgement(
    contents: Contents,
    folder: Path,
    subsystems: Sequence[Subsystem] = (),
    *,
    key: str | None = None,
    loads: series.Reading | None = None,
) -> Judged:
    """Read what a run was judged to be, or judge it and keep that; paths by these subsystems.

    With the key "" nothing is read or kept. `loads` are the series of mixed.files, if known.
    """
    if key is None:
        key = digest(folder)
    if subsystems:
        key = ""  # that is of those shipped
    if known := read(folder, JUDGED, key, Judged):
        return known
    run, records = contents.run, contents.records
    loads = loads or series.read(RunDirectory(folder).series, mixed.files(records), mixed.LIKE)
    numbers = judged(run, records, subsystems or shipped(), loads.series)
    sentence = answer(run, records, numbers.judgement)
    made = replace(numbers, judgement=replace(numbers.judgement, sentence=sentence))
    if not (made.judgement.missing or contents.faults or loads.lost or contents.is_going):
        keep(folder, JUDGED, key, made)
    return made


def digest(path: Path) -> str:
    """A digest of what a run is judged by; "" where a part is missing or foreign.

    Series are known by name, length and time of change: to read them all takes as long as to judge.
    """
    folder = Folder(path)
    made = hashlib.sha256(edition().encode())
    try:
        for name in ("run.json", "trials.jsonl"):
            made.update(hashlib.sha256(folder.read(name)).digest())
        statuses = Folder(path, "series").statuses()
    except (OSError, ForeignError):
        return ""
    files = sorted((name, s.st_size, s.st_mtime_ns) for name, s in statuses.items())
    made.update(repr(files).encode())
    return made.hexdigest()


def read(path: Path, name: str, key: str, type_: type[T]) -> T | None:
    """Return what is kept under this key; None of nothing that can be read."""
    with suppress(OSError, ForeignError, ValueError, RecursionError):
        kept = msgspec.json.decode(Folder(path).read(name), type=_File) if key else None
        if kept and kept.key == key:
            return msgspec.json.decode(kept.made, type=type_)
    return None


def keep(path: Path, name: str, key: str, made: msgspec.Struct) -> None:
    """Keep it in a folder of this user's; where that may not be written, it is made each time."""
    with suppress(OSError, GatemarkError):
        if key and path.stat().st_uid == os.geteuid():
            file = _File(key, msgspec.Raw(msgspec.json.encode(made)))
            Folder(path).write(name, msgspec.json.encode(file))
