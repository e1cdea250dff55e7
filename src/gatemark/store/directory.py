# SPDX-License-Identifier: Apache-2.0
"""A run's directory: `run.json`, `trials.jsonl`, `series/`. What is written is never changed.

A record is on the disk before the next trial starts, so a run may be killed at any moment and
loses at most the trial that it was in.
"""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from gatemark import flock
from gatemark.error import GatemarkError, UsageError
from gatemark.plan.model import TrialSpec
from gatemark.store import series, trials
from gatemark.store.contents import Contents, faults
from gatemark.store.folder import Folder, ForeignError, sync
from gatemark.store.packets import MANIFEST, Packets, manifest
from gatemark.store.record import Record
from gatemark.store.run import RUN_SCHEMA, Run
from gatemark.store.schema import age, schema_of
from gatemark.store.series import Series

MOST_PACKETS_BYTES = 256 << 20  # of one run
PATIENCE_S = 0.2  # with who holds it: a run that is just being made is free in milliseconds
AGAIN_S = 0.01  # between two attempts
# Fields that are as in many other trials of a run.
SHARED = tuple(
    name for name in TrialSpec.__struct_fields__ if name not in ("trial", "repeat", "sequence")
)


class RunDirectory:
    """A run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_file = path / "run.json"
        self.trials_file = path / trials.NAME
        self.page = path / "report.html"
        self.folder = Folder(path)
        self.series = Folder(path, "series")
        self.packets = Folder(path, "packets")  # of odd trials, where asked for
        self.folded = Folder(path, "folded")  # collapsed stacks of paths, where asked for

    @classmethod
    def create(cls, path: Path, run: Run) -> "RunDirectory":
        """Make the directory of a new run. Raises UsageError if it holds a run already.

        Of several that do so at once one alone succeeds. What fails leaves no folder behind.
        """
        directory = cls(path)
        with telling(path), _made(path), directory.alone():
            if directory._begun():
                fix = f"`gatemark run --resume {path}` goes on with it, or name another --out"
                raise UsageError(f"{path} holds a run already: {fix}")
            directory.save(run)
            directory.series.make()
            directory.folder.append(trials.NAME, b"")  # without records from here on
        return directory

    @classmethod
    def open(cls, path: Path) -> "RunDirectory":
        """An existing run. Raises UsageError if there is none, GatemarkError if half is lost."""
        directory = cls(path)
        if os.path.lexists(directory.run_file):
            return directory
        if os.path.lexists(directory.trials_file):
            raise GatemarkError(
                f"{path}: run.json is missing, and only it says what was measured: "
                "get it from a copy, or measure anew"
            )
        raise UsageError(f"{path}: no run there (run.json is missing); `gatemark run` makes one")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the run: who writes trials does so alone. The kernel frees it with its holder.

        Raises UsageError where another holds it. Who only asks whether it is going has it for a
        moment, which may last on a busy machine, and is waited for.
        """
        with flock.opened(self.path) as handle:
            until = time.monotonic() + PATIENCE_S
            while not flock.take(handle):
                if not flock.is_held(handle):
                    until = time.monotonic() + PATIENCE_S
                elif time.monotonic() > until:
                    raise UsageError(f"{self.path} is being measured just now: wait for its end")
                time.sleep(AGAIN_S)
            yield

    def is_going(self) -> bool:
        """Return whether somebody holds the run now. Who starts to hold it meanwhile is patient."""
        with flock.opened(self.path) as handle:
            try:
                return flock.is_held(handle)
            except OSError:  # a file system without locks
                return False

    def save(self, run: Run) -> None:
        """Write `run.json` whole or not at all."""
        with telling(self.path):
            text = msgspec.json.format(msgspec.json.encode(run), indent=1)
            self.folder.write(self.run_file.name, text)

    def load(self) -> Run:
        """The run's plan. Raises GatemarkError if it is damaged or of another version."""
        text = self.folder.read(self.run_file.name)
        schema = schema_of(text)
        if other := age(schema, RUN_SCHEMA):
            what, do = ("newer", "update gatemark") if other > 0 else ("former", "measure anew")
            raise GatemarkError(f"{self.run_file}: has the {what} schema {schema}: {do}")
        try:
            run = msgspec.json.decode(text, type=Run)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            why = str(error)
        else:
            if run.schema == RUN_SCHEMA:
                parts: trials.Parts = {}
                for spec in run.trials:
                    trials.share(spec, SHARED, parts)
                return run
            why = f"its schema is {run.schema!r:.60}"
        raise GatemarkError(
            f"{self.run_file}: damaged ({why}): get it from a copy, or measure anew"
        )

    def contents(self) -> Contents:
        """All that is whole, and what is not. Raises GatemarkError as `load` does."""
        is_going = self.is_going()  # asked first: a line without an end is then being written
        run, trials = self.load(), self._trials()
        kept = self._series()
        faulty = faults(run, trials, kept, is_going=is_going)
        return Contents(run, trials.records if trials else [], faulty, is_going)

    def write_page(self, text: str) -> None:
        """The page of this run. It bears the time of what it is made of. Raises OSError."""
        self.folder.write(self.page.name, text.encode(), self._changed_ns())

    def has_page(self, *, new: bool = False) -> bool:
        """Return whether there is a page written here; with `new` of what is kept just now.

        A link is none. Whether a page is older than a record would say nothing: the clock may have
        been set between the two.
        """
        with suppress(ForeignError):
            status = self.folder.status(self.page.name)
            return status is not None and (not new or status.st_mtime_ns == self._changed_ns())
        return False

    def append(self, record: Record) -> Record:
        """Add a record; it is on the disk when this returns, or not there at all.

        Returns it as it is kept: one that could not be read again is invalid.
        """
        kept, line = trials.written(record)
        with telling(self.path):
            self.folder.append(trials.NAME, line)
        return kept

    def keep(self, record: Record, columns: Series) -> Record:
        """Add a record with its series, which go first: it names their file.

        Where they cannot be written the record is kept without them before this raises.
        """
        if not columns:
            return self.append(record)
        name = f"{record.sequence:05d}{series.SUFFIX}"
        with telling(self.path):
            try:
                series.write(self.series, name, columns)
            except (OSError, ForeignError) as error:
                note = f"its series could not be kept ({getattr(error, 'strerror', error)})"
                self.append(replace(record, notes=(*record.notes, note)))
                raise
        return self.append(replace(record, series=name))

    def keep_packets(self, record: Record, packets: Packets) -> Record:
        """The record with its packets on the disk; without them where a run has too many."""
        with telling(self.path):
            self.packets.make()
            kept = map(self.packets.status, self.packets.names())
            held = sum(status.st_size for status in kept if status)
            if held + sum(map(len, packets.files.values())) > MOST_PACKETS_BYTES:
                note = f"its packets are not kept: the run has {held >> 20} MiB of them already"
                return replace(record, notes=(*record.notes, note))
            names = {end: f"{record.sequence:05d}{end}.pcapng" for end in packets.files}
            for end, data in packets.files.items():
                self.packets.write(names[end], data)
            name = next(iter(names.values()))
            if packets.flows:
                has_one = self.packets.status(MANIFEST)
                before = self.packets.read(MANIFEST).decode() if has_one else ""
                self.packets.write(MANIFEST, manifest(before, name, packets.flows).encode())
        return replace(record, packets=name)

    def records(self) -> list[Record]:
        """All whole records in the order of their writing; what is not whole, `contents` tells."""
        trials = self._trials()
        return trials.records if trials else []

    def repair(self) -> None:
        """Remove what a crash left half written; `append` then starts on a line of its own."""
        with telling(self.path):
            if self.folder.status(trials.NAME):
                self.folder.cut(trials.NAME, self.folder.read(trials.NAME).rfind(b"\n") + 1)
            self.folder.sweep()
            self.series.make()
            self.series.sweep()

    def _changed_ns(self) -> int:
        """When what a page is made of was last changed."""
        made = map(self.folder.status, (self.run_file.name, trials.NAME))
        return max((status.st_mtime_ns for status in made if status), default=0)

    def _begun(self) -> bool:
        return any(map(os.path.lexists, (self.run_file, self.trials_file)))

    def _trials(self) -> trials.Trials | None:
        """Return the content of `trials.jsonl`; None: there is no such file."""
        try:
            return trials.read(self.folder.lines(trials.NAME))
        except FileNotFoundError:
            return None

    def _series(self) -> frozenset[str]:
        try:
            return self.series.names()
        except ForeignError:  # a link to somewhere: nothing of this run
            return frozenset()


@contextmanager
def telling(path: Path, *, measuring: bool = True) -> Iterator[None]:
    """A full or read-only disk is reported in one line; while measuring also how to go on."""
    try:
        yield
    except OSError as error:
        fix = "free space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "name another --out"
        kept = f"; what was measured is kept: `gatemark run --resume {path}` goes on"
        begun = measuring and os.path.lexists(path / "run.json")
        message = f"{path}: {error.strerror}: {fix}{kept if begun else ''}"
        raise GatemarkError(message) from None


@contextmanager
def _made(path: Path) -> Iterator[None]:
    """A folder with its parents, on the disk; those that were missing go again if this raises."""
    missing = [folder for folder in (path, *path.parents) if not os.path.lexists(folder)]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            with suppress(FileExistsError):  # somebody else did the same just now
                folder.mkdir()
                made.append(folder)
            with suppress(PermissionError):  # a folder that may be written, not read
                sync(folder.parent)
        yield
    except BaseException:
        for folder in reversed(made):
            with suppress(OSError):  # it is not empty
                folder.rmdir()
        raise
