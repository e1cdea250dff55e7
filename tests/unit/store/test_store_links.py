# SPDX-License-Identifier: Apache-2.0
"""A stranger's archive: what lies in a run's directory leads nowhere out of it.

Each of these would be followed by a plain open(2), or would block it for good.
"""

import gzip
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import builder
import pytest
from command import Done, gatemark
from msgspec.structs import replace

from gatemark.error import GatemarkError
from gatemark.report import index
from gatemark.store import catalog, file, series
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import ForeignError

# A whole file of series, so that who follows a link to it succeeds.
SECRET = gzip.compress(b'{"series":"sink.up.packets","x":[1],"y":[2.0]}\n', mtime=0)
SERIES = {"sink.up.packets": ([1], [2.0])}

Plant = Callable[[Path, Path], None]  # what a stranger puts at a path, with a file of ours


def absolute(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def relative(path: Path, outside: Path) -> None:
    path.symlink_to(os.path.relpath(outside, path.parent))


def dangling(path: Path, outside: Path) -> None:
    path.symlink_to(outside.with_name("none"))


def loop(path: Path, _: Path) -> None:
    path.symlink_to(path.name)


def twice(path: Path, outside: Path) -> None:
    """A link to a link."""
    (path.parent / "between").symlink_to(outside)
    path.symlink_to("between")


def full(path: Path, _: Path) -> None:
    path.symlink_to("/dev/full")


def memory(path: Path, _: Path) -> None:
    path.symlink_to("/proc/self/environ")


def folder(path: Path, _: Path) -> None:
    path.mkdir()


def fifo(path: Path, _: Path) -> None:
    os.mkfifo(path)


def bound(path: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))  # an absolute one may be too long


def device(path: Path, _: Path) -> None:
    if os.geteuid():
        pytest.skip("needs root: makes a device")
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))  # /dev/full


PLANTS = (absolute, relative, dangling, loop, twice, full, memory, folder, fifo, bound, device)
every_plant = pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A file of ours, which stays what it is, as does the folder that it lies in."""
    (tmp_path / "home").mkdir()
    file = tmp_path / "home" / "kept"
    file.write_bytes(SECRET)
    yield file
    assert file.read_bytes() == SECRET
    assert list(file.parent.iterdir()) == [file]


def archive(path: Path, plant: Plant, outside: Path, name: str) -> RunDirectory:
    """A run with something planted in place of one of its files."""
    records = [replace(record, series="") for record in builder.trials()[:3]]
    directory = builder.keep(path / "run", records, finished="")
    planted = directory.path / name
    planted.unlink(missing_ok=True)
    plant(planted, outside)
    return directory


def refused(error: pytest.ExceptionInfo[GatemarkError], name: str) -> None:
    message = str(error.value)
    assert name in message
    assert "or remove it" in message
    assert "\n" not in message


@every_plant
def test_a_run_file_that_is_none_is_not_read(plant: Plant, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, plant, outside, "run.json")
    with pytest.raises(ForeignError) as error:
        RunDirectory.open(directory.path).contents()
    refused(error, "run.json")


@every_plant
def test_a_run_file_that_is_none_is_not_written(
    plant: Plant, tmp_path: Path, outside: Path
) -> None:
    directory = archive(tmp_path, plant, outside, "run.json")
    with pytest.raises(ForeignError) as error:
        directory.save(builder.run())
    refused(error, "run.json")


@every_plant
def test_no_run_is_found_where_its_file_is_none(
    plant: Plant, tmp_path: Path, outside: Path
) -> None:
    archive(tmp_path, plant, outside, "run.json")
    assert catalog.entries(tmp_path) == []


@every_plant
def test_records_that_are_elsewhere_are_not_read(
    plant: Plant, tmp_path: Path, outside: Path
) -> None:
    directory = archive(tmp_path, plant, outside, "trials.jsonl")
    with pytest.raises(ForeignError) as error:
        directory.contents()
    refused(error, "trials.jsonl")


@every_plant
def test_records_are_not_added_elsewhere(plant: Plant, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, plant, outside, "trials.jsonl")
    with pytest.raises(ForeignError) as error:
        directory.append(builder.trials()[0])
    refused(error, "trials.jsonl")


@every_plant
def test_nothing_elsewhere_is_cut_off(plant: Plant, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, plant, outside, "trials.jsonl")
    with pytest.raises(ForeignError) as error:
        directory.repair()
    refused(error, "trials.jsonl")


@every_plant
def test_series_that_are_elsewhere_are_told_as_missing(
    plant: Plant, tmp_path: Path, outside: Path
) -> None:
    directory = archive(tmp_path, plant, outside, "series/0.jsonl.gz")
    assert series.read(directory.series, ["0.jsonl.gz"], ["*"]).lost == ("0.jsonl.gz",)
    assert directory.series.names() == frozenset()


@every_plant
def test_an_old_series_that_is_elsewhere_is_told_as_missing(
    plant: Plant, tmp_path: Path, outside: Path
) -> None:
    directory = archive(tmp_path, plant, outside, "series/0.parquet")
    assert series.read(directory.series, ["0.parquet"], ["*"]).lost == ("0.parquet",)


@every_plant
def test_series_are_not_written_elsewhere(plant: Plant, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, plant, outside, "series/0.jsonl.gz")
    with pytest.raises(ForeignError) as error:
        series.write(directory.series, "0.jsonl.gz", SERIES)
    refused(error, "0.jsonl.gz")


@pytest.mark.parametrize("name", ["series", "folded"])
def test_a_folder_in_it_may_be_no_link(name: str, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, lambda *_: None, outside, "none")
    inner = getattr(directory, name)
    if inner.path.exists():
        inner.path.rmdir()
    inner.path.symlink_to(outside.parent)
    for act in (inner.make, inner.names, inner.sweep, lambda: inner.read("kept")):
        with pytest.raises(ForeignError) as error:
            act()
        refused(error, name)
    with pytest.raises(ForeignError):
        inner.write("kept", b"")


def test_a_run_whose_series_are_a_link_is_read_without_them(tmp_path: Path, outside: Path) -> None:
    records = [replace(builder.trials()[0], series="kept")]
    directory = builder.keep(tmp_path / "run", records)
    directory.series.path.rmdir()
    directory.series.path.symlink_to(outside.parent)
    (fault,) = directory.contents().faults
    assert fault.startswith("series/kept is missing")


def test_a_run_is_not_begun_where_a_link_has_its_name(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").symlink_to(outside.with_name("none"))
    with pytest.raises(GatemarkError, match="holds a run already"):
        RunDirectory.create(tmp_path / "run", builder.run())


def test_a_second_name_of_a_file_of_ours_is_not_added_to(tmp_path: Path, outside: Path) -> None:
    """As `cp -al` makes them: a backup would change with the run."""
    directory = archive(tmp_path, lambda p, o: os.link(o, p), outside, "trials.jsonl")
    for act in (directory.repair, lambda: directory.append(builder.trials()[0])):
        with pytest.raises(ForeignError, match=r"trials\.jsonl has a second name \(a hard link\)"):
            act()


def test_a_second_name_of_a_file_that_is_replaced_does_no_harm(
    tmp_path: Path, outside: Path
) -> None:
    directory = archive(tmp_path, lambda p, o: os.link(o, p), outside, "run.json")
    directory.save(builder.run())
    assert directory.load() == builder.run()


def test_the_runs_own_folder_may_be_a_link(tmp_path: Path) -> None:
    builder.keep(tmp_path / "far" / "run", builder.trials()[:1])
    (tmp_path / "near").symlink_to(tmp_path / "far")
    (tmp_path / "last").symlink_to(tmp_path / "near" / "run")
    directory = RunDirectory.open(tmp_path / "last")
    directory.append(builder.trials()[1])
    directory.save(builder.run())
    assert len(directory.contents().records) == 2


def error_of(done: Done) -> str:
    (line,) = done.err.splitlines()[-1:]
    assert "Traceback" not in done.err
    return line


@every_plant
def test_a_page_is_not_written_elsewhere(plant: Plant, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, plant, outside, "report.html")
    with pytest.raises(ForeignError) as error:
        file.put(directory.page, b"<!doctype html>")
    refused(error, "report.html")
    assert not directory.has_page()


def test_a_verb_that_writes_a_page_says_what_is_in_its_place(tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, absolute, outside, "report.html")
    done = gatemark("report", directory.path)
    assert (done.code, error_of(done)) == (
        1,
        f"gatemark: {directory.page} is a link where a run has a file: "
        "put a file in its place, or remove it",
    )


def test_an_index_writes_nothing_outside_its_folder(tmp_path: Path, outside: Path) -> None:
    """Neither in the place of its page, nor where a run in it is a link to one elsewhere."""
    elsewhere = builder.keep(tmp_path / "elsewhere", [])
    runs = tmp_path / "runs"
    linked = archive(runs, absolute, outside, "report.html")
    (runs / "link").symlink_to(elsewhere.path)
    index.write(runs, runs / "index.html")
    assert not elsewhere.page.exists()
    assert linked.page.is_symlink()
    text = (runs / "index.html").read_text("utf-8")
    assert 'href="run/report.html"' not in text


def test_an_index_in_the_place_of_a_link_is_refused(tmp_path: Path, outside: Path) -> None:
    builder.keep(tmp_path / "runs" / "run", [])
    (tmp_path / "runs" / "index.html").symlink_to(outside)
    with pytest.raises(ForeignError, match=r"index\.html is a link"):
        index.write(tmp_path / "runs", tmp_path / "runs" / "index.html")


def test_a_pipe_in_place_of_a_run_keeps_nobody_waiting(tmp_path: Path) -> None:
    """`gatemark show` looks through the folders here for the newest run."""
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "run.json")
    done = gatemark("show", cwd=tmp_path, before=("timeout", "20"))
    assert (done.code, error_of(done)) == (
        2,
        "gatemark: no run here: make one with `gatemark run`, or give the path of one",
    )


def test_a_file_that_may_not_be_used_is_told_with_its_path(tmp_path: Path) -> None:
    directory = builder.keep(tmp_path / "run", [])
    for inner, name in ((directory.folder, "none"), (directory.series, "none")):
        with pytest.raises(FileNotFoundError) as error:
            inner.read(name)
        assert error.value.filename == str(inner.path / name)
