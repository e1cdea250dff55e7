# SPDX-License-Identifier: Apache-2.0
"""Power lost at any write of a run: every record that was kept is there, and the run goes on."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import builder
import crash
import msgspec
import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.store import series
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run

# Two records; a crash; two more by `--resume`. A mark is printed when a call has returned.
WRITER = """
import sys
from pathlib import Path

import msgspec

from gatemark.error import GatemarkError
from gatemark.store import series
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run

folder, begun, finished, records = sys.argv[1:]
path = Path(folder) / "runs" / "one"


def keep(directory, record):
    series.write(directory.series, record.series, {"sink.up.packets": (range(99), [4.0] * 99)})
    directory.append(record)
    print("kept", flush=True)


def main(begun, finished, records):
    directory = RunDirectory.create(path, begun)
    print("begun", flush=True)
    for record in records[:2]:
        keep(directory, record)
    with directory.trials_file.open("ab", 0) as file:
        file.write(b'{"schema":"gatemark.record/2","trial":"cut')
    (directory.series.path / ".00002.jsonl.gz.01234567").write_bytes(b"half")
    directory = RunDirectory.open(path)
    directory.repair()
    for record in records[2:]:
        keep(directory, record)
    directory.save(finished)
    print("finished", flush=True)


runs = [msgspec.json.decode(text, type=Run) for text in (begun, finished)]
try:
    main(*runs, msgspec.json.decode(records, type=list[Record]))
except (GatemarkError, OSError) as error:
    sys.exit(f"gatemark: {error}")
"""


@cache
def begun() -> Run:
    return replace(builder.run(), plans=(), trials=(), finished="")


@cache
def finished() -> Run:
    return replace(begun(), finished="2026-11-21T16:21:40Z", notes=("a note",))


@cache
def records() -> list[Record]:
    return [
        replace(record, series=f"{place:05d}{series.SUFFIX}")
        for place, record in enumerate(builder.trials()[:4])
    ]


def words() -> list[str]:
    """The arguments of the program."""
    return [msgspec.json.encode(part).decode() for part in (begun(), finished(), records())]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory, where fsync takes no time."""
    memory = Path("/dev/shm")  # noqa: S108  a folder of its own is made there
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


def check(path: Path, marks: list[str]) -> None:
    """Whether a run is what it was when its calls returned, and takes what is missing."""
    directory = opened(path, is_begun="begun" in marks)
    contents = directory.contents()
    assert contents.run in versions(marks)
    kept = marks.count("kept")
    assert contents.records in (records()[:kept], records()[: kept + 1])
    names = [record.series for record in contents.records]
    assert series.read(directory.series, names, ["*"]).lost == ()
    assert [fault for fault in contents.faults if "was cut" not in fault] == []
    directory.repair()
    for record in records()[len(contents.records) :]:
        directory.append(replace(record, series=""))
    after = directory.contents()
    assert [r.trial for r in after.records] == [r.trial for r in records()]
    assert after.faults == ()
    assert not [*path.rglob(".*")]


def opened(path: Path, *, is_begun: bool) -> RunDirectory:
    """The run; where `create` had not returned, there may be none, and it can be begun."""
    try:
        return RunDirectory.open(path)
    except UsageError:
        assert not is_begun
        return RunDirectory.create(path, begun())


def versions(marks: list[str]) -> tuple[Run, ...]:
    """What `run.json` may hold."""
    if "finished" in marks:
        return (finished(),)
    is_whole = marks.count("kept") == len(records())
    return (begun(), finished()) if is_whole else (begun(),)


def test_no_record_that_was_kept_is_lost_with_the_power(place: Path) -> None:
    root = place / "disk"
    root.mkdir()
    count = 0
    for moment, disk in enumerate(crash.moments(root, WRITER, str(root), *words())):
        for folder in disk.outcomes(place / f"{moment}"):
            check(folder / "runs" / "one", disk.marks)
            count += 1
    assert disk.marks == ["begun", *["kept"] * 4, "finished"]
    assert count > 100


@pytest.mark.long
@pytest.mark.parametrize("calls", ["mkdir,mkdirat", "write", "fsync", "rename,renameat,renameat2"])
def test_a_disk_that_is_full_at_any_write_costs_no_record(calls: str, place: Path) -> None:
    """The program's own words are written too, so the last refusals are of these."""
    for which in range(1, 200):
        (place / f"{which}").mkdir()
        done = crash.refused(calls, which, WRITER, str(place / f"{which}"), *words())
        assert "Traceback" not in done.stderr
        check(place / f"{which}" / "runs" / "one", done.stdout.split())
        if not done.returncode:
            break
    assert which > 1
    assert "finished" in done.stdout
