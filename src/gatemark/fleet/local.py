# SPDX-License-Identifier: Apache-2.0
"""Blocks as processes of this machine, each in a session of its own: they outlive who asked.

begun/NAME/   task.json   what is to be done
              lock        held by the process that does it
              log         what it said
              run/        the run, moved to runs/NAME in the end
              end.json    how it ended; not there: it goes on, or was killed
"""

import os
import select
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from gatemark.fleet import kept
from gatemark.fleet.executor import End, Task
from gatemark.fleet.kept import DiskError
from gatemark.fleet.ledger import Attempt
from gatemark.node import isolated
from gatemark.store import file
from gatemark.store.folder import Folder, ForeignError, inside

BEGUN: Final = "begun"
BLOCK: Final = isolated.python("gatemark", "campaign", "block")
LAST_WORDS: Final = 400  # characters


class Local:
    """An executor; `command` is what does the block of a folder."""

    def __init__(self, folder: Path, command: tuple[str, ...] = BLOCK) -> None:
        self.begun = folder.resolve() / BEGUN
        self.command = command
        self._children: dict[int, tuple[subprocess.Popen[bytes], int, str]] = {}

    def begin(self, task: Task) -> None:
        """Start it. One that goes on already is waited for by the new process."""
        try:
            place = self._place(task.name)
            place.mkdir(parents=True, exist_ok=True)
            # Anew, as what lies there may be a stranger's.
            file.put(place / "task.json", msgspec.json.encode(task))
            with Folder(place).appending("log") as log:
                child = subprocess.Popen(
                    [*self.command, str(place)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except ForeignError as error:
            raise DiskError(str(error)) from None
        except OSError as error:
            raise DiskError(f"{self.begun / task.name}: {error.strerror}") from None
        self._children[task.attempt] = (child, os.pidfd_open(child.pid), task.name)

    def renew(self, name: str) -> None:
        """Forget a block that ended with a failure: `begin` starts it from nothing."""
        if self._end(0, name).code:
            shutil.rmtree(self._place(name))

    def poll(self, timeout_s: float) -> list[End]:
        """Return the ends of attempts, by the processes themselves."""
        waiting = select.poll()
        numbers = {handle: attempt for attempt, (_, handle, _) in self._children.items()}
        for handle in numbers:
            waiting.register(handle, select.POLLIN)
        ended = []
        for handle, _ in waiting.poll(timeout_s * 1000):
            child, _, name = self._children.pop(numbers[handle])
            os.close(handle)
            child.wait()
            ended.append(self._end(numbers[handle], name))
        return ended

    def fetch(self, attempt: Attempt, runs: Path) -> str:
        """Move it: the same file system, so at once."""
        return kept.move(self._place(attempt.folder) / "run", runs / attempt.folder)

    def stop(self, attempt: Attempt, *, kill: bool = False) -> None:
        """A signal to the processes that do it or wait to, whoever started them."""
        number = signal.SIGKILL if kill else signal.SIGTERM
        # Of a child that was begun this moment /proc has no command yet.
        own = [child.pid for child, _, name in self._children.values() if name == attempt.folder]
        for pid in {*own, *doing(self._place(attempt.folder))}:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)

    def _end(self, attempt: int, name: str) -> End:
        try:
            end = msgspec.json.decode(Folder(self._place(name)).read("end.json"))
            return End(attempt, int(end["code"]), str(end["why"]))
        except (OSError, ForeignError, ValueError, KeyError, TypeError):
            return End(attempt, None, last_words(self._place(name) / "log"))

    def _place(self, name: str) -> Path:
        """The folder of a block. Raises ForeignError where a link is in its way."""
        return inside(self.begun.parent, BEGUN, name)


def doing(place: Path) -> list[int]:
    """The processes that were asked for a block: its folder is the last word of their command.

    Its lock names one alone, and those that wait for it would go on with what was stopped.
    """
    last = f"\0{place.resolve()}\0".encode()
    every = Path("/proc").glob("[0-9]*")
    return [int(process.name) for process in every if _command(process).endswith(last)]


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it ended meanwhile
        return b""


def last_words(log: Path) -> str:
    """The last line that a block's process wrote."""
    try:
        lines = Folder(log.parent).read(log.name).decode(errors="replace").strip().splitlines()
    except (OSError, ForeignError):
        return ""
    return lines[-1].strip()[-LAST_WORDS:] if lines else ""
