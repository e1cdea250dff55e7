# SPDX-License-Identifier: Apache-2.0
"""Several begin a run in one place at the same moment: one alone has it."""

import multiprocessing
from collections.abc import Iterator
from functools import cache
from multiprocessing.synchronize import Barrier
from pathlib import Path

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import GatemarkError, UsageError
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import Folder
from gatemark.store.run import Run

ROUNDS = 40
FORK = multiprocessing.get_context("fork")  # both are past their imports as they begin


@cache
def small() -> Run:
    return replace(builder.run(), plans=(), trials=())


def begin(number: int, folder: Path, barrier: Barrier) -> None:
    """Begin run after run together with the others; how each ended goes into a file."""
    endings = []
    for turn in range(ROUNDS):
        barrier.wait()
        try:
            RunDirectory.create(folder / "new" / f"{turn}", replace(small(), seed=number))
        except UsageError as error:
            endings.append(str(error))
        else:
            endings.append("begun")
    (folder / f"{number}").write_text("\n".join(endings))


def test_of_two_at_once_one_alone_begins_a_run(tmp_path: Path) -> None:
    small()  # made before both begin
    barrier = FORK.Barrier(2)
    both = [FORK.Process(target=begin, args=(number, tmp_path, barrier)) for number in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    endings = [(tmp_path / f"{number}").read_text().splitlines() for number in range(2)]
    for turn, pair in enumerate(zip(*endings, strict=True)):
        assert pair.count("begun") == 1, pair
        (refusal,) = set(pair) - {"begun"}
        assert "holds a run already: " in refusal or "is being measured just now" in refusal
        run = RunDirectory.open(tmp_path / "new" / f"{turn}").load()
        assert run.seed == pair.index("begun")


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A disk that takes folders and no files."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "write", refuse)
        yield


@pytest.mark.usefixtures("full")
def test_what_could_not_be_begun_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(GatemarkError, match=r"No space left on device: free space$"):
        RunDirectory.create(tmp_path / "runs" / "one", small())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("full")
def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    with pytest.raises(GatemarkError, match="No space left"):
        RunDirectory.create(tmp_path, small())
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_not_begun_while_somebody_measures_there(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, small())
    directory.run_file.unlink()
    directory.trials_file.unlink()
    with directory.alone(), pytest.raises(UsageError, match="being measured just now"):
        RunDirectory.create(tmp_path, small())
