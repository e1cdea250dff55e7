# SPDX-License-Identifier: Apache-2.0
"""`gatemark report`: of one run, of several, of a folder; where each page lands."""

import json
from pathlib import Path

import builder
import pytest
from command import gatemark


def test_of_one_run_it_lies_in_its_directory(tmp_path: Path) -> None:
    builder.keep(tmp_path / "one")
    done = gatemark("report", "one", cwd=tmp_path)
    assert (done.code, done.out) == (0, "one/report.html\n")


def test_of_several_it_lies_here(tmp_path: Path) -> None:
    for name in ("one", "two"):
        builder.keep(tmp_path / name)
    done = gatemark("report", "one", "two", "--json", cwd=tmp_path)
    assert json.loads(done.out) == {"page": "compared.html"}
    assert (tmp_path / "compared.html").exists()


def test_of_a_folder_it_is_an_index(tmp_path: Path) -> None:
    builder.keep(tmp_path / "runs" / "one")
    done = gatemark("report", "runs", cwd=tmp_path)
    assert (done.code, done.out) == (0, "runs/index.html\n")
    assert (tmp_path / "runs" / "one" / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["one", "one"], "named twice"),
        (["one", "nowhere"], "nowhere: no run there"),
        ([".", "--subsystems", "x.toml"], "is a folder of runs, not a run: leave out --subsystems"),
    ],
)
def test_what_makes_no_page_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    builder.keep(tmp_path / "one")
    done = gatemark("report", *words, cwd=tmp_path)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_what_is_not_whole_is_told_beside_the_page(tmp_path: Path) -> None:
    kept = builder.keep(tmp_path / "one")
    kept.trials_file.write_bytes(kept.trials_file.read_bytes()[:-30])
    done = gatemark("report", "one", cwd=tmp_path)
    assert done.code == 0
    assert "the last line of trials.jsonl was cut" in done.err
