# SPDX-License-Identifier: Apache-2.0
"""`gatemark export`, and how every reading verb tells what is not whole."""

import csv
import io
import json
import shutil
from pathlib import Path

import builder
import pytest
from command import gatemark as in_a_process
from inside import accepted, data, gatemark

from gatemark.commands.export import BINARY
from gatemark.store.directory import RunDirectory
from gatemark.tell.export.form import FORMATS, SUFFIX

BEGINNINGS = {
    "csv": "run,station,virtual,",
    "json": "[\n {\n",
    "markdown": "## Quick look",
    "prometheus": "# HELP gatemark_run_info ",
    "openmetrics": "# TYPE gatemark_run info\n",
    "junit": "<?xml ",
    "history": "time,run,station,version",
}


def kept(path: Path, name: str) -> Path:
    return builder.keep(path, builder.trials()[:30], run=name).path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept(tmp_path_factory.mktemp("kept") / "run", "first")


@pytest.fixture
def damaged(run: Path, tmp_path: Path) -> Path:
    path = tmp_path / "damaged"
    shutil.copytree(run, path)
    lines = (path / "trials.jsonl").read_bytes().splitlines(keepends=True)
    (path / "trials.jsonl").write_bytes(b"".join([*lines[:3], b"{}\n", *lines[4:]]))
    return path


def test_a_format_goes_to_stdout(run: Path) -> None:
    for name, begins in BEGINNINGS.items():
        done = gatemark("export", run, "--format", name)
        assert (done.code, done.err, done.out[: len(begins)]) == (0, "", begins)


def test_the_default_is_csv(run: Path) -> None:
    assert gatemark("export", run).out.startswith(BEGINNINGS["csv"])


def test_a_files_name_says_the_format(run: Path, tmp_path: Path) -> None:
    for suffix, name in SUFFIX.items():
        done = gatemark("export", run, "--out", tmp_path / f"a{suffix}")
        assert (done.code, done.out, done.err) == (0, "", ""), suffix
        written = (tmp_path / f"a{suffix}").read_bytes()
        assert written.startswith(BEGINNINGS.get(name, "PAR1").rstrip().encode()), suffix


def test_a_files_name_of_no_format_is_refused(run: Path, tmp_path: Path) -> None:
    for name, fix in (("a.xlsx", "a spreadsheet opens .csv"), ("a.pdf", "write .csv, .json")):
        done = gatemark("export", run, "--out", tmp_path / name)
        assert (done.code, done.out) == (2, "")
        assert fix in done.err
        assert not (tmp_path / name).exists()
    assert gatemark("export", run, "--out", tmp_path / "a.txt", "--format", "csv").code == 0


def test_parquet_goes_to_a_pipe(run: Path) -> None:
    code, out, _ = data("export", run, "--format", "parquet")
    assert (code, out[:4], out[-4:]) == (0, b"PAR1", b"PAR1")


@pytest.mark.parametrize("name", BINARY)
def test_what_is_no_text_does_not_go_to_a_terminal(name: str, run: Path) -> None:
    code, out, err = data("export", run, "--format", name, terminal=True)
    assert (code, out) == (2, b"")
    assert f"{name} is no text: name a file with --out" in err


def test_who_sits_at_a_terminal_may_name_a_file(run: Path, tmp_path: Path) -> None:
    assert data("export", run, "--out", tmp_path / "a.parquet", terminal=True) == (0, b"", "")


def test_a_file_is_replaced_whole(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "gatemark.prom"
    path.write_text("old")
    with path.open() as reader:
        gatemark("export", run, "--out", path)
        assert reader.read() == "old"
    assert path.read_text(encoding="utf-8").startswith("# HELP")
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to_and_stays(run: Path) -> None:
    done = in_a_process("export", run, "--out", "/dev/stdout")
    assert done.out == gatemark("export", run).out


def test_runs_are_told_apart_by_name_or_else_by_path(
    run: Path, damaged: Path, tmp_path: Path
) -> None:
    second = kept(tmp_path / "second", "second")
    assert names(gatemark("export", run, second).out) == {"first", "second"}
    assert names(gatemark("export", run, damaged).out) == {str(run), str(damaged)}


def names(table: str) -> set[str]:
    """The runs in a table."""
    return {row["run"] for row in csv.DictReader(io.StringIO(table))}


def test_a_run_that_is_given_twice_counts_once(run: Path) -> None:
    assert gatemark("export", run, run).out == gatemark("export", run).out


def test_records_are_given_where_asked(run: Path) -> None:
    found = json.loads(gatemark("export", run, "--raw", "--format", "json").out)
    assert [record["trial"] for record in found] == [r.trial for r in builder.trials()[:30]]


def test_a_point_is_a_row_where_asked(run: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(gatemark("export", run, "--wide").out)))
    factors = ("plan", "arm", "direction", "frame_bytes", "rate_pps")
    places = [tuple(row[name] for name in factors) for row in rows]
    assert len(set(places)) == len(places) > 1
    assert "received_pps_lo" in rows[0]


def test_a_schema_needs_no_run(tmp_path: Path) -> None:
    for kind in ("record", "run", "value"):
        done = gatemark("export", "--schema", kind, cwd=tmp_path)
        assert done.err == ""
        assert json.loads(done.out)["title"], kind


REFUSALS = (
    ("export none", "none: no run there"),
    ("export run --format cvs", "--format cvs: no such name; did you mean 'csv'?"),
    ("export run --raw --format junit", "--raw with junit: records are for csv, json, parquet"),
    ("export run --raw --out a.md", "--raw with markdown: records are for csv, json, parquet"),
    ("export run --wide --format junit", "--wide with junit: points are for csv, json, parquet"),
    ("export run --wide --raw", "--raw has a row for each trial: leave out --wide"),
    ("export run --wide --schema run", "--schema is of every run alike: leave out RUN and --wide"),
    ("export --schema plan", "--schema plan: no such name; known are"),
)


def test_a_usage_error_names_the_mend(run: Path) -> None:
    assert accepted(REFUSALS, cwd=run.parent) == {}


def test_a_file_that_cannot_be_written_is_told_in_a_line(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.csv"
    done = gatemark("export", run, "--out", path)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"gatemark: {path}: No such file or directory: name another --out\n"


def test_all_formats_are_tried_here() -> None:
    assert {*BEGINNINGS, *BINARY} == set(FORMATS) == {*SUFFIX.values(), "flent", "history"}


# --- a damaged run, in every verb that reads one


def test_what_is_not_whole_is_told_beside_the_data(damaged: Path) -> None:
    for words in ("export RUN", "show RUN", "show RUN --json", "diff RUN RUN"):
        done = gatemark(*(str(damaged) if word == "RUN" else word for word in words.split()))
        assert done.code == 0
        assert done.out
        assert set(done.err.splitlines()) == {
            f"{damaged}: line 4 of trials.jsonl cannot be read (Object missing required field "
            "`trial`): its trial counts as not measured"
        }, words


def test_cmp_tells_whose_it_is(run: Path, damaged: Path) -> None:
    done = gatemark("cmp", run, damaged)
    assert done.code == 0
    assert done.err.startswith(f"{damaged}: line 4 ")
    assert done.err.count("\n") == 1


def test_a_run_that_is_being_measured_is_read_with_a_word(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "going"
    shutil.copytree(run, path)
    with RunDirectory(path).alone():
        for verb in ("export", "show", "diff run"):
            done = gatemark(*verb.split(), path, cwd=run.parent)
            assert (done.code, done.err) == (
                0,
                f"{path}: is being measured just now; this is what it has so far\n",
            ), verb


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (b"{", "damaged (Input data was truncated): get it from a copy, or measure anew"),
        (b'{"schema": "gatemark.run/3"}', "has the newer schema gatemark.run/3: update gatemark"),
    ],
)
def test_without_what_was_asked_there_is_no_answer(
    text: bytes, printed: str, damaged: Path
) -> None:
    (damaged / "run.json").write_bytes(text)
    for verb in ("export", "show"):
        done = gatemark(verb, damaged)
        assert (done.code, done.out) == (1, "")
        assert done.err == f"gatemark: {damaged / 'run.json'}: {printed}\n"
