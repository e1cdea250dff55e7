# SPDX-License-Identifier: Apache-2.0
"""A run's directory: written whole or not at all, readable after any cut, honest on a full disk."""

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import GatemarkError, UsageError
from gatemark.store import series
from gatemark.store.directory import RunDirectory, telling
from gatemark.store.record import Record
from gatemark.store.run import Run


@cache
def records() -> list[Record]:
    return builder.trials()[:3]


def small() -> Run:
    return replace(builder.run(), plans=(), trials=())


def kept(path: Path, made: list[Record]) -> RunDirectory:
    directory = RunDirectory.create(path, builder.run())
    for record in made:
        directory.append(record)
    return directory


def test_what_is_written_is_read(tmp_path: Path) -> None:
    kept(tmp_path / "new" / "run", records())
    directory = RunDirectory.open(tmp_path / "new" / "run")
    assert (directory.load(), directory.records()) == (builder.run(), records())


def test_a_new_run_has_no_records(tmp_path: Path) -> None:
    assert kept(tmp_path, []).records() == []


def test_a_record_is_one_line(tmp_path: Path) -> None:
    odd = replace(records()[0], reason="two\nlines \u2028 \x00 \N{SNOWMAN}")
    directory = kept(tmp_path, [odd])
    assert directory.trials_file.read_bytes().count(b"\n") == 1
    assert directory.records() == [odd]


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_costs_what_was_measured_and_not_the_record(
    odd: float, tmp_path: Path
) -> None:
    values = records()[0].values | {"power_w": odd}
    directory = kept(tmp_path / "run", [])
    record = directory.keep(replace(records()[0], values=values), {"power.csv.watts": ([1], [odd])})
    contents = directory.contents()
    assert contents.faults == ()
    assert contents.records == [record]
    assert (record.status, record.values) == ("invalid", {})
    assert record.reason == "what it measured is not kept: no finite numbers: values.power_w"


def test_a_directory_with_a_run_is_not_taken(tmp_path: Path) -> None:
    kept(tmp_path, records())
    with pytest.raises(
        UsageError, match=rf"holds a run already: `gatemark run --resume {tmp_path}`"
    ):
        RunDirectory.create(tmp_path, builder.run())


def test_a_directory_without_a_run_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no run there \(run.json is missing\)"):
        RunDirectory.open(tmp_path)


def test_a_cut_last_line_loses_no_finished_record(tmp_path: Path) -> None:
    directory = kept(tmp_path, records())
    whole = directory.trials_file.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    for left in (1, 2, 7, 64, last // 2, last - 2, last - 1):
        directory.trials_file.write_bytes(whole[: len(whole) - last + left])
        assert directory.records() == records()[:2]
        directory.repair()
        directory.append(records()[2])
        assert directory.trials_file.read_bytes() == whole


@pytest.mark.parametrize("count", [0, 3])
def test_whole_lines_need_no_mend(count: int, tmp_path: Path) -> None:
    directory = kept(tmp_path, records()[:count])
    before = directory.trials_file.read_bytes()
    directory.repair()
    assert directory.trials_file.read_bytes() == before


def test_a_damaged_run_is_told(tmp_path: Path) -> None:
    directory = kept(tmp_path, [])
    for text in ("", "{", "{}", "\x00", "[]", '{"schema": "gatemark.rum/1"}'):
        directory.run_file.write_text(text)
        with pytest.raises(GatemarkError, match=r"run\.json: damaged \(.+\): get it from a copy"):
            directory.load()


def test_a_run_of_a_newer_version_is_told_with_the_mend(tmp_path: Path) -> None:
    directory = kept(tmp_path, [])
    directory.run_file.write_text('{"schema": "gatemark.run/1", "asked": []}')
    with pytest.raises(GatemarkError, match=r"former schema gatemark\.run/1: measure anew$"):
        directory.load()
    directory.run_file.write_text('{"schema": "gatemark.run/12", "asked": []}')
    with pytest.raises(GatemarkError, match=r"newer schema gatemark\.run/12: update gatemark$"):
        directory.load()


def test_records_alone_are_no_run(tmp_path: Path) -> None:
    kept(tmp_path, records()).run_file.unlink()
    with pytest.raises(GatemarkError, match=r"run\.json is missing, and only it says") as error:
        RunDirectory.open(tmp_path)
    assert error.value.exit_code == 1


def test_records_alone_are_not_added_to(tmp_path: Path) -> None:
    kept(tmp_path, records()).run_file.unlink()
    with pytest.raises(UsageError, match="holds a run already"):
        RunDirectory.create(tmp_path, builder.run())


def test_a_run_is_replaced_whole(tmp_path: Path) -> None:
    """Who has the old file open goes on reading the old run: it is never written over."""
    directory = kept(tmp_path, [])
    with directory.run_file.open() as reader:
        directory.save(replace(builder.run(), finished=""))
        assert '"finished": "2026' in reader.read()
    assert directory.load().finished == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "run.json",
        "series",
        "trials.jsonl",
    ]


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    if os.geteuid():
        pytest.skip("needs root: mounts a tiny tmpfs")
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "gatemark-test", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no tmpfs here: {done.stderr.strip()}")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def fill(path: Path) -> None:
    with (path / "filler").open("wb", 0) as file, suppress(OSError):
        while True:
            file.write(bytes(512))


def append_until_full(directory: RunDirectory) -> tuple[list[Record], str]:
    """Records that were taken, and what was said of the first that was not."""
    taken: list[Record] = []
    try:
        for number in range(300):
            record = replace(records()[0], trial=f"{number}")
            directory.append(record)
            taken.append(record)
    except GatemarkError as error:
        return taken, str(error)
    pytest.fail("the disk did not fill")


def test_a_full_disk_stops_the_run_and_names_the_mend(tiny_disk: Path) -> None:
    directory = RunDirectory.create(tiny_disk, small())
    taken, message = append_until_full(directory)
    assert message == (
        f"{tiny_disk}: No space left on device: free space; what was measured is kept: "
        f"`gatemark run --resume {tiny_disk}` goes on"
    )
    assert directory.records() == taken


def test_a_run_goes_on_when_the_full_disk_has_space_again(tiny_disk: Path) -> None:
    directory = RunDirectory.create(tiny_disk, small())
    directory.append(records()[0])
    fill(tiny_disk)
    taken, _ = append_until_full(directory)
    (tiny_disk / "filler").unlink()
    directory.repair()
    directory.append(records()[1])
    assert directory.records() == [records()[0], *taken, records()[1]]


def test_a_full_disk_under_the_series_is_told_alike(tiny_disk: Path) -> None:
    directory = RunDirectory.create(tiny_disk, small())
    fill(tiny_disk)
    found = {"a": (range(2000), [1.0] * 2000)}
    with pytest.raises(GatemarkError, match="No space left"), telling(tiny_disk):
        series.write(directory.series, "0.jsonl.gz", found)


def test_a_full_disk_leaves_the_old_run_file(tiny_disk: Path) -> None:
    directory = RunDirectory.create(tiny_disk, small())
    fill(tiny_disk)
    with pytest.raises(GatemarkError, match="free space"):
        directory.save(replace(small(), notes=("x" * 70_000,)))
    assert directory.load() == small()
    assert sorted(path.name for path in tiny_disk.iterdir()) == [
        "filler",
        "run.json",
        "series",
        "trials.jsonl",
    ]


def test_nothing_is_said_to_be_kept_before_there_is_a_run(tiny_disk: Path) -> None:
    fill(tiny_disk)
    with pytest.raises(GatemarkError) as error:
        RunDirectory.create(tiny_disk / "run", builder.run())
    assert str(error.value) == f"{tiny_disk / 'run'}: No space left on device: free space"


def test_a_place_that_takes_no_files_is_told_with_the_mend() -> None:
    with pytest.raises(GatemarkError, match=r"^/proc/gatemark: .*: name another --out$"):
        RunDirectory.create(Path("/proc/gatemark"), builder.run())


HOLD = """
import sys
from pathlib import Path
from gatemark.store.directory import RunDirectory
with RunDirectory(Path(sys.argv[1])).alone():
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that measures the run in `tmp_path`."""
    kept(tmp_path, records())
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_run_is_measured_by_one_at_a_time(
    tmp_path: Path, holder: "subprocess.Popen[str]"
) -> None:
    """Others may read it meanwhile; once its holder is killed it is free."""
    directory = RunDirectory.open(tmp_path)
    assert directory.is_going()
    assert directory.records() == records()
    with pytest.raises(UsageError, match="is being measured just now"), directory.alone():
        pass
    holder.kill()
    holder.wait()
    assert not directory.is_going()
    with directory.alone():
        pass


def test_who_asks_keeps_nobody_from_starting(tmp_path: Path) -> None:
    """Somebody asks again and again, in the worst moments too."""
    directory = kept(tmp_path, [])
    asking = threading.Event()
    asking.set()

    def ask() -> None:
        while asking.is_set():
            directory.is_going()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for _ in range(100):
            with directory.alone():
                pass
    finally:
        asking.clear()
        thread.join()


def test_who_asks_for_long_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a moment lasts longer than the patience with a run that is going."""
    run = kept(tmp_path, [])
    monkeypatch.setattr("gatemark.store.directory.PATIENCE_S", 0.01)
    asking = os.open(tmp_path, os.O_DIRECTORY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    over = threading.Timer(0.3, os.close, [asking])
    over.start()
    try:
        with run.alone():
            pass
    finally:
        over.join()


def test_an_error_while_it_is_held_stays_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError), kept(tmp_path, []).alone():
        raise BlockingIOError
