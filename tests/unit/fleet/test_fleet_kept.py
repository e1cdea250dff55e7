# SPDX-License-Identifier: Apache-2.0
"""A run that comes from a worker: its files and folders, and nothing beside them; on the disk."""

import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import crash
import pytest

from gatemark.error import GatemarkError
from gatemark.fleet import carrier, kept, link
from gatemark.fleet.dask import Dask
from gatemark.fleet.executor import Task
from gatemark.fleet.ledger import Attempt
from gatemark.fleet.link import Link
from gatemark.fleet.local import Local

FILES = {"run.json": "{}", "trials.jsonl": "1\n2\n", "series/1.bin": "of a trial"}
# A worker's tar becomes the run of a block; then it is told.
KEEP = """
import sys
from pathlib import Path
from gatemark.fleet import kept
folder, tar = Path(sys.argv[1]), Path(sys.argv[2])
(folder / "begun").mkdir()
kept.unpack(tar, folder / "begun")
kept.move(folder / "begun" / "run", folder / "runs" / "00001-m-1")
print("kept", flush=True)
"""


def tar(place: Path, name: str, change: Callable[[tarfile.TarInfo], None]) -> Path:
    (file := place / "file").write_text("of a run")
    with tarfile.open(place / "run.tar", "w") as made:
        member = made.gettarinfo(file, name)
        change(member)
        with file.open("rb") as content:
            made.addfile(member, content if member.isreg() else None)
    return place / "run.tar"


def linked(member: tarfile.TarInfo) -> None:
    member.type, member.linkname, member.size = tarfile.SYMTYPE, "/etc/passwd", 0


def test_what_was_packed_is_there_again(tmp_path: Path) -> None:
    kept.unpack(tar(tmp_path, "run/trials.jsonl", lambda _: None), tmp_path)
    assert (tmp_path / "run" / "trials.jsonl").read_text() == "of a run"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("../outside", lambda _: None),
        ("run/../../outside", lambda _: None),
        ("run/link", linked),
    ],
)
def test_what_would_lie_elsewhere_is_refused(
    name: str, change: Callable[[tarfile.TarInfo], None], tmp_path: Path
) -> None:
    (inner := tmp_path / "inner").mkdir()
    with pytest.raises(GatemarkError, match="is no file of a run"):
        kept.unpack(tar(inner, name, change), inner)
    assert not (tmp_path / "outside").exists()


def measured(place: Path) -> None:
    """The run of a block."""
    for name, text in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)


def test_what_is_told_to_be_kept_outlasts_a_power_cut(tmp_path: Path) -> None:
    measured(tmp_path / "run")
    with tarfile.open(tmp_path / "run.tar", "w") as packed:
        packed.add(tmp_path / "run", "run")
    (disk_ := tmp_path / "disk").mkdir()
    # Nothing is written after the mark, so the last moment is as it is when that is told.
    *_, last = crash.moments(disk_, KEEP, str(disk_), str(tmp_path / "run.tar"))
    for outcome in last.outcomes(tmp_path / "outcomes"):
        there = outcome / "runs" / "00001-m-1"
        assert {name: (there / name).read_text() for name in FILES} == FILES, outcome.name


class Worker:
    """The way to a worker that goes away once it has handed its run over."""

    def ask(self, place: str, patience_s: float, *call: Any) -> Any:
        del place, patience_s
        function, *words = call
        if function is carrier.forget:
            raise GatemarkError("its worker does not answer")
        return function(*words)

    def tell(self, *_: object) -> bool:
        return False


def test_a_run_that_is_here_counts_where_its_worker_is_away(tmp_path: Path) -> None:
    """What it had left there only takes room."""
    campaign = str(tmp_path / "worker")
    measured(tmp_path / "worker" / "begun" / "00001-m-1" / "run")
    dask = Dask(tmp_path / "campaign", "tls://127.0.0.1:1", tmp_path, campaign)
    dask.link = cast("Link", Worker())
    attempt = Attempt(1, 1, "a", "00001-m-1", "started", 0.0, None, "")
    (tmp_path / "campaign").mkdir()
    hash_ = dask.fetch(attempt, tmp_path / "campaign" / "runs")
    assert hash_ == kept.hash_of(tmp_path / "campaign" / "runs" / "00001-m-1")


class Slow:
    """An answer that comes at the second look."""

    def __init__(self) -> None:
        self.looks = 0

    def result(self, timeout: float) -> str:
        self.looks += 1
        if self.looks == 1:
            raise TimeoutError(f"timed out after {timeout} s")
        return "packed"


def test_a_run_that_takes_long_to_pack_is_packed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = list[Slow]()

    def send(*_: object) -> Slow:
        answers.append(Slow())
        return answers[-1]

    monkeypatch.setattr(link, "send", send)
    monkeypatch.setattr(Link, "client", lambda _: "running")
    way = Link("tls://127.0.0.1:1", tmp_path, lambda _: None)
    assert (way.ask("a", 0.0, carrier.packed), len(answers)) == ("packed", 1)


def test_a_folder_that_cannot_be_made_is_the_coordinators_own_fault(tmp_path: Path) -> None:
    (tmp_path / "begun").touch()
    task = Task(attempt=1, name="00001-m-1", title="", base=".", station="a", lock="", plan="p")
    with pytest.raises(kept.DiskError, match="begun is a file and no folder: remove it"):
        Local(tmp_path).begin(task)
