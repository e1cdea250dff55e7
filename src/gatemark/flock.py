# SPDX-License-Identifier: Apache-2.0
"""flock(2) on a folder or a file, without waiting; and who holds it, by proc_locks(5).

Whoever can open a file can lock it. So a lock that all users share is held by whom it pleases, as
long as it pleases; who waits for it asks who that is. Windows has no such locks: nothing is
measured there, so what is read there is held by nobody.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

try:
    import fcntl
except ModuleNotFoundError:
    fcntl = None  # type: ignore[assignment]

LOCKS: Final = Path("/proc/locks")
PROGRAM: Final = b"gatemark"


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that holds a lock."""

    pid: int
    name: str  # as ps shows it; "" where it has ended, or is hidden from us
    user: int | None  # its user's number as our user namespace has it
    is_run: bool  # by its command line, which each process chooses itself

    def __str__(self) -> str:
        return f"process {self.pid} ({self.name})" if self.name else f"process {self.pid}"


@contextmanager
def opened(place: Path | str) -> Iterator[int]:
    """A folder's descriptor, to be locked; closing it frees the lock."""
    if fcntl is None:
        yield -1
        return
    file = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield file
    finally:
        os.close(file)


def take(file: IO[str] | int) -> bool:
    """Lock it; False where another has it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_held(file: IO[str] | int) -> bool:
    """Whether another has it locked. All who ask share it for a moment, and see none in each other.

    Who takes it just then is refused, and tries again.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


def owner(file: IO[str] | int) -> Owner | None:
    """The process that has it locked; None where that cannot be known, or nobody has."""
    status = os.fstat(file if isinstance(file, int) else file.fileno())
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in LOCKS.read_text().splitlines():
        words = line.split()  # those that wait have -> behind the number
        if words[1:2] == ["FLOCK"] and words[5:6] == [place]:
            return _owner(int(words[4]))
    return None


def _owner(pid: int) -> Owner:
    place = Path(f"/proc/{pid}")
    try:
        user = place.stat().st_uid
        name = (place / "comm").read_text().strip()
        return Owner(pid, name, user, PROGRAM in (place / "cmdline").read_bytes())
    except OSError:
        return Owner(pid, "", None, is_run=False)
