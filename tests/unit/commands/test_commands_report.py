# SPDX-License-Identifier: Apache-2.0
"""`gatemark report`: of one run, of several, of a folder; where each page lands."""

import json
from pathlib import Path

import builder
from inside import gatemark

from gatemark.store.directory import RunDirectory


def kept(path: Path) -> RunDirectory:
    """A run with the first of its trials: its page is small."""
    return builder.keep(path, builder.trials()[:30])


def test_of_one_run_it_lies_in_its_directory(tmp_path: Path) -> None:
    kept(tmp_path / "one")
    done = gatemark("report", "one", cwd=tmp_path)
    assert (done.code, done.out) == (0, "one/report.html\n")


def test_of_several_it_lies_here(tmp_path: Path) -> None:
    for name in ("one", "two"):
        kept(tmp_path / name)
    done = gatemark("report", "one", "two", "--json", cwd=tmp_path)
    assert json.loads(done.out) == {"page": "compared.html"}
    assert (tmp_path / "compared.html").exists()


def test_of_a_folder_it_is_an_index(tmp_path: Path) -> None:
    kept(tmp_path / "runs" / "one")
    done = gatemark("report", "runs", cwd=tmp_path)
    assert (done.code, done.out) == (0, "runs/index.html\n")
    assert (tmp_path / "runs" / "one" / "report.html").exists()


def test_what_makes_no_page_is_refused(tmp_path: Path) -> None:
    kept(tmp_path / "one")
    for words, printed in (
        ("one one", "named twice"),
        ("one nowhere", "nowhere: no run there"),
        (". --subsystems x.toml", "is a folder of runs, not a run: leave out --subsystems"),
    ):
        done = gatemark("report", *words.split(), cwd=tmp_path)
        assert (done.code, done.out, printed in done.err) == (2, "", True), done.err


def test_what_is_not_whole_is_told_beside_the_page(tmp_path: Path) -> None:
    directory = kept(tmp_path / "one")
    directory.trials_file.write_bytes(directory.trials_file.read_bytes()[:-30])
    done = gatemark("report", "one", cwd=tmp_path)
    assert done.code == 0
    assert "the last line of trials.jsonl was cut" in done.err
