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
from command import gatemark
from msgspec.structs import replace

from gatemark.commands.runs.locate import newest
from gatemark.error import GatemarkError, UsageError
from gatemark.store import catalog, file, series
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import MOST_BYTES, ForeignError

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


def planted(path: Path, outside: Path) -> Iterator[str]:
    """Put each plant in the place of a file, one after the other; yields its name."""
    path.unlink(missing_ok=True)
    for plant in PLANTS:
        if plant is device and os.geteuid():
            continue  # needs root: makes a device
        plant(path, outside)
        yield plant.__name__
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()


def refuses(act: Callable[[], object], name: str) -> bool:
    """Whether it is refused in a line that names the file and the fix."""
    try:
        act()
    except ForeignError as error:
        message = str(error)
        return name in message and "or remove it" in message and "\n" not in message
    return False


ACTS: dict[str, tuple[str, Callable[[RunDirectory], object]]] = {
    "read run.json": ("run.json", lambda run: RunDirectory.open(run.path).contents()),
    "write run.json": ("run.json", lambda run: run.save(builder.run())),
    "read trials.jsonl": ("trials.jsonl", lambda run: run.contents()),
    "add to trials.jsonl": ("trials.jsonl", lambda run: run.append(builder.trials()[0])),
    "cut trials.jsonl": ("trials.jsonl", lambda run: run.repair()),
    "write series": (
        "series/0.jsonl.gz",
        lambda run: series.write(run.series, "0.jsonl.gz", SERIES),
    ),
    "write the page": ("report.html", lambda run: run.write_page("<!doctype html>")),
    "write any page": ("report.html", lambda run: file.put(run.page, b"<!doctype html>")),
}


@pytest.mark.parametrize("act", ACTS)
def test_what_is_no_file_is_neither_read_nor_written(
    act: str, tmp_path: Path, outside: Path
) -> None:
    name, call = ACTS[act]
    directory = archive(tmp_path, lambda *_: None, outside, "none")
    path = directory.path / name
    taken = [p for p in planted(path, outside) if not refuses(lambda: call(directory), name)]
    assert taken == []


def test_a_page_that_is_no_file_is_none(tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, lambda *_: None, outside, "none")
    assert [plant for plant in planted(directory.page, outside) if directory.has_page()] == []


def test_no_run_is_found_where_its_file_is_none(tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, lambda *_: None, outside, "none")
    assert catalog.entries(tmp_path) != []
    runs = [plant for plant in planted(directory.run_file, outside) if catalog.entries(tmp_path)]
    assert runs == []


def test_series_that_are_elsewhere_are_told_as_missing(tmp_path: Path, outside: Path) -> None:
    name = "0.jsonl.gz"
    folder = archive(tmp_path, lambda *_: None, outside, "none").series

    def is_lost() -> bool:
        return series.read(folder, [name], ["*"]).lost == (name,) and name not in folder.names()

    assert [plant for plant in planted(folder.path / name, outside) if not is_lost()] == []


@pytest.mark.parametrize("name", ["series", "folded"])
def test_a_folder_in_it_may_be_no_link(name: str, tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, lambda *_: None, outside, "none")
    inner = getattr(directory, name)
    if inner.path.exists():
        inner.path.rmdir()
    inner.path.symlink_to(outside.parent)
    for act in (inner.make, inner.names, inner.sweep, lambda: inner.read("kept")):
        assert refuses(act, name)
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


@pytest.mark.long
def test_a_verb_that_writes_a_page_says_what_is_in_its_place(tmp_path: Path, outside: Path) -> None:
    directory = archive(tmp_path, absolute, outside, "report.html")
    done = gatemark("report", directory.path)
    assert (done.code, done.err.splitlines()[-1]) == (
        1,
        f"gatemark: {directory.page} is a link where a run has a file: "
        "put a file in its place, or remove it",
    )


def test_an_index_writes_nothing_outside_its_folder(tmp_path: Path, outside: Path) -> None:
    """Neither in the place of its page, nor where a run in it is a link to one elsewhere."""
    from gatemark.tell import index

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
    from gatemark.tell import index

    builder.keep(tmp_path / "runs" / "run", [])
    (tmp_path / "runs" / "index.html").symlink_to(outside)
    with pytest.raises(ForeignError, match=r"index\.html is a link"):
        index.write(tmp_path / "runs", tmp_path / "runs" / "index.html")


def test_a_pipe_in_place_of_a_run_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verbs look through the folders here for the newest run."""
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "run.json")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^no run here: make one with `gatemark run`"):
        newest(None)


@pytest.mark.parametrize("name", ["run.json", "trials.jsonl"])
def test_a_file_of_holes_that_fills_the_memory_is_not_read(name: str, tmp_path: Path) -> None:
    RunDirectory.create(tmp_path / "run", builder.run()).append(builder.trials()[0])
    os.truncate(tmp_path / "run" / name, MOST_BYTES + 1)
    with pytest.raises(GatemarkError, match=f"{name} has more than the 1 GiB of a run's file"):
        RunDirectory.open(tmp_path / "run").contents()


def test_a_file_that_may_not_be_used_is_told_with_its_path(tmp_path: Path) -> None:
    directory = builder.keep(tmp_path / "run", [])
    for inner, name in ((directory.folder, "none"), (directory.series, "none")):
        with pytest.raises(FileNotFoundError) as error:
            inner.read(name)
        assert error.value.filename == str(inner.path / name)
