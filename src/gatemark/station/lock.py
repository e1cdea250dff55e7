# SPDX-License-Identifier: Apache-2.0
"""Locks: one for the machine while a trial runs, one for each lab in its name.

A lock is `flock` on a file, so the kernel frees it when its holder dies, however it dies. That is
how the next start knows what is left over.

What all users of a machine share is locked by a folder that each of them can open and none can
replace: no file of one user has to be opened by another. A lab's own lock is of root alone, or of
the /run in its user's own namespaces (station/own.py).
"""

import asyncio
import fcntl
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gatemark.error import StationError

MACHINE = ("/run/lock", "/tmp")  # the first that is there  # noqa: S108
THREADS = "/proc"  # the same for all who see the same kernel threads
ASKING_S = 0.2
AGAIN_S = 0.05  # between two attempts to get the machine
THREADS_S = 60.0  # a thread is made in milliseconds
LAB = re.compile(r"[0-9a-f]{6}")


def folder() -> Path:
    """Where the labs' locks are kept."""
    return Path("/run/gatemark")


@contextmanager
def machine(waiting: Callable[[str], None], patience_s: float = 600.0) -> Iterator[None]:
    """Hold the machine: one trial at a time. `waiting` is told once if another run has it."""
    place = next(filter(os.path.isdir, MACHINE))
    with _opened(place) as file:
        for _ in _attempts(file, place, waiting, patience_s):
            time.sleep(AGAIN_S)
        yield


@asynccontextmanager
async def machine_in_turn(
    waiting: Callable[[str], None], patience_s: float = 600.0
) -> AsyncIterator[None]:
    """As `machine`; whoever renews a lease (node/lease.py) goes on while it waits."""
    place = next(filter(os.path.isdir, MACHINE))
    with _opened(place) as file:
        for _ in _attempts(file, place, waiting, patience_s):
            await asyncio.sleep(AGAIN_S)
        yield


def _attempts(
    file: int, place: str, waiting: Callable[[str], None], patience_s: float
) -> Iterator[None]:
    """Take the machine's lock; between two attempts the caller waits."""
    flag, until = False, time.monotonic() + patience_s
    while not _take(file):
        if time.monotonic() > until:
            raise StationError(
                f"another run has held this machine for {patience_s:g} s: end it "
                f"(`lslocks` tells who has locked {place})"
            )
        if not flag:
            waiting("another run is measuring on this machine: waiting for it")
            flag = True
        yield


@contextmanager
def threads() -> Iterator[None]:
    """Hold while a NAPI thread is made: labs tell their own by what was not there before."""
    with _opened(THREADS) as file:
        until = time.monotonic() + THREADS_S
        while not _take(file):
            if time.monotonic() > until:
                raise StationError(f"somebody has locked {THREADS} for {THREADS_S:g} s: end that")
            time.sleep(0.01)
        yield


@contextmanager
def _opened(place: str) -> Iterator[int]:
    file = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield file
    finally:
        os.close(file)


@contextmanager
def named(lab: str, purpose: str) -> Iterator[None]:
    """Hold a lab's own lock for as long as the lab lives; the file says who holds it and why."""
    folder().mkdir(mode=0o700, exist_ok=True)
    path = folder() / f"{lab}.lock"
    with _own(path) as file:
        file.truncate(0)
        file.write(f"{os.getpid()} {purpose}\n")
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _own(path: Path) -> IO[str]:
    """A lock's file, locked. Who only asks for the holder has it for a moment: wait for that."""
    until = time.monotonic() + ASKING_S
    while True:
        file = path.open("a+")
        # A clean-up between open and flock may have unlinked the file: then the lock is nobody's.
        if _take(file) and path.exists():
            return file
        file.close()
        if time.monotonic() > until:
            raise StationError(f"lab {path.stem} is in use: try again")
        time.sleep(0.005)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lab."""

    pid: int
    purpose: str  # "run", or "kept": `gatemark lab up`


def holder(lab: str) -> Holder | None:
    """Who holds a lab's lock; None if it is free: what bears its name is left over."""
    try:
        with (folder() / f"{lab}.lock").open("r+") as file:
            if _take(file):
                return None
            pid, _, purpose = file.read().strip().partition(" ")
            return Holder(int(pid or 0), purpose)
    except FileNotFoundError:
        return None


def names() -> list[str]:
    """Labs that have a lock file, held or free."""
    return sorted(path.stem for path in folder().glob("*.lock") if LAB.fullmatch(path.stem))


def private(lab: str) -> Path:
    """Where a lab keeps what nobody else may read; made by the lab that needs it."""
    return folder() / lab


def forget(lab: str) -> None:
    """Remove the file of a lock that nobody holds, and what was private to its lab."""
    shutil.rmtree(private(lab), ignore_errors=True)
    (folder() / f"{lab}.lock").unlink(missing_ok=True)


def _take(file: IO[str] | int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
