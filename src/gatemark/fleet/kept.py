# SPDX-License-Identifier: Apache-2.0
"""A block's run folder: its hash, and its way into `runs/`, each step of which may be repeated."""

import hashlib
import os
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from gatemark.error import GatemarkError
from gatemark.store.folder import Folder, inside, sync

KEPT: Final = ("run.json", "trials.jsonl")  # what is measured; the page is made of it
PIECE: Final = 1 << 20  # bytes


class DiskError(GatemarkError):
    """The coordinator's own disk refuses, as a full one does: no station is at fault."""


def hash_of(folder: Path) -> str:
    """SHA-256 of what a run measured, its series too. Raises GatemarkError."""
    digest = hashlib.sha256()
    run, series = Folder(folder), Folder(folder, "series")
    try:
        files = [(run, name) for name in KEPT] + [(series, name) for name in sorted(series.names())]
        for place, name in files:
            with place.reading(name) as file:
                size = os.fstat(file.fileno()).st_size
                digest.update(f"{Path(place.inner) / name}\n{size}\n".encode())
                while piece := file.read(PIECE):
                    digest.update(piece)
    except OSError as error:
        raise GatemarkError(f"{error.filename or folder}: {error.strerror}") from None
    return digest.hexdigest()


def hash_of_file(path: Path) -> str:
    """SHA-256 of an image. Raises OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def unpack(tar: Path, into: Path) -> None:
    """Files and folders of a run, below `into` and nowhere else; they are on the disk then.

    Python's own filter for that is younger than 3.11.2. Raises GatemarkError, OSError, TarError.
    """
    with tarfile.open(tar) as packed:
        for member in packed:
            name = Path(member.name)
            is_ours = member.isreg() or member.isdir()
            if not is_ours or name.is_absolute() or ".." in name.parts:
                raise GatemarkError(f"{tar}: {member.name!r} is no file of a run")
            packed.extract(member, into, set_attrs=False)
        for member in packed.getmembers():
            _sync(into / member.name)


def _sync(path: Path) -> None:
    """Make what is in a file lasting, or the names in a folder (fsync(2), notes)."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def move(begun: Path, kept: Path) -> str:
    """Have the run of a begun block at `kept`, on the disk; its hash. Moved before: the same.

    Raises GatemarkError.
    """
    for path in (kept.parent, kept, begun):
        inside(path.parent, path.name)
    if not kept.exists():
        expected = hash_of(begun)
        try:
            with suppress(FileExistsError):
                kept.parent.mkdir()
                sync(kept.parent.parent)
            begun.rename(kept)
            sync(kept.parent)
        except OSError as error:
            raise DiskError(f"{kept}: {error.strerror}") from None
        if hash_of(kept) != expected:
            raise GatemarkError(f"{kept}: not what was measured: the disk has a fault")
        return expected
    return hash_of(kept)
