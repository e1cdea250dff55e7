# SPDX-License-Identifier: Apache-2.0
"""A disk that is full at any byte of a record or of its series: what was measured is kept."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import GatemarkError
from gatemark.store import series
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record

COLUMNS = {"sink.up.packets": (range(5000), [float(n * n % 977) for n in range(5000)])}


@cache
def records() -> list[Record]:
    return builder.trials()[:2]


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file grows beyond so many bytes; what it has room for is written (write(2))."""
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, kept[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    made = RunDirectory.create(tmp_path, replace(builder.run(), plans=(), trials=()))
    made.append(records()[0])
    return made


def test_a_record_is_there_whole_or_not_at_all(directory: RunDirectory) -> None:
    """So the next one starts on a line of its own, whoever writes it."""
    before = directory.trials_file.read_bytes()
    for more in range(0, len(before) - 1, 50):
        with room(len(before) + more), pytest.raises(GatemarkError, match="File too large"):
            directory.append(records()[1])
        assert directory.trials_file.read_bytes() == before
    directory.append(records()[1])
    assert directory.records() == [records()[0], records()[1]]


def test_a_record_is_kept_without_its_series(directory: RunDirectory) -> None:
    size = directory.trials_file.stat().st_size * 3
    with room(size), pytest.raises(GatemarkError, match=r"File too large: .* --resume .* goes on$"):
        directory.keep(records()[1], COLUMNS)
    note = "its series could not be kept (File too large)"
    assert directory.records() == [records()[0], replace(records()[1], notes=(note,))]
    assert list(directory.series.path.iterdir()) == []


def test_a_record_names_its_series(directory: RunDirectory) -> None:
    kept = directory.keep(records()[1], COLUMNS)
    assert directory.records() == [records()[0], kept]
    assert kept.series == f"{records()[1].sequence:05d}{series.SUFFIX}"
    assert series.read(directory.series, [kept.series], ["*"]).lost == ()


def test_a_record_without_series_names_none(directory: RunDirectory) -> None:
    assert directory.keep(records()[1], {}) == records()[1]
    assert list(directory.series.path.iterdir()) == []


def test_a_page_that_does_not_fit_leaves_the_old_one(directory: RunDirectory) -> None:
    directory.folder.write("report.html", b"old")
    with room(4096), pytest.raises(OSError, match="File too large"):
        directory.folder.write("report.html", b"new" * 4096)
    assert directory.page.read_bytes() == b"old"
    assert {path.name for path in directory.path.iterdir()} == {
        *("run.json", "trials.jsonl", "series", "report.html")
    }
