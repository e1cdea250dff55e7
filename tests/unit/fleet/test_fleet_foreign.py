# SPDX-License-Identifier: Apache-2.0
"""A campaign's folder of a stranger: nothing of it is executed unasked, nothing lies elsewhere."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import needs
import pytest
from inside import gatemark
from msgspec.structs import replace

from gatemark.commands.campaign import block, carried, console, coordinate
from gatemark.commands.campaign.layout import Layout
from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.executor import Arm, Task
from gatemark.fleet.kept import DiskError
from gatemark.fleet.ledger import JOURNAL, NAME, NAMES_ANOTHER, Attempt, Ledger
from gatemark.fleet.local import Local
from gatemark.station import lock
from gatemark.station.load import load
from gatemark.store.folder import ForeignError

TEXT = """schema = "gatemark.campaign/1"
title = "A stranger's"
repeats = 6
[[model]]
name = "box"
stations = ["rack.toml"]
switch = "touch {evil}; true {{image}}"
power = "touch {evil}"
console = "touch {evil}; sleep 60"
[[build]]
name = "field"
image = {{ box = "image" }}
[[build]]
name = "next"
image = {{ box = "image" }}
[[suite]]
plan = "cost/ab"
set = ["repeat.times=2"]
[[gate]]
build = "next"
against = "field"
"""
STATION = """schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@192.0.2.1"
lan = "eth0"
wan = "eth1"
[lan]
nic = "enp3s0"
[wan]
nic = "enp4s0"
"""


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """What a command of the campaign makes."""
    return tmp_path / "evil"


@pytest.fixture
def folder(tmp_path: Path, evil: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign that was begun elsewhere."""
    monkeypatch.setattr(lock, "folder", lambda: tmp_path / "locks")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "rack.toml").write_text(STATION)
    (tmp_path / "image").write_text("image")
    (tmp_path / "box.toml").write_text(TEXT.format(evil=evil))
    coordinate.begin(tmp_path / "box.toml", tmp_path / "begun")
    return tmp_path / "begun"


def execute(folder: Path, statement: str, *words: str) -> None:
    """As a stranger changes a ledger."""
    with closing(sqlite3.connect(folder / NAME)) as base, base:
        base.execute(statement, words)


def attempted(folder: Path, name: str, state: str = "started") -> None:
    execute(folder, "UPDATE block SET state = 'running' WHERE id = 1")
    execute(
        folder,
        "INSERT INTO attempt(id, block, station, folder, state, deadline, hash) "
        "VALUES (1, 1, 'rack.toml', ?, ?, 9e9, 'abc')",
        name,
        state,
    )


def test_commands_of_anothers_campaign_are_named_and_not_executed(folder: Path, evil: Path) -> None:
    done = gatemark("campaign", "resume", folder)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"gatemark: {folder}: not begun here by this user, and going on with it executes what it "
        f"says (switch of box, on this machine: touch {evil}; true {{image}}; "
        f"power of box, on this machine: touch {evil}; "
        f"console of box, on this machine: touch {evil}; sleep 60; the station rack.toml; "
        "the setting repeat.times=2): add --trust if you want that\n"
    )
    assert not evil.exists()


def test_who_trusts_a_campaign_is_not_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinate, "_run", lambda _: None)
    with pytest.raises(UsageError, match="--trust"):
        coordinate.coordinate(folder)
    coordinate.coordinate(folder, trust=True)
    coordinate.coordinate(folder)
    folder.rename(folder.parent / "elsewhere")
    coordinate.coordinate(folder.parent / "elsewhere")
    coordinate.copy(folder.parent / "elsewhere", folder)
    coordinate.coordinate(folder, take_over=True)


@pytest.mark.parametrize("key", ["base", "id", "executor"])
def test_what_was_begun_is_not_agreed_to_with_another_fact(
    key: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinate, "_run", lambda _: None)
    coordinate.coordinate(folder, trust=True)
    value = f"{folder.parent}/begun/.." if key == "base" else "dask://evil.example"
    execute(folder, "INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)
    with pytest.raises(UsageError, match="--trust"):
        coordinate.coordinate(folder)


def test_a_copy_of_anothers_campaign_is_anothers(folder: Path) -> None:
    coordinate.copy(folder, folder.parent / "copy")
    with pytest.raises(UsageError, match="--trust"):
        coordinate.coordinate(folder.parent / "copy", take_over=True)


def test_nobody_speaks_with_a_scheduler_that_a_stranger_names(folder: Path) -> None:
    execute(folder, "INSERT INTO meta VALUES ('executor', 'dask://evil.example')")
    done = gatemark("campaign", "cancel", folder)
    assert done.code == 2
    assert "not begun here by this user, and its blocks are at dask://evil.example" in done.err


OUTSIDE = ("../../outside", "..", "/etc", ".", "", "a/b", "-rf", "a\nb", "\x1b[2J", "a" + "/.." * 9)


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("verb", ["cancel", "check", "report", "status"])
def test_no_folder_of_a_block_lies_elsewhere(verb: str, name: str, folder: Path) -> None:
    attempted(folder, name, "done" if verb in ("check", "report") else "started")
    done = gatemark("campaign", verb, folder)
    assert done.code == 1
    assert "is no folder of a block" in done.err
    assert not (folder.parent / "outside").exists()


def test_nothing_is_begun_outside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempted(folder, "../../outside")
    monkeypatch.setattr(Local, "begin", pytest.fail)
    with pytest.raises(GatemarkError, match="is no folder of a block"):
        coordinate.coordinate(folder, trust=True)


LINKS: dict[str, Callable[[Path, Path], None]] = {
    "a link": lambda path, other: path.symlink_to(other),
    "a second name": lambda path, other: path.hardlink_to(other),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a folder": lambda path, _: path.mkdir(),
}


@pytest.mark.parametrize("what", LINKS)
def test_a_ledger_is_a_file_of_ours(what: str, folder: Path) -> None:
    (folder / NAME).rename(folder.parent / "other.db")
    LINKS[what](folder / NAME, folder.parent / "other.db")
    with pytest.raises(ForeignError, match=NAME):
        Ledger.open(folder, lambda: 0.0)


@pytest.mark.parametrize("what", ["", NAME])
@pytest.mark.parametrize(("mode", "error"), [(None, "another user"), (0o777, "every user")])
def test_a_ledger_that_another_user_can_change_is_not_opened(
    what: str, mode: int | None, error: str, folder: Path
) -> None:
    if mode is None and os.geteuid() != 0:
        pytest.skip("only root gives a file away")
    if mode is None:
        os.chown(folder / what, 65534, 65534)
    else:
        (folder / what).chmod(mode)
    with pytest.raises(ForeignError, match=error):
        Ledger.open(folder, lambda: 0.0)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER evil AFTER UPDATE ON attempt BEGIN DELETE FROM block; END",
        "CREATE VIEW evil AS SELECT load_extension('/tmp/evil.so')",
        "CREATE INDEX evil ON block(load_extension('/tmp/evil.so'))",
        "CREATE VIRTUAL TABLE evil USING fts5(x)",
        "CREATE TABLE evil(x)",
        "DROP TRIGGER forward",
        "ANALYZE",
        "CREATE TRIGGER evil BEFORE INSERT ON event BEGIN SELECT raise(IGNORE); END",
        "CREATE TRIGGER evil AFTER INSERT ON event BEGIN SELECT writefile('evil', 'x'); END",
        "CREATE VIEW evil AS SELECT * FROM block",
        "CREATE UNIQUE INDEX evil ON attempt(id)",
        "ALTER TABLE event ADD COLUMN evil TEXT",
        "ALTER TABLE control RENAME TO evil",
        "ALTER TABLE event RENAME COLUMN text TO evil",
        "DROP TABLE control",
        "CREATE TABLE evil AS SELECT zeroblob(1000)",
        "CREATE TABLE evil(x CHECK (load_extension('evil')))",
    ],
)
def test_a_ledger_has_no_tables_but_ours(statement: str, folder: Path) -> None:
    try:
        execute(folder, statement)
    except sqlite3.OperationalError as error:
        pytest.skip(str(error))  # what this SQLite does not have, or refuses itself
    with pytest.raises(GatemarkError, match="its tables are not a ledger's"):
        Ledger.open(folder, lambda: 0.0)


def test_a_ledger_of_another_file_is_refused(folder: Path) -> None:
    execute(folder, "UPDATE block SET model = 'other'")
    with pytest.raises(GatemarkError, match="get both from one copy"):
        coordinate.opened(folder)


def test_a_value_of_another_kind_is_refused(folder: Path) -> None:
    base = sqlite3.connect(folder / NAME)
    base.execute("PRAGMA ignore_check_constraints = ON")
    with base:
        base.execute("UPDATE block SET state = 'evil'")
    base.close()
    with pytest.raises(GatemarkError, match="damaged"):
        Ledger.open(folder, lambda: 0.0)


def test_a_journal_that_names_another_file_is_not_opened(folder: Path) -> None:
    (folder / JOURNAL).write_bytes(bytes(512) + NAMES_ANOTHER)  # no journal but for its end
    with pytest.raises(ForeignError, match="names another file"):
        Ledger.open(folder, lambda: 0.0)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of ours that a link leads to."""
    (tmp_path / "secret").write_text("secret\n")
    return tmp_path / "secret"


def task(name: str, **changes: object) -> Task:
    words = {"attempt": 1, "name": name, "title": "", "base": "/", "station": "lab", "lock": ""}
    return msgspec.convert({**words, "plan": "cost/ab", **changes}, Task)


@pytest.mark.parametrize("name", ["log", "task.json"])
def test_a_link_in_a_blocks_folder_is_not_followed(name: str, folder: Path, secret: Path) -> None:
    (folder / "begun" / "1").mkdir(parents=True)
    (folder / "begun" / "1" / name).symlink_to(secret)
    executor = Local(folder, (sys.executable, "-c", ""))
    with pytest.raises(DiskError, match="is a link where a run has a file"):
        executor.begin(task("1"))
    assert secret.read_text() == "secret\n"


@pytest.mark.parametrize("name", ["begun", "begun/1"])
def test_no_block_is_in_a_link(name: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "1").mkdir(parents=True)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).symlink_to(tmp_path / "other")
    executor = Local(folder, (sys.executable, "-c", ""))
    with pytest.raises(DiskError, match="is a link and no folder"):
        executor.begin(task("1"))
    assert list((tmp_path / "other").iterdir()) == [tmp_path / "other" / "1"]


def test_a_lock_is_no_link(folder: Path, secret: Path) -> None:
    (folder / "lock").symlink_to(secret)
    with pytest.raises(ForeignError), block.held(folder / "lock"):
        pass
    assert secret.read_text() == "secret\n"


def test_a_console_writes_and_reads_no_link(folder: Path, secret: Path) -> None:
    (folder / console.LOG).symlink_to(secret)
    with pytest.raises(ForeignError), console.kept("echo more", folder / console.LOG):
        pass
    assert secret.read_text() == "secret\n"
    assert console.last(folder / console.LOG) == ""


def test_a_block_does_what_the_campaign_says_and_not_what_lies_there(folder: Path) -> None:
    (folder / "begun" / "1").mkdir(parents=True)
    (folder / "begun" / "1" / "task.json").write_bytes(
        msgspec.json.encode(task("1", console="touch /tmp/evil"))
    )
    executor = Local(folder, (sys.executable, "-c", ""))
    executor.begin(task("1"))
    while not executor.poll(1.0):
        pass
    kept = msgspec.json.decode((folder / "begun" / "1" / "task.json").read_bytes(), type=Task)
    assert kept.console == ""


def test_runs_are_in_no_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (folder / "runs").symlink_to(tmp_path / "other")
    (folder / "begun" / "1" / "run").mkdir(parents=True)
    attempt = Attempt(1, 1, "", "1", "started", 0.0, None, "")
    with pytest.raises(ForeignError, match="runs is a link and no folder"):
        Local(folder).fetch(attempt, folder / "runs")
    assert list((tmp_path / "other").iterdir()) == []


def test_a_copy_takes_nothing_from_behind_a_link(folder: Path, secret: Path) -> None:
    attempted(folder, "00001-box-1", "done")
    (folder / "runs" / "00001-box-1").mkdir(parents=True)
    (folder / "runs" / "00001-box-1" / "x").symlink_to(secret)
    coordinate.copy(folder, folder.parent / "copy")
    assert (folder.parent / "copy" / "runs" / "00001-box-1" / "x").is_symlink()


def test_a_signal_goes_to_no_process_behind_a_link(folder: Path, tmp_path: Path) -> None:
    """A block's process is found by its last word."""
    (tmp_path / "other").mkdir()
    (folder / "begun").mkdir()
    (folder / "begun" / "1").symlink_to(tmp_path / "other")
    words = (sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path / "other"))
    with subprocess.Popen(words, start_new_session=True) as process:
        attempt = Attempt(1, 1, "", "1", "started", 0.0, None, "")
        with pytest.raises(ForeignError):
            Local(folder).stop(attempt)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("name", ["drain", "cancel"])
def test_a_request_makes_no_file_elsewhere(name: str, folder: Path, tmp_path: Path) -> None:
    (folder / name).symlink_to(tmp_path / "made")
    with coordinate.alone(folder):
        assert gatemark("campaign", name, folder).code == 1
    assert not (tmp_path / "made").exists()


def test_a_station_of_a_build_is_written_through_no_link(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    (folder / "stations").symlink_to(tmp_path / "other")
    layout, _ = coordinate.opened(folder)
    monkeypatch.setattr(Layout, "_with_kernel", lambda *_: {})
    with pytest.raises(ForeignError):
        layout._made(layout.campaign.model[0], layout.campaign.build[0], "lab")
    assert list((tmp_path / "other").iterdir()) == []


def test_the_campaigns_file_is_no_link(folder: Path) -> None:
    (folder / coordinate.FILE).rename(folder.parent / "other.toml")
    (folder / coordinate.FILE).symlink_to(folder.parent / "other.toml")
    with pytest.raises(ForeignError):
        coordinate.opened(folder)


def test_who_begins_a_campaign_in_anothers_folder_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(ForeignError, match="can be changed by every user"):
        coordinate.begin(folder.parent / "box.toml", tmp_path / "open")


def test_a_campaign_is_kept_as_begun_by_who_runs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinate, "_run", lambda _: None)
    carried.keep(folder, carried.LOCAL, None)
    coordinate.coordinate(folder, trust=True)
    assert list((folder.parent / "state" / "gatemark" / "begun").iterdir())


def test_a_begun_run_that_executes_what_nobody_asked_for_is_not_gone_on_with(
    folder: Path,
) -> None:
    """Its run.json may be a stranger's, too."""
    needs.two_cpus()
    arms = (Arm(name="old", setup="nat"), Arm(name="new", setup="route", switch="./flash.sh"))
    made = block._planned(task("1", arms=arms), load("lab"), {})
    sides = {name: replace(side, switch="touch /tmp/evil") for name, side in made.sides.items()}
    block._require_asked(folder / "run", made, made)
    with pytest.raises(UsageError, match="not begun by this campaign"):
        block._require_asked(folder / "run", replace(made, sides=sides), made)
