# SPDX-License-Identifier: Apache-2.0
"""Folders that are made once and kept, with the checksum of every file in them.

A folder is made beside its place and moved there whole, so what a crash leaves has no sums and is
no folder of ours. One that was changed, or lost a file, is made again.
"""

import fcntl
import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gatemark.store import xdg

SUMS: Final = "SHA256SUMS"
HALF: Final = ".half"  # ends the name of a folder that is being made


def kept(place: Path, make: Callable[[Path], None]) -> Path:
    """The folder at `place`, sound; `make` fills it if it is not. Who comes second waits."""
    xdg.make(place.parent)
    with _alone(place.with_name(f"{place.name}.lock")):
        if not sound(place):
            half = place.with_name(f"{place.name}{HALF}")
            for old in (half, place):
                shutil.rmtree(old, ignore_errors=True)
            half.mkdir()
            make(half)
            seal(half, place)
    return place


def seal(half: Path, place: Path) -> None:
    """Write the sums of a folder that was made, and move it to its place."""
    (half / SUMS).write_text(_sums(half))
    half.rename(place)


def sound(place: Path) -> bool:
    """Return whether every file is there as it was made, and no other."""
    try:
        return (place / SUMS).read_text() == _sums(place)
    except OSError:
        return False


def _sums(place: Path) -> str:
    """Return the sums as sha256sum(1) prints and checks them."""
    files = sorted(path for path in place.iterdir() if path.name != SUMS)
    return "".join(f"{sha256(path)}  {path.name}\n" for path in files)


def sha256(path: Path) -> str:
    """A file's checksum."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
