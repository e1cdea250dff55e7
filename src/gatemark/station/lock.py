# SPDX-License-Identifier: Apache-2.0
"""Locks: one for the machine while a trial runs, one for each lab in its name.

A lock is `flock` on a file, so the kernel frees it when its holder dies, however it dies. That is
how the next start knows what is left over.

What all users of a machine share is locked by a folder that each of them can open and none can
replace: no file of one user has to be opened by another. But any program can hold such a lock for
ever. So runs of root are separated by a file of root alone, and the folder is asked besides, for
the runs of others: who holds it for too long is passed over, and the record says so. A lab's own
lock is of root alone, or of the /run in its user's own namespaces (station/own.py).
"""

import asyncio
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gatemark import flock
from gatemark.error import StationError

MACHINE = ("/run/lock", "/tmp")  # the first that is there  # noqa: S108
THREADS = "/proc"  # the same for all who see the same kernel threads
ASKING_S = 1.0  # who asks for a lab's holder, or cleans up, is over in milliseconds
AGAIN_S = 0.02  # between two attempts
RUN_S = 600.0  # the longest trial of another run
STRANGER_S = 60.0  # who holds the machine's lock and is no run of ours
THREADS_S = 60.0  # a thread is made in milliseconds
THREADS_SHARED_S = 5.0
LAB = re.compile(r"[0-9a-f]{6}")

Waiting = Callable[[str], None]

_passed_over: set[int | None] = set()  # users who held the machine's lock for too long


def folder() -> Path:
    """Where the labs' locks are kept."""
    return Path("/run/gatemark")


@contextmanager
def machine(
    waiting: Waiting, patience_s: float = RUN_S, stranger_s: float = STRANGER_S
) -> Iterator[str]:
    """Hold the machine: one trial at a time. Yields a note for its record, mostly empty.

    `waiting` is called once if another has it. Raises StationError where a run with the same rights
    has it for `patience_s`; a process of another user's is passed over then, or after `stranger_s`
    if it is no run, and the trials after it no longer wait for that user.
    """
    with ExitStack() as held:
        for note in _asked(held, waiting, patience_s, stranger_s):
            if note is not None:
                yield note
                return
            time.sleep(AGAIN_S)


@asynccontextmanager
async def meanwhile(
    waiting: Waiting, patience_s: float = RUN_S, stranger_s: float = STRANGER_S
) -> AsyncIterator[str]:
    """As `machine`, for who has other work to do while it waits, such as to keep a connection."""
    with ExitStack() as held:
        for note in _asked(held, waiting, patience_s, stranger_s):
            if note is not None:
                yield note
                return
            await asyncio.sleep(AGAIN_S)


def _asked(
    held: ExitStack, waiting: Waiting, patience_s: float, stranger_s: float
) -> Iterator[str | None]:
    """None each time that it has to be asked for again; at last a note, and it is held."""
    place = next(filter(os.path.isdir, MACHINE))
    file = held.enter_context(_own_file("machine"))
    yield from _waited(file, patience_s, waiting)
    shared = held.enter_context(flock.opened(place))
    yield from _shared(shared, place, (patience_s, stranger_s), waiting)


def _shared(
    file: int, place: str, bounds_s: tuple[float, float], waiting: Waiting
) -> Iterator[str | None]:
    """Take the lock of all users, or pass its holder over: the note is about that."""
    patience_s, stranger_s = bounds_s
    flag, began = False, time.monotonic()
    while not flock.take(file):
        holder = flock.owner(file)
        user, is_run = (holder.user, holder.is_run) if holder else (None, False)
        bound_s = patience_s if is_run else stranger_s
        is_late = time.monotonic() - began > bound_s
        # Who is waited for is named first, however late the machine is.
        if user in _passed_over or (is_late and (flag or not bound_s)):
            _passed_over.add(user)
            yield (
                f"measured although {holder or 'a process'} has locked {place}, "
                "by which runs wait for each other: another run may have measured meanwhile"
            )
            return
        if not flag:
            waiting(_whom(holder, is_run, place, stranger_s))
            flag = True
        yield None
    yield ""


def _another(holder: flock.Owner | None) -> str:
    whose = f" ({holder})" if holder else ""
    return f"another run is measuring on this machine{whose}: waiting for it"


def _whom(holder: flock.Owner | None, is_run: bool, place: str, stranger_s: float) -> str:
    if is_run:
        return _another(holder)
    return f"{holder or 'a process'} has locked {place}: waiting for it, {stranger_s:g} s at most"


@contextmanager
def _own_file(name: str) -> Iterator[IO[str] | None]:
    """A file that runs with the same rights lock; None where we have no folder for it."""
    try:
        folder().mkdir(mode=0o700, exist_ok=True)
        opening = (folder() / f"{name}.lock").open("a")
    except OSError:
        opening = None
    with opening or nullcontext() as file:
        yield file


def _waited(file: IO[str] | None, patience_s: float, waiting: Waiting) -> Iterator[None]:
    """Lock such a file; yields each time that it has to be asked for again.

    Many runs that take turns are waited for as long as they do.
    """
    flag, holder, until = False, None, time.monotonic() + patience_s
    while file and not flock.take(file):
        if not flag:
            holder, flag = flock.owner(file), True
            waiting(_another(holder))
        elif time.monotonic() > until:
            before, holder, until = holder, flock.owner(file), time.monotonic() + patience_s
            if before == holder:
                raise StationError(
                    f"another run has held this machine for {patience_s:g} s: end {holder or 'it'}"
                )
        yield


@contextmanager
def threads() -> Iterator[None]:
    """Hold while a NAPI thread is made: labs tell their own by what was not there before.

    It is made in milliseconds: who holds the lock of all users longer makes none, and is passed
    over.
    """
    with _own_file("threads") as own, flock.opened(THREADS) as file:
        for _ in _waited(own, THREADS_S, lambda _: None):
            time.sleep(0.01)
        until = time.monotonic() + THREADS_SHARED_S
        while not flock.take(file) and time.monotonic() < until:
            time.sleep(0.01)
        yield


@contextmanager
def named(lab: str, purpose: str) -> Iterator[None]:
    """Hold a lab's own lock for as long as the lab lives; the file says who holds it and why.

    Raises StationError where its folder takes no file.
    """
    path = folder() / f"{lab}.lock"
    with ExitStack() as held:
        try:
            folder().mkdir(mode=0o700, exist_ok=True)
            file = held.enter_context(_own(path))
            held.callback(path.unlink, missing_ok=True)
            file.truncate(0)
            os.write(file.fileno(), f"{os.getpid()} {purpose}\n".encode())  # closing writes no more
        except OSError as error:
            raise StationError(f"{path}: {error.strerror}: make room in {folder()}") from None
        yield


def _own(path: Path) -> IO[str]:
    """A lock's file, locked. Who asks for the holder, or cleans up, has it for a moment."""
    until = time.monotonic() + ASKING_S
    while True:
        file = path.open("a+")
        if _taken(file, path):
            return file
        file.close()
        if time.monotonic() > until:
            raise StationError(f"lab {path.stem} is in use: try again")
        time.sleep(0.005)


def _taken(file: IO[str], path: Path) -> bool:
    """Lock a lab's file. One that a clean-up unlinked since it was opened is nobody's lock."""
    with suppress(FileNotFoundError):
        return flock.take(file) and os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a lab."""

    pid: int
    purpose: str  # "run", or "kept": `gatemark lab up`


def holder(lab: str) -> Holder | None:
    """Return the holder of a lab's lock; None if it is free: what bears its name is left over."""
    try:
        with (folder() / f"{lab}.lock").open("r+") as file:
            if flock.take(file):
                return None
            pid, _, purpose = file.read().strip().partition(" ")
            return Holder(int(pid or 0), purpose)
    except FileNotFoundError:
        return None


@contextmanager
def left(lab: str) -> Iterator[bool]:
    """Yield whether what bears a lab's name is left over; its lock is held meanwhile if it is.

    So a lab that is just being made waits until the clean-up is over.
    """
    folder().mkdir(mode=0o700, exist_ok=True)
    path = folder() / f"{lab}.lock"
    with path.open("a+") as file:
        is_left = _taken(file, path)
        if is_left:
            file.truncate(0)  # its holder is dead
        yield is_left


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
