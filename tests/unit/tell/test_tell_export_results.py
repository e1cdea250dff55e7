# SPDX-License-Identifier: Apache-2.0
"""`gatemark.read`: a run for a program in Python."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace as replace_fields
from pathlib import Path
from types import ModuleType
from typing import Any

import builder
import pytest
from msgspec.structs import replace

import gatemark
from gatemark.error import GatemarkError, UnavailableError, UsageError
from gatemark.judge.values import values
from gatemark.store.record import Record
from gatemark.tell.export import form
from gatemark.tell.export.results import Results
from gatemark.tell.sentence.answer import answered

ROWS: tuple[form.Rows, ...] = ("values", "points", "records")


def kept() -> list[Record]:
    return builder.trials()[:30]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return builder.keep(tmp_path_factory.mktemp("kept") / "run", kept(), run="first").path


@pytest.fixture
def frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pandas that keeps its columns: no library of frames is among what tests install."""
    pandas = ModuleType("pandas")
    pandas.__dict__["DataFrame"] = dict
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    monkeypatch.setattr("gatemark.tell.export.results.find_spec", lambda name: name == "pandas")


@pytest.fixture
def no_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatemark.tell.export.results.find_spec", lambda _: None)


def test_a_run_has_its_records_and_its_values(run: Path) -> None:
    first = gatemark.read(run)
    assert first.run.run == "first"
    assert [record.trial for record in first.records] == [record.trial for record in kept()]
    judgement = answered(first.run, kept())
    assert first.values == values(judgement)


def test_a_path_may_be_words(run: Path) -> None:
    assert gatemark.read(str(run)).run == gatemark.read(run).run


def test_what_is_not_whole_is_told(run: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes((run / "run.json").read_bytes())
    lines = (run / "trials.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "trials.jsonl").write_bytes(b"".join([b"{}\n", *lines[1:]]))
    (fault,) = gatemark.read(tmp_path).faults
    assert fault.startswith("line 1 of trials.jsonl cannot be read")


def test_a_cell_of_a_notebook_is_short(run: Path) -> None:
    first = gatemark.read(run)
    sentence = first.source.judgement.sentence
    assert repr(first) == f"<first: {len(kept())} trials, {len(first.values)} values: {sentence}>"


def test_a_notebook_shows_the_answer_and_takes_no_markup(run: Path) -> None:
    first = gatemark.read(run)
    strange = replace(first.source.judgement, sentence="<i>&")
    shown = replace_fields(first, source=replace_fields(first.source, judgement=strange))
    page = shown._repr_html_()
    assert "\n<b>&lt;i&gt;&amp;</b>\n" in page
    assert "monospace" in page  # a notebook gives `pre` the font of its words


def test_no_run_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(GatemarkError, match=f"^{tmp_path}: no run there"):
        gatemark.read(tmp_path)


@pytest.mark.usefixtures("frames")
def test_a_frame_has_the_columns_of_the_export(run: Path) -> None:
    first: Results = gatemark.read(run)
    for rows in ROWS:
        made: Mapping[str, Any] = first.frame(rows)
        head = form.export("csv", [first.source], rows).decode().split("\r\n")[0]
        assert list(made) == head.split(","), rows


@pytest.mark.usefixtures("frames")
def test_a_frame_has_every_digit_and_times(run: Path) -> None:
    first = gatemark.read(run)
    made = first.frame()
    assert made["value"] == [value.value for value in first.values]
    assert str(made["started"][0]) == "2026-11-21 16:15:00+00:00"


@pytest.mark.usefixtures("no_frames")
def test_without_a_library_of_frames_the_error_names_both(run: Path) -> None:
    with pytest.raises(UnavailableError, match="needs pandas or Polars: pip install pandas"):
        gatemark.read(run).frame()


def test_unknown_rows_are_refused(run: Path) -> None:
    rows: Any = "trials"
    with pytest.raises(UsageError, match="rows='trials': name values, points, records"):
        gatemark.read(run).frame(rows)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_real_frame_has_types(run: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(library)
    monkeypatch.setattr("gatemark.tell.export.results.find_spec", lambda name: name == library)
    made = gatemark.read(run).frame("points")
    kinds = {name: str(made[name].dtype).lower() for name in ("started", "n", "received_pps")}
    assert kinds["started"].startswith("datetime")
    assert (kinds["n"], kinds["received_pps"]) == ("int64", "float64")


def test_importing_the_package_loads_nothing_of_the_laboratory() -> None:
    code = "import sys, gatemark; print([m for m in sys.modules if m.startswith('gatemark.')])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "[]\n"
