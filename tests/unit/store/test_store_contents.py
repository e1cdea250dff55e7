# SPDX-License-Identifier: Apache-2.0
"""A damaged run: what is whole is read, what is not is told, nothing is raised that need not be."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import builder
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.store.contents import MOST
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run

COUNTS = "its trial counts as not measured"
few = settings(max_examples=settings().max_examples // 2)


@cache
def planned() -> Run:
    made = builder.run()
    return replace(made, trials=made.trials[:4])


@cache
def records() -> list[Record]:
    return [replace(record, series="") for record in builder.trials()[:4]]


@cache
def lines() -> list[bytes]:
    """The records as they are written."""
    return [msgspec.json.encode(record) + b"\n" for record in records()]


@cache
def whole() -> bytes:
    return b"".join(lines())


def kept(path: Path, text: bytes | None = None) -> RunDirectory:
    directory = RunDirectory.create(path, planned())
    directory.trials_file.write_bytes(whole() if text is None else text)
    return directory


def faults(path: Path, text: bytes) -> tuple[str, ...]:
    return kept(path, text).contents().faults


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    return kept(tmp_path_factory.mktemp("run"))


def test_a_whole_run_has_no_faults(tmp_path: Path) -> None:
    contents = kept(tmp_path).contents()
    assert (contents.run, contents.records, contents.faults) == (planned(), records(), ())
    assert not contents.is_going


@few
@given(cut=st.integers(0))
def test_a_file_that_is_cut_anywhere_gives_every_whole_line(cut: int, run: RunDirectory) -> None:
    left = whole()[: cut % (len(whole()) + 1)]
    run.trials_file.write_bytes(left)
    contents = run.contents()
    assert contents.records == records()[: left.count(b"\n")]
    assert bool(contents.faults) == (left[-1:] not in (b"", b"\n"))


@few
@given(place=st.integers(0), flip=st.integers(1, 255))
def test_a_flipped_byte_costs_its_own_line_at_most_and_is_told(
    place: int, flip: int, run: RunDirectory
) -> None:
    at = place % len(whole())
    damaged = bytearray(whole())
    damaged[at] ^= flip
    run.trials_file.write_bytes(bytes(damaged))
    touched = whole()[:at].count(b"\n")
    contents = run.contents()
    others = [record for i, record in enumerate(records()) if i != touched]
    assert [record for record in others if record not in contents.records] == []
    assert contents.faults or len(contents.records) == len(records())


def test_a_line_that_cannot_be_read_is_told_with_its_number(run: RunDirectory) -> None:
    for damage in (b"{}\n", b"\xff\n", b"\n", b'{"schema": 3\n', b"null\n"):
        run.trials_file.write_bytes(lines()[0] + damage + lines()[2] + lines()[3])
        (fault,) = run.contents().faults
        assert fault.startswith("line 2 of trials.jsonl cannot be read ("), damage
        assert fault.endswith(f"): {COUNTS}"), damage


def test_where_no_trial_is_missing_that_is_said(tmp_path: Path) -> None:
    (said,) = faults(tmp_path, b"{}\n" + whole())
    assert said.endswith("): no planned trial is missing")


def test_a_lost_line_end_loses_no_record(tmp_path: Path) -> None:
    contents = kept(tmp_path, whole().replace(b"\n", b" ", 2)).contents()
    assert (contents.records, contents.faults) == (records(), ())


def test_a_cut_last_line_is_told(tmp_path: Path) -> None:
    assert faults(tmp_path, whole()[:-9]) == (f"the last line of trials.jsonl was cut: {COUNTS}",)


def test_a_last_line_that_is_being_written_is_no_fault(tmp_path: Path) -> None:
    directory = kept(tmp_path, whole()[:-9])
    with directory.alone():
        contents = directory.contents()
    assert (contents.is_going, contents.faults) == (True, ())


def test_records_of_a_newer_version_are_told_with_the_mend(tmp_path: Path) -> None:
    newer = lines()[1].replace(b"gatemark.record/2", b"gatemark.record/3")
    (said,) = faults(tmp_path, lines()[0] + newer * 3)
    assert said == (
        "3 lines of trials.jsonl with the newer schema gatemark.record/3 cannot be read: "
        "update gatemark"
    )


def test_a_trial_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    contents = kept(tmp_path, whole() + lines()[1]).contents()
    assert contents.records == records()
    assert contents.faults == (
        f"line 5 of trials.jsonl is trial {records()[1].trial} again: "
        "line 2 counts, this one does not",
    )


def test_many_damaged_lines_are_told_in_few(tmp_path: Path) -> None:
    said = faults(tmp_path, b"{}\n" * 100)
    assert len(said) == MOST + 1
    assert said[-1] == "the same is so of 90 more lines of trials.jsonl"


def test_missing_series_are_told_in_one(tmp_path: Path) -> None:
    named = [replace(record, series=f"{record.sequence:05d}.jsonl.gz") for record in records()]
    text = b"".join(msgspec.json.encode(record) + b"\n" for record in named)
    directory = kept(tmp_path, text)
    (directory.series.path / "00002.jsonl.gz").touch()
    assert directory.contents().faults == (
        "series/00000.jsonl.gz and 2 more files are missing: values are whole, what was seen over "
        "time is lost",
    )


def finish(directory: RunDirectory) -> None:
    directory.save(planned())


def leave_series(directory: RunDirectory) -> None:
    (directory.series.path / "00000.jsonl.gz").touch()


@pytest.mark.parametrize("trace", [finish, leave_series])
def test_lost_records_are_told(trace: Callable[[RunDirectory], None], tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, replace(planned(), finished=""))
    directory.trials_file.unlink()
    trace(directory)
    assert directory.contents().faults == ("trials.jsonl is missing: no trial of this run is left",)


def test_a_run_that_was_cut_before_its_first_trial_lacks_nothing(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, replace(planned(), finished=""))
    directory.trials_file.unlink()  # as versions before left it
    assert directory.contents().faults == ()


def test_series_of_a_first_trial_that_was_cut_are_no_lost_records(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path, replace(planned(), finished=""))
    leave_series(directory)
    assert directory.contents().faults == ()


def test_a_resumed_run_measures_a_damaged_line_again(tmp_path: Path) -> None:
    directory = kept(tmp_path, lines()[0] + b"{}\n" + lines()[2][:9])
    directory.repair()
    again: list[Record] = [r for r in records() if r not in directory.records()]
    for record in again:
        directory.append(record)
    assert sorted(directory.records(), key=lambda r: r.sequence) == records()
