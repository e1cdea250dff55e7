# SPDX-License-Identifier: Apache-2.0
"""A run's directory: `run.json`, `trials.jsonl`, `series/`. What is written is never changed.

A record is on the disk before the next trial starts, so a run may be killed at any moment and
loses at most the trial that it was in.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gatemark.error import GatemarkError, UsageError
from gatemark.store.record import Record
from gatemark.store.run import Run


class RunDirectory:
    """A run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_file = path / "run.json"
        self.trials_file = path / "trials.jsonl"
        self.series = path / "series"
        self.page = path / "report.html"

    @classmethod
    def create(cls, path: Path, run: Run) -> "RunDirectory":
        """Make the directory of a new run. Raises UsageError if it holds a run already."""
        directory = cls(path)
        if directory.run_file.exists():
            mend = f"continue it with --resume {path}, or name another --out"
            raise UsageError(f"{path} holds a run already: {mend}")
        with telling(path):
            directory.series.mkdir(parents=True, exist_ok=True)
        directory.save(run)
        return directory

    @classmethod
    def open(cls, path: Path) -> "RunDirectory":
        """An existing run. Raises UsageError if there is none."""
        directory = cls(path)
        if not directory.run_file.exists():
            raise UsageError(
                f"{path}: no run there (run.json is missing); `gatemark run` makes one"
            )
        return directory

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the run: who writes trials does so alone. The kernel frees it with its holder."""
        handle = os.open(self.path, os.O_DIRECTORY)
        try:
            if not _take(handle):
                raise UsageError(f"{self.path} is being measured just now: wait for its end")
            yield
        finally:
            os.close(handle)

    def save(self, run: Run) -> None:
        """Write `run.json` whole or not at all."""
        fresh = self.run_file.with_suffix(".json.new")
        with telling(self.path):
            with fresh.open("wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(run), indent=1))
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.run_file)
            _sync_folder(self.path)

    def load(self) -> Run:
        """The run's plan. Raises GatemarkError if it is damaged or of another version."""
        try:
            return msgspec.json.decode(self.run_file.read_bytes(), type=Run)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise GatemarkError(
                f"{self.run_file}: damaged or of another version: {error}; measure anew"
            ) from None

    def append(self, record: Record) -> None:
        """Add a record; it is on the disk when this returns."""
        with telling(self.path), self.trials_file.open("ab") as file:
            file.write(msgspec.json.encode(record) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def records(self) -> list[Record]:
        """All whole records in the order of their writing; a line that was cut is left out."""
        return [record for record, _ in self._whole()]

    def mend(self) -> None:
        """Cut off a last line that a crash left unfinished; `append` then starts on a new one."""
        if not self.trials_file.exists():
            return
        end = sum(length for _, length in self._whole())
        with telling(self.path), self.trials_file.open("r+b") as file:
            file.truncate(end)
            os.fsync(file.fileno())

    def _whole(self) -> Iterator[tuple[Record, int]]:
        if not self.trials_file.exists():
            return
        with self.trials_file.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield msgspec.json.decode(line, type=Record), len(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise GatemarkError(
                        f"{self.trials_file}:{number}: damaged or of another version: {error}; "
                        "delete that line and --resume measures its trial again"
                    ) from None


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """A full or read-only disk is told in one line; what was measured so far is kept."""
    try:
        yield
    except OSError as error:
        mend = "free space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "name another --out"
        kept = f"; what was measured is kept: `gatemark run --resume {path}` goes on"
        begun = os.path.lexists(path / "run.json")
        said = f"{path}: {error.strerror}: {mend}{kept if begun else ''}"
        raise GatemarkError(said) from None


def _sync_folder(path: Path) -> None:
    """Make a rename itself lasting (fsync(2), notes)."""
    handle = os.open(path, os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _take(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
