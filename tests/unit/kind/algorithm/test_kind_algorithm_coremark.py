# SPDX-License-Identifier: Apache-2.0
"""CoreMark: the user's copy is as published or refused, and a run counts by its own rules."""

import shutil
from pathlib import Path

import pytest

from gatemark.error import InvalidTrialError, NodeError, UsageError
from gatemark.kind.algorithm import coremark
from gatemark.node.binary import own_arch

# Beside the repository, as it is never in it.
SOURCE = Path(__file__).resolve().parents[5] / "shared" / "data" / "coremark"
there = pytest.mark.skipif(not SOURCE.is_dir(), reason=f"no copy of CoreMark in {SOURCE}")

PRINTED = """2K performance run parameters for coremark.
Total time (secs): {seconds}
Correct operation validated. See README.md for run and reporting rules.
CoreMark 1.0 : 15836.567 / GCCClang 22.1.8 -O3 -static / Heap
"""


def test_its_own_line_is_reported() -> None:
    record = coremark._score(PRINTED.format(seconds="12.5"))
    assert record["line"] == "CoreMark 1.0 : 15836.567 / GCCClang 22.1.8 -O3 -static / Heap"
    assert 1e9 / record["ns"][0] == pytest.approx(15836.567)


def test_a_text_without_its_line_is_told() -> None:
    with pytest.raises(NodeError, match="CoreMark's score cannot be read"):
        coremark._score("Errors detected")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PRINTED.format(seconds="9.99"), "ran 9.99 s, not 10"),
        (PRINTED.format(seconds="12").replace("Correct operation validated", ""), "not validated"),
        ("", "it printed nothing"),
    ],
)
def test_a_run_against_its_rules_does_not_count(text: str, why: str) -> None:
    with pytest.raises(InvalidTrialError, match=why):
        coremark._require_valid("performance", text)


def test_a_folder_without_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no coremark\.md5 in it"):
        coremark.require(tmp_path)


@there
def test_sums_that_lack_a_file_prove_nothing(tmp_path: Path) -> None:
    copy = tmp_path / "coremark"
    shutil.copytree(SOURCE, copy)
    sums = copy / coremark.SUMS
    sums.write_text("".join(sums.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(UsageError, match=r"lacks core_list_join\.c"):
        coremark.require(copy)


@there
def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    copy = tmp_path / "coremark"
    shutil.copytree(SOURCE, copy)
    with (copy / "core_state.c").open("a") as file:
        file.write("\n")
    with pytest.raises(UsageError, match=r"core_state\.c: not as published"):
        coremark.require(copy)


@there
@pytest.mark.long
def test_it_is_built_for_this_processor() -> None:
    built = coremark.program(SOURCE, own_arch(), "O1")
    assert built.read_bytes()[:4] == b"\x7fELF"
