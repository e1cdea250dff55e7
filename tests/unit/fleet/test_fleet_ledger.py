# SPDX-License-Identifier: Apache-2.0
"""The ledger: what must hold is held by the database, whatever a program does."""

import sqlite3
from pathlib import Path

import pytest
from fleet import Fleet, ledger

from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.course import FOLDER
from gatemark.fleet.ledger import Ledger, LedgerError

STATIONS = (("a", "m"), ("b", "m"))


@pytest.fixture
def made(tmp_path: Path) -> Ledger:
    return ledger(tmp_path, Fleet(), STATIONS, 3)


def claim(made: Ledger, place: str = "a") -> int:
    attempt = made.claim(place, "m", FOLDER, lambda _: 60.0)
    assert attempt
    return attempt.id


def execute(made: Ledger, statement: str) -> None:
    base = sqlite3.connect(made.path)
    base.execute("PRAGMA foreign_keys = ON")
    with base:
        base.execute(statement)


def test_a_block_goes_from_waiting_to_done(made: Ledger) -> None:
    number = claim(made)
    steps = (
        made.started,
        lambda number: made.stored(number, "abc"),
        lambda number: made.done(number, "abc"),
    )
    for step in steps:
        step(number)
        step(number)  # a command that is repeated changes nothing
    assert made.counts() == {("m", "done"): 1, ("m", "waiting"): 2}
    assert made.attempts()[0].hash == "abc"


def test_a_station_has_one_block(made: Ledger) -> None:
    claim(made)
    with pytest.raises(LedgerError, match="UNIQUE"):
        claim(made)
    assert len(made.attempts()) == 1


FORBIDDEN = (
    "INSERT INTO attempt(block, station, folder, deadline) VALUES (1, 'b', 'x', 0)",
    "INSERT INTO attempt(block, station, folder, deadline) VALUES (2, 'a', 'x', 0)",
    "INSERT INTO attempt(block, station, folder, deadline) VALUES (2, 'b', '00001-m-1', 0)",
    "INSERT INTO attempt(block, station, folder, deadline) VALUES (9, 'b', 'x', 0)",
    "INSERT INTO attempt(block, station, folder, deadline) VALUES (2, 'c', 'x', 0)",
    "UPDATE block SET state = 'done' WHERE id = 1",
    "UPDATE block SET state = 'lost' WHERE id = 1",
    "UPDATE attempt SET state = 'done', hash = 'abc' WHERE id = 1",
    "UPDATE attempt SET state = 'stored' WHERE id = 1",
    "INSERT INTO block(model, suite, repeat, seed, trials, estimate_s) "
    "VALUES ('m', 'cost/ab', 1, 0, 0, 0)",
)


def test_what_must_not_be_is_refused(made: Ledger) -> None:
    claim(made)
    for statement in FORBIDDEN:
        with pytest.raises(sqlite3.IntegrityError):
            execute(made, statement)


def test_an_attempt_never_goes_back(made: Ledger) -> None:
    number = claim(made)
    made.started(number)
    made.drop(number, "void", "its station is bad")
    with pytest.raises(sqlite3.IntegrityError, match="goes forward"):
        execute(made, "UPDATE attempt SET state = 'started' WHERE id = 1")
    assert made.counts() == {("m", "waiting"): 3}


def test_a_block_that_failed_three_times_is_given_up(made: Ledger) -> None:
    for _ in range(3):
        made.drop(claim(made), "failed", "no power")
    assert made.counts() == {("m", "given up"): 1, ("m", "waiting"): 2}


def test_a_change_is_whole_or_not_at_all(made: Ledger) -> None:
    number = claim(made)
    with pytest.raises(LedgerError):
        made.drop(number, "done", "not so")  # type: ignore[arg-type]
    assert made.attempts()[0].state == "claimed"
    assert made.events() == []


def test_a_full_disk_is_told_and_changes_nothing(made: Ledger) -> None:
    (pages,) = made._base.execute("PRAGMA page_count").fetchone()
    made._base.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LedgerError, match="database or disk is full"):
        made.event("said", "x" * 100_000)
    assert made.events() == []


def test_a_control_that_is_kept_again_counts_once(made: Ledger) -> None:
    claim(made)
    (attempt,) = made.attempts()
    for _ in range(2):
        made.control(attempt, "direct", 2.5, "good")
    assert made.controls("a", "direct") == [(2.5, "good")]


def test_a_copy_is_sound_while_it_is_written(made: Ledger, tmp_path: Path) -> None:
    claim(made)
    made.copy(tmp_path / "copy.db")
    other = Ledger(tmp_path / "copy.db", lambda: 0.0)
    assert other.attempts() == made.attempts()
    assert other.faults() == []


def test_a_copy_that_cannot_be_written_is_told(made: Ledger, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"none/copy\.db: unable to open database file"):
        made.copy(tmp_path / "none" / "copy.db")


def test_a_folder_without_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no campaign there"):
        Ledger.open(tmp_path, lambda: 0.0)
    (tmp_path / "campaign.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(GatemarkError):
        Ledger.open(tmp_path, lambda: 0.0)
