# SPDX-License-Identifier: Apache-2.0
"""`gatemark explain`: a word of an answer, with what the newest run has of it."""

import json
from pathlib import Path

import builder
import msgspec
import pytest
from inside import gatemark

from gatemark.commands.app import app
from gatemark.commands.console.complete import candidates
from gatemark.store.directory import RunDirectory
from gatemark.tell.explain.entry import KINDS, Entry, entries

ORDER = ("Knee: quantity", "formula", "fooled by", "newest run", "\ntype ", "\nmore ")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one run."""
    builder.keep(tmp_path / "gatemark-runs" / "first")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("run")
def test_a_quantity_is_told_with_its_trials() -> None:
    done = gatemark("explain", "knee")
    assert (done.code, done.err) == (0, "")
    places = [done.out.index(heading) for heading in ORDER]
    assert places == sorted(places)
    assert "first: received_pps in " in done.out
    assert "/outside" in done.out


@pytest.mark.usefixtures("run")
def test_all_of_it_is_the_whole_page_and_every_point() -> None:
    brief, whole = gatemark("explain", "knee").out, gatemark("explain", "knee", "--all").out
    assert whole.count("/outside") > brief.count("/outside")
    assert "No standard defines a knee" in whole


@pytest.mark.usefixtures("run")
def test_a_name_of_the_data_has_its_own_values() -> None:
    assert "first: delay_p99_ns at " in gatemark("explain", "delay_p99_ns").out
    assert "first: delay_p99_ns at " in gatemark("explain", "p99").out


@pytest.mark.usefixtures("run")
def test_a_term_has_no_trials() -> None:
    done = gatemark("explain", "small frames")
    assert done.out.startswith("Frame length: term\n")
    assert "newest run" not in done.out


def test_a_run_that_has_measured_nothing_is_passed_over(run: Path) -> None:
    made = builder.run()
    later = msgspec.structs.replace(made, started="2099-01-01T00:00:00+00:00")
    RunDirectory.create(run / "gatemark-runs" / "later", later)
    assert "first: delay_p50_ns at " in gatemark("explain", "delay").out


@pytest.mark.usefixtures("run")
def test_a_bottleneck_has_its_evidence() -> None:
    done = gatemark("explain", "cpu", "--json")
    told = json.loads(done.out)
    assert (done.code, told["kind"], told["run"]) == (0, "bottleneck", "first")
    assert all(point["why"] and point["trials"] for point in told["points"])
    assert told["points"]


@pytest.mark.usefixtures("run")
def test_what_the_run_does_not_have_is_said() -> None:
    assert "first: none of its trials is about this" in gatemark("explain", "mos").out


@pytest.mark.usefixtures("empty")
def test_without_a_run_that_is_said() -> None:
    done = gatemark("explain", "knee")
    assert done.code == 0
    assert "no run here: make one with `gatemark run`" in done.out


def test_a_run_before_its_first_trial_has_nothing(run: Path) -> None:
    (run / "gatemark-runs" / "first" / "trials.jsonl").unlink()
    assert "none of its trials is about this" in gatemark("explain", "knee").out


def test_a_line_that_was_cut_is_left_out(run: Path) -> None:
    trials = run / "gatemark-runs" / "first" / "trials.jsonl"
    trials.write_bytes(trials.read_bytes() + b'{"schema":"gatemark.rec')
    assert "first: received_pps in " in gatemark("explain", "knee").out


@pytest.mark.usefixtures("empty")
def test_a_misspelt_word_is_a_usage_error() -> None:
    done = gatemark("explain", "nee")
    assert (done.code, done.out) == (2, "")
    assert "did you mean 'knee'" in done.err


@pytest.mark.usefixtures("empty")
def test_without_a_word_all_are_listed_by_kind() -> None:
    out = gatemark("explain").out
    heads = [line.split()[0] for line in out.splitlines() if line[0] != " "]
    assert heads == [*KINDS, "page"]
    assert [entry.word for entry in entries() if entry.word not in out] == []


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("word", ["docs/files.md", "files"])
def test_a_document_is_printed_without_its_links(word: str) -> None:
    done = gatemark("explain", word)
    assert (done.code, done.out.splitlines()[0]) == (0, "# Files of other people")
    assert "](" not in done.out
    assert "<!--" not in gatemark("explain", "docs/start.md").out
    assert "gm-algorithms [explain docs/algorithms.md]" in done.out


@pytest.mark.usefixtures("empty")
def test_the_list_as_data_has_a_line_for_each_word() -> None:
    rows = [json.loads(line) for line in gatemark("explain", "--json").out.splitlines()]
    assert [row["word"] for row in rows] == [entry.word for entry in entries()]


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.word)
def test_every_page_is_reached_by_its_word(entry: Entry) -> None:
    word = entry.word
    assert json.loads(gatemark("explain", word, "--json").out)["word"] == word


def test_a_word_is_completed() -> None:
    assert [word for word, _ in candidates(app, ["explain", "knee"])] == [
        "knee",
        "knee_pps",
        "knee_l1_bps",
    ]
    assert "jitter" in [word for word, _ in candidates(app, ["explain", "ji"])]
