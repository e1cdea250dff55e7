# SPDX-License-Identifier: Apache-2.0
"""Files that QEMU gets open. As nobody it could not reach where they lie, in folders of root's."""

import os
import shutil
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from gatemark.error import StationError
from gatemark.node import nobody

PLACE: Final = Path("/proc/self/fd")  # of who opens it: QEMU


class Handed(ExitStack):
    """Our ends of them; closed when it ends, after QEMU has begun."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[int] = []

    def _hand(self, file: int) -> Path:
        self.files.append(file)
        self.callback(os.close, file)
        return PLACE / str(file)

    def lent(self, path: Path) -> Path:
        """A file to be read, by a path that QEMU can open; a private one as a copy in memory."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        if os.fstat(file).st_mode & stat.S_IROTH:
            return self._hand(file)
        copy = os.memfd_create(path.name)
        with os.fdopen(file, "rb") as source, os.fdopen(copy, "wb", closefd=False) as target:
            shutil.copyfileobj(source, target)
        return self._hand(copy)

    def shared(self, path: Path) -> Path:
        """A large file to be read. Raises StationError where it is not for every user."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        if nobody.is_there() and not os.fstat(file).st_mode & stat.S_IROTH:
            os.close(file)
            raise StationError(f"{path}: QEMU runs as nobody, who cannot read it: chmod o+r {path}")
        return self._hand(file)

    def given(self, path: Path) -> Path:
        """An empty file of its own, to be written."""
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        if nobody.is_there():
            os.fchown(file, nobody.NOBODY, nobody.NOBODY)
        return self._hand(file)
