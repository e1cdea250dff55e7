# SPDX-License-Identifier: Apache-2.0
"""The ledger: what is to do, where, and which attempt counts. SQLite, one writer.

    attempt   claimed -> started -> stored -> done      void: does not count, with a reason
                  \\________\\_____________________       failed: nothing to keep
    block     waiting -> running -> done, or given up

`claimed` is committed before anybody is asked; `started`: its folder is there; `stored`: the folder
is in `runs/`, with its hash. The run folders are the truth of what was measured. A command that was
lost between two states is repeated and changes nothing. The database itself holds what must hold
(ledger.sql).
"""

import re
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final, Literal

from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.kept import DiskError
from gatemark.store.folder import Folder, ForeignError, require_own

NAME: Final = "campaign.db"
SCHEMA: Final = "gatemark.ledger/1"
STORE: Final = "UPDATE attempt SET state = 'stored', hash = ? WHERE id = ? AND state = 'started'"
PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")  # an attempt's folder
JOURNAL: Final = f"{NAME}-journal"
# Ends a journal that names another file (sqlite.org/fileformat.html, 3): SQLite would delete that.
NAMES_ANOTHER: Final = bytes.fromhex("d9d505f920a163d7")
MOST_FAILED: Final = 3  # attempts of a block; then it is given up
# What SQLite raises; of a file that is damaged its words need be no UTF-8.
FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
SCHEMAS: Final = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"

State = Literal["claimed", "started", "stored", "done", "void", "failed"]


@dataclass(frozen=True, slots=True)
class Block:
    """All builds of a model with one suite, once."""

    id: int
    model: str
    suite: str
    repeat: int
    seed: int
    trials: int
    estimate_s: float
    state: str = "waiting"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A block on a station."""

    id: int
    block: int
    station: str
    folder: str
    state: State
    deadline: float
    hash: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Place:
    """A station of the ledger."""

    name: str
    model: str
    state: str
    why: str


class Ledger:
    """One campaign's. All that changes it is one transaction each. Raises GatemarkError."""

    def __init__(
        self, path: Path, clock: Callable[[], float], *, synchronous: str = "FULL"
    ) -> None:
        self.path = path
        self._clock = clock
        self._base = sqlite3.connect(path, isolation_level=None, timeout=5.0)
        try:
            _harden(self._base)
            self._base.execute("PRAGMA journal_mode = WAL")  # where it is refused: as it was
        except FAULTS as error:
            raise GatemarkError(f"{path}: {error}: get it from a copy") from None
        self._base.execute(f"PRAGMA synchronous = {synchronous}")
        self._base.execute("PRAGMA foreign_keys = ON")

    @classmethod
    def open(cls, folder: Path, clock: Callable[[], float]) -> "Ledger":
        """Open the ledger of a campaign's folder. Raises UsageError where there is none.

        The folder may be a stranger's: the file is ours and no link, and it holds what we would
        have put there. Raises ForeignError or GatemarkError else.
        """
        _require_own(folder)
        ledger = cls(folder / NAME, clock)
        ledger._require_sound()
        if (schema := ledger.meta("schema")) != SCHEMA:
            raise GatemarkError(f"{ledger.path}: its schema is {schema!r}, not {SCHEMA}")
        return ledger

    def close(self) -> None:
        """Give the file back."""
        self._base.close()

    def create(
        self,
        meta: Sequence[tuple[str, str]],
        places: Sequence[tuple[str, str]],
        builds: Sequence[tuple[str, str, int, str]],
        blocks: Sequence[Block],
    ) -> None:
        """Fill a new ledger in one transaction: a campaign is there whole, or not at all."""
        with self._change():
            _make(self._base)
            self._base.executemany("INSERT INTO meta VALUES (?, ?)", [("schema", SCHEMA), *meta])
            self._base.executemany("INSERT INTO station(name, model) VALUES (?, ?)", places)
            self._base.executemany("INSERT INTO build VALUES (?, ?, ?, ?)", builds)
            rows = [
                (b.id, b.model, b.suite, b.repeat, b.seed, b.trials, b.estimate_s) for b in blocks
            ]
            self._base.executemany(
                "INSERT INTO block(id, model, suite, repeat, seed, trials, estimate_s) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def meta(self, key: str) -> str:
        """A fact of the campaign; "" where it is not there."""
        try:
            row = self._base.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        except FAULTS as error:
            raise GatemarkError(f"{self.path}: {error}: get it from a copy") from None
        return str(row[0]) if row else ""

    def put(self, key: str, value: str) -> None:
        """Keep a fact."""
        with self._change():
            self._base.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def blocks(self, where: str = "1", words: Sequence[object] = ()) -> list[Block]:
        """Return the blocks for which a condition of SQL holds, in order."""
        columns = "id, model, suite, repeat, seed, trials, estimate_s, state"
        rows = self._rows(f"SELECT {columns} FROM block WHERE {where} ORDER BY id", words)  # noqa: S608
        return [Block(*row) for row in rows]

    def attempts(self, where: str = "1", words: Sequence[object] = ()) -> list[Attempt]:
        """Return the attempts for which a condition of SQL holds, in order."""
        columns = "id, block, station, folder, state, deadline, hash, why"
        rows = self._rows(f"SELECT {columns} FROM attempt WHERE {where} ORDER BY id", words)  # noqa: S608
        attempts = [Attempt(*row) for row in rows]
        for attempt in attempts:
            if not PLAIN.fullmatch(attempt.folder):
                raise GatemarkError(f"{self.path}: {attempt.folder!r:.80} is no folder of a block")
        return attempts

    def places(self) -> list[Place]:
        """All stations."""
        return [Place(*r) for r in self._rows("SELECT name, model, state, why FROM station")]

    def builds(self) -> list[tuple[str, str, str]]:
        """Model, build, hash of its image."""
        return self._rows("SELECT model, name, hash FROM build ORDER BY model, place")

    def events(self, after: int = 0) -> list[tuple[int, float, str, str]]:
        """Return the events after a number: number, seconds, a word, more of it."""
        return self._rows(
            "SELECT seq, at, word, text FROM event WHERE seq > ? ORDER BY seq", (after,)
        )

    def counts(self) -> dict[tuple[str, str], int]:
        """Count the blocks of each model in each state, by (model, state)."""
        rows = self._rows("SELECT model, state, count(*) FROM block GROUP BY model, state")
        return {(model, state): count for model, state, count in rows}

    def claim(
        self, place: str, model: str, folder: str, deadline_of: Callable[[Block], float]
    ) -> Attempt | None:
        """The next waiting block of a model, for a station; None: none waits.

        `folder` is a pattern of `id`: no two attempts have the same.
        """
        with self._change():
            waiting = self.blocks(
                "model = ? AND state = 'waiting' AND id = (SELECT min(id) FROM block "
                "WHERE model = ? AND state = 'waiting')",
                (model, model),
            )
            if not waiting:
                return None
            block = waiting[0]
            number = self._number("SELECT coalesce(max(id), 0) + 1 FROM attempt")
            name = folder.format(id=number, model=block.model, repeat=block.repeat)
            made = Attempt(number, block.id, place, name, "claimed", deadline_of(block), None, "")
            self._base.execute(
                "INSERT INTO attempt(id, block, station, folder, deadline) VALUES (?, ?, ?, ?, ?)",
                (made.id, made.block, made.station, made.folder, made.deadline),
            )
            self._base.execute("UPDATE block SET state = 'running' WHERE id = ?", (block.id,))
        return made

    def renewed(self, attempt: Attempt, deadline: float) -> Attempt:
        """An open attempt that is gone on with, with a deadline of now."""
        with self._change():
            self._base.execute(
                "UPDATE attempt SET deadline = ? WHERE id = ?", (deadline, attempt.id)
            )
        return replace(attempt, deadline=deadline)

    def started(self, attempt: int) -> None:
        """Its folder is there; nothing changes if it is known."""
        with self._change():
            self._base.execute(
                "UPDATE attempt SET state = 'started' WHERE id = ? AND state = 'claimed'",
                (attempt,),
            )

    def stored(self, attempt: int, hash_: str) -> None:
        """Its folder is in `runs/` with this hash."""
        with self._change():
            self._base.execute(STORE, (hash_, attempt))

    def done(self, attempt: int, hash_: str) -> None:
        """It is stored and counts, and so its block is done."""
        with self._change():
            self._base.execute(STORE, (hash_, attempt))
            self._base.execute(
                "UPDATE attempt SET state = 'done' WHERE id = ? AND state = 'stored'", (attempt,)
            )
            self._base.execute(
                "UPDATE block SET state = 'done' "
                "WHERE id = (SELECT block FROM attempt WHERE id = ?)",
                (attempt,),
            )

    def drop(self, attempt: int, state: Literal["void", "failed"], why: str) -> None:
        """It does not count: its block waits again, or is given up after three that failed."""
        with self._change():
            self._base.execute(
                "UPDATE attempt SET state = ?, why = ? WHERE id = ?", (state, why, attempt)
            )
            self._log(state, why, attempt)
            block = self._number("SELECT block FROM attempt WHERE id = ?", attempt)
            failed = self._number(
                "SELECT count(*) FROM attempt WHERE block = ? AND state = 'failed'", block
            )
            after = "given up" if failed >= MOST_FAILED else "waiting"
            self._base.execute("UPDATE block SET state = ? WHERE id = ?", (after, block))

    def mark(self, place: str, state: str, why: str) -> None:
        """Note the health of a station."""
        with self._change():
            self._base.execute(
                "UPDATE station SET state = ?, why = ? WHERE name = ?", (state, why, place)
            )
            self._log(state, f"{place}: {why}" if why else place)

    def control(self, attempt: Attempt, quantity: str, value: float, verdict: str) -> None:
        """A station's control of a block; nothing changes if it is known."""
        with self._change():
            self._base.execute(
                "INSERT INTO control(attempt, station, quantity, value, verdict) "
                "SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS "
                "(SELECT 1 FROM control WHERE attempt = ? AND quantity = ?)",
                (attempt.id, attempt.station, quantity, value, verdict, attempt.id, quantity),
            )

    def controls(self, place: str, quantity: str) -> list[tuple[float, str]]:
        """Value and verdict of each so far."""
        words = (place, quantity)
        return self._rows(
            "SELECT value, verdict FROM control WHERE station = ? AND quantity = ? ORDER BY id",
            words,
        )

    def event(self, word: str, text: str) -> None:
        """Something that is to be known."""
        with self._change():
            self._log(word, text)

    def copy(self, path: Path) -> None:
        """A sound copy, also while it is written; a copied file of a live one would be none.

        Raises LedgerError.
        """
        try:
            with closing(sqlite3.connect(path)) as target:
                self._base.backup(target)
        except FAULTS as error:
            raise LedgerError(f"{path}: {error}") from None

    def faults(self) -> list[str]:
        """Return the faults that SQLite finds in the file."""
        rows = self._rows("PRAGMA integrity_check")
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def _require_sound(self) -> None:
        """Raise GatemarkError where it has other tables or triggers than ours, or is damaged."""
        with closing(sqlite3.connect(":memory:")) as ours:
            _make(ours)
            if self._rows(SCHEMAS) != ours.execute(SCHEMAS).fetchall():
                raise GatemarkError(f"{self.path}: its tables are not a ledger's: begin another")
        rows = [*self._rows("PRAGMA quick_check(1)"), *self._rows("PRAGMA foreign_key_check")]
        if rows[0][0] != "ok" or len(rows) > 1:
            raise GatemarkError(f"{self.path}: damaged ({rows[0][0]}): get it from a copy")

    def _log(self, word: str, text: str, attempt: int | None = None) -> None:
        self._base.execute(
            "INSERT INTO event(at, attempt, word, text) VALUES (?, ?, ?, ?)",
            (self._clock(), attempt, word, text),
        )

    def _rows(self, query: str, words: Sequence[object] = ()) -> list[Any]:
        try:
            return self._base.execute(query, words).fetchall()
        except FAULTS as error:
            raise GatemarkError(f"{self.path}: {error}") from None

    def _number(self, query: str, *words: object) -> int:
        return int(self._rows(query, words)[0][0])

    @contextmanager
    def _change(self) -> Iterator[None]:
        """A transaction: all of it, or nothing. Raises LedgerError."""
        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield
            self._base.execute("COMMIT")
        except BaseException as error:
            if self._base.in_transaction:  # where the disk is full SQLite has ended it itself
                self._base.execute("ROLLBACK")
            if isinstance(error, FAULTS):
                raise LedgerError(f"{self.path}: {error}") from None
            raise


class LedgerError(DiskError):
    """A change that the database refused, or for which there is no room: nothing was changed."""


def _require_own(folder: Path) -> None:
    """Raise UsageError where there is no ledger, ForeignError where one is not to be opened."""
    try:
        require_own(folder.resolve())
        status = Folder(folder).status(NAME)
        if not status:
            fix = "`gatemark campaign run FILE` begins one"
            raise UsageError(f"{folder}: no campaign there; {fix}")
        require_own(folder / NAME)
        if status.st_nlink > 1:
            fix = "put a copy in its place"
            raise ForeignError(f"{folder / NAME} has a second name (a hard link): {fix}")
        is_interrupted = Folder(folder).status(JOURNAL) is not None
        if is_interrupted and Folder(folder).read(JOURNAL).endswith(NAMES_ANOTHER):
            raise ForeignError(f"{folder / JOURNAL} names another file: remove it")
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}: name a campaign's folder") from None


def _harden(base: sqlite3.Connection) -> None:
    """Harden the database: its content calls and maps nothing (sqlite.org/security.html)."""
    base.execute("PRAGMA trusted_schema = OFF")
    base.execute("PRAGMA cell_size_check = ON")
    base.execute("PRAGMA mmap_size = 0")
    if sys.version_info >= (3, 12):
        base.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)


def _make(base: sqlite3.Connection) -> None:
    """Have the tables, indexes and triggers of a ledger."""
    script = resources.files("gatemark.fleet").joinpath("ledger.sql").read_text("utf-8")
    for statement in _statements(script):
        base.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit before it."""
    held = ""
    for line in script.splitlines():
        held += line + "\n"
        if sqlite3.complete_statement(held):
            yield held
            held = ""
