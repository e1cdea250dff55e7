# SPDX-License-Identifier: Apache-2.0
"""The plugin's file, as its reader sees it: laid out as counter/table.h has it."""

from array import array
from pathlib import Path

import pytest
from counts import counts

from gatemark.error import StationError
from gatemark.station.counter import HEAD, HEAD_BYTES, Block, Counter, changed


def test_the_total_is_read(tmp_path: Path) -> None:
    assert Counter(counts(tmp_path)).total == 17


def test_runs_are_those_of_used_slots(tmp_path: Path) -> None:
    assert list(Counter(counts(tmp_path)).runs()) == [3, 1]


def test_a_slot_holds_its_block(tmp_path: Path) -> None:
    assert Counter(counts(tmp_path)).block(1) == Block(0x80000020, 2)


def test_a_window_is_open_and_then_closed(tmp_path: Path) -> None:
    file = counts(tmp_path)
    at = 8 * (1 + HEAD.index("open"))
    with Counter(file).window():
        opened = file.read_bytes()[at]
    assert (opened, file.read_bytes()[at]) == (1, 0)


def test_the_path_is_what_passed(tmp_path: Path) -> None:
    assert Counter(counts(tmp_path, passed=3)).path() == [0, 1, 0]


def test_a_path_that_was_not_kept_whole_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StationError, match="5 blocks ran in the window, which holds 4"):
        Counter(counts(tmp_path, passed=5)).path()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    file.write_bytes(b"\0" * HEAD_BYTES)
    with pytest.raises(StationError, match="is no file of the plugin's"):
        Counter(file)


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StationError, match="instructions are not counted"):
        Counter(tmp_path / "counts")


def test_what_ran_between_two_readings() -> None:
    assert changed(array("Q", [3, 1, 4]), array("Q", [3, 2, 4, 9, 0])) == {1: 1, 3: 9}


def test_programs_are_what_is_below_the_kernel(tmp_path: Path) -> None:
    blocks = [(0, 5, 3), (0x80000020, 2, 7), (0, 4, 1)]
    assert Counter(counts(tmp_path, blocks)).programs == 19
