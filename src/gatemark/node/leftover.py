# SPDX-License-Identifier: Apache-2.0
"""Programs of a gateway of this machine, and their folders: ended from outside, removed.

A program runs in a folder that bears its supervisor's pid (gateway/supervisor.sh), and all that it
makes inherits that folder's name in its environment. So what belongs to it is known without asking
the gateway, whose own shell may get no CPU. A folder whose supervisor has gone is left over.
"""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from gatemark.node import shared

PLACES = (Path("/var/tmp"), Path("/tmp"))  # as in supervisor.sh  # noqa: S108
NAME = re.compile(r"gatemark-program-([0-9]+)\.\w+")
MARK = "GATEMARK_PROGRAM"  # in the environment: the folder
ATTACHED = "gatemark-classifier"  # folder of a classifier that stays; of a lab with its name behind
ATTACHED_PLACES = (Path("/dev/shm"), Path("/tmp"), Path("/run"))  # as in attach.sh  # noqa: S108
PATIENCE_S = 5.0  # until a killed process has gone
AGAIN_S = 0.01
ABOVE = 98  # real-time priority of who kills: above all but the kernel's own threads


def folders() -> list[Path]:
    """The folders of this user's programs."""
    paths = (path for place in PLACES for path in place.glob("gatemark-program-*"))
    return sorted(path for path in paths if NAME.fullmatch(path.name) and shared.ours(path))


def supervisor_of(folder: Path) -> int:
    """The pid in the name of one of `folders()`."""
    match = NAME.fullmatch(folder.name)
    assert match
    return int(match[1])


def processes(supervisor: int) -> list[int]:
    """The processes that belong to the program of a supervisor, by its pid, and live."""
    marks = tuple(f"{MARK}={place}/gatemark-program-{supervisor}.".encode() for place in PLACES)
    return [
        pid
        for pid in _pids()
        if lives(pid) and any(text.startswith(marks) for text in _environment(pid))
    ]


def end(supervisor: int) -> list[int]:
    """Kill what belongs to a supervisor that has gone, and remove its folder.

    Returns the pids that could not be ended. It blocks: for a thread of its own.
    """
    left = above(lambda: _kill(supervisor))
    for folder in folders():
        if not left and supervisor_of(folder) == supervisor and not _supervised(folder):
            shared.remove(folder)
    return left


def sweep() -> list[str]:
    """End and remove what supervisors left that have gone; a line for each folder."""
    lines = []
    for folder in folders():
        if not _supervised(folder):
            left = end(supervisor_of(folder))
            pids = ", ".join(map(str, left))
            lines.append(
                f"{folder}, of a dead run: pids {pids} could not be ended"
                if left
                else f"removed what a dead run left: {folder}"
            )
    return lines


def forget(lab: str) -> None:
    """Remove the folder of a classifier that was attached to a lab, which has gone."""
    for place in ATTACHED_PLACES:
        shared.remove(place / f"{ATTACHED}-{lab}")


def above(work: Callable[[], list[int]]) -> list[int]:
    """Do something in a class above other programs', where the kernel lets us; in this thread."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(ABOVE))
    except PermissionError:
        return work()
    try:
        return work()
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _kill(supervisor: int) -> list[int]:
    until = time.monotonic() + PATIENCE_S
    while (pids := processes(supervisor)) and time.monotonic() < until:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                # It dies as soon as it gets a CPU: any, since its own may be another's.
                os.sched_setaffinity(pid, range(os.cpu_count() or 1))
        time.sleep(AGAIN_S)
    return pids


def _supervised(folder: Path) -> bool:
    """Return whether its supervisor lives: another process may have got the number since."""
    try:
        return Path(f"/proc/{supervisor_of(folder)}/cwd").readlink() == folder
    except OSError:
        return False


def _pids() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").glob("[0-9]*"))


def _environment(pid: int) -> set[bytes]:
    try:
        return {*Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")}
    except OSError:
        return set()


def lives(pid: int) -> bool:
    """Return whether a process is there, and not merely waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1] not in "ZX"
    except (OSError, UnicodeDecodeError):
        return False
