# SPDX-License-Identifier: Apache-2.0
"""A run's directory: `run.json`, `trials.jsonl`, `series/`. What is written is never changed.

A record is on the disk before the next trial starts, so a run may be killed at any moment and
loses at most the trial that it was in.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gatemark.error import GatemarkError, UsageError
from gatemark.store import file, former, trials
from gatemark.store.contents import Contents, faults
from gatemark.store.record import Record
from gatemark.store.run import RUN_SCHEMA, Run
from gatemark.store.schema import is_newer, schema_of

PATIENCE_S = 0.2  # longer than anyone takes to ask whether a run is going


class RunDirectory:
    """A run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_file = path / "run.json"
        self.trials_file = path / trials.NAME
        self.series = path / "series"
        self.page = path / "report.html"
        self.folded = path / "folded"  # collapsed stacks of paths, where they were asked for

    @classmethod
    def create(cls, path: Path, run: Run) -> "RunDirectory":
        """Make the directory of a new run. Raises UsageError if it holds a run already."""
        directory = cls(path)
        if directory.run_file.exists() or directory.trials_file.exists():
            fix = f"`gatemark run --resume {path}` goes on with it, or name another --out"
            raise UsageError(f"{path} holds a run already: {fix}")
        with telling(path):
            directory.series.mkdir(parents=True, exist_ok=True)
        directory.save(run)
        return directory

    @classmethod
    def open(cls, path: Path) -> "RunDirectory":
        """An existing run. Raises UsageError if there is none, GatemarkError if half is lost."""
        directory = cls(path)
        if directory.run_file.exists():
            return directory
        if directory.trials_file.exists():
            raise GatemarkError(
                f"{path}: run.json is missing, and only it says what was measured: "
                "get it from a copy, or measure anew"
            )
        raise UsageError(f"{path}: no run there (run.json is missing); `gatemark run` makes one")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the run: who writes trials does so alone. The kernel frees it with its holder."""
        handle = os.open(self.path, os.O_DIRECTORY)
        try:
            until = time.monotonic() + PATIENCE_S
            while not _take(handle, fcntl.LOCK_EX):
                if time.monotonic() > until:
                    raise UsageError(f"{self.path} is being measured just now: wait for its end")
                time.sleep(PATIENCE_S / 20)
            yield
        finally:
            os.close(handle)

    def is_going(self) -> bool:
        """Whether somebody holds the run just now. Who starts to hold it meanwhile is patient."""
        handle = os.open(self.path, os.O_DIRECTORY)
        try:
            return not _take(handle, fcntl.LOCK_SH)
        except OSError:  # a file system without locks
            return False
        finally:
            os.close(handle)

    def save(self, run: Run) -> None:
        """Write `run.json` whole or not at all."""
        with telling(self.path):
            file.write(self.run_file, msgspec.json.format(msgspec.json.encode(run), indent=1))

    def load(self) -> Run:
        """The run's plan. Raises GatemarkError if it is damaged or of another version."""
        text = self.run_file.read_bytes()
        schema = schema_of(text)
        if is_newer(schema, RUN_SCHEMA):
            raise GatemarkError(f"{self.run_file}: has the newer schema {schema}: update gatemark")
        try:
            if schema == former.RUN:
                return former.run(msgspec.json.decode(text))
            run = msgspec.json.decode(text, type=Run)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            why = str(error)
        else:
            if run.schema == RUN_SCHEMA:
                return run
            why = f"its schema is {run.schema!r:.60}"
        raise GatemarkError(
            f"{self.run_file}: damaged ({why}): get it from a copy, or measure anew"
        )

    def contents(self) -> Contents:
        """All that is whole, and what is not. Raises GatemarkError as `load` does."""
        is_going = self.is_going()  # asked first: a line without an end is then being written
        run, trials = self.load(), self._trials()
        kept = _names(self.series)
        faulty = faults(run, trials, kept, is_going=is_going)
        return Contents(run, trials.records if trials else [], faulty, is_going)

    def append(self, record: Record) -> None:
        """Add a record; it is on the disk when this returns."""
        with telling(self.path), self.trials_file.open("ab") as out:
            out.write(msgspec.json.encode(record) + b"\n")
            out.flush()
            os.fsync(out.fileno())

    def records(self) -> list[Record]:
        """All whole records in the order of their writing; what is not whole, `contents` tells."""
        trials = self._trials()
        return trials.records if trials else []

    def repair(self) -> None:
        """Cut off a last line that a crash left unfinished; `append` then starts on a new one."""
        if not self.trials_file.exists():
            return
        end = self.trials_file.read_bytes().rfind(b"\n") + 1
        with telling(self.path), self.trials_file.open("r+b") as out:
            out.truncate(end)
            os.fsync(out.fileno())

    def _trials(self) -> trials.Trials | None:
        """What `trials.jsonl` holds; None: there is no such file."""
        try:
            return trials.read(self.trials_file.read_bytes())
        except FileNotFoundError:
            return None


@contextmanager
def telling(path: Path, *, measuring: bool = True) -> Iterator[None]:
    """A full or read-only disk is told in one line; while measuring also how to go on."""
    try:
        yield
    except OSError as error:
        fix = "free space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "name another --out"
        kept = f"; what was measured is kept: `gatemark run --resume {path}` goes on"
        begun = measuring and os.path.lexists(path / "run.json")
        message = f"{path}: {error.strerror}: {fix}{kept if begun else ''}"
        raise GatemarkError(message) from None


def _names(folder: Path) -> frozenset[str]:
    return frozenset(path.name for path in folder.iterdir()) if folder.is_dir() else frozenset()


def _take(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
