# SPDX-License-Identifier: Apache-2.0
"""The answer that is kept beside the records: the same text and data as judging anew, or none."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import builder
import counted
import msgspec
import pytest
import stacked
import studies
import traveled
from inside import gatemark, on_terminal

from gatemark import edition
from gatemark.commands.runs import reading
from gatemark.judge.values import values
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.tell import terminal
from gatemark.tell.group import source
from gatemark.tell.group.kept import JUDGED
from gatemark.tell.transcript import NAME

RUNS: dict[str, Callable[[], tuple[Run, Sequence[Record]]]] = {
    "sweeps": lambda: (builder.run(), builder.trials()),
    "ladders": lambda: (stacked.run(stacked.trials()), stacked.trials()),
    "instructions": lambda: (counted.run(counted.trials()), counted.trials()),
    "paths": lambda: (traveled.run(traveled.trials()), traveled.trials()),
    "studies": lambda: (studies.run(), studies.trials()),
}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return finished(tmp_path / "run", builder.run(), builder.trials())


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The runs that were judged."""
    folders: list[Path] = []
    judge = source.judged

    def noted(contents: object, folder: Path, *words: object, **more: object) -> source.Source:
        folders.append(folder)
        return judge(contents, folder, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(source, "judged", noted)
    return folders


def finished(path: Path, made: Run, records: Sequence[Record]) -> Path:
    """A run on disk with nothing missing and no series named."""
    kept = [msgspec.structs.replace(record, series="") for record in records]
    done = {record.trial for record in kept}
    trials = tuple(spec for spec in made.trials if spec.trial in done)
    fields = {name: getattr(made, name) for name in made.__struct_fields__}
    return builder.keep(path, kept, **fields | {"trials": trials}).path


@pytest.mark.parametrize("name", RUNS)
def test_what_is_kept_is_what_judging_tells(name: str, judged: list[Path], tmp_path: Path) -> None:
    path = finished(tmp_path / "run", *RUNS[name]())
    anew = source.judged(reading.read(path), path, drawn=False)
    data = msgspec.to_builtins([*values(anew.judgement), *anew.judgement.refusals])
    gatemark("show", path)
    judged.clear()
    assert gatemark("show", path).out == terminal.answer(anew, None)
    assert gatemark("show", path, "--all").out == terminal.answer(anew, None, whole=True)
    rows = [json.loads(line) for line in gatemark("show", path, "--json").out.splitlines()]
    assert rows == json.loads(json.dumps(data))
    assert judged == []


def test_a_terminal_has_the_same_from_what_is_kept(run: Path, judged: list[Path]) -> None:
    narrow, wide = {"COLUMNS": "60"}, {"COLUMNS": "200"}
    first = on_terminal("show", run, "--all", env=narrow)
    assert on_terminal("show", run, "--all", env=narrow) == first
    assert on_terminal("show", run, "--all", env=wide) != first
    assert judged == [run]


def test_a_new_record_is_judged(run: Path, judged: list[Path]) -> None:
    gatemark("show", run)
    with (run / "trials.jsonl").open("ab") as file:
        file.write(b"{}\n")
    gatemark("show", run)
    assert judged == [run, run]


def test_another_program_judges_anew(
    run: Path, judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    gatemark("show", run)
    monkeypatch.setattr("gatemark.__version__", "9.9.9")
    edition.edition.cache_clear()
    gatemark("show", run)
    gatemark("show", run)
    assert judged == [run, run]


def test_a_changed_rule_is_another_edition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edition, "PACKAGE", str(tmp_path))
    rule = tmp_path / "judge" / "judge.py"
    rule.parent.mkdir()
    rule.write_text("LEAST = 1\n")
    digest = edition.edition.__wrapped__
    before = digest()
    rule.write_text("LEAST = 2\n")
    assert digest() != before


def test_a_process_keeps_the_edition_that_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = edition.edition()
    monkeypatch.setattr(edition, "PACKAGE", str(tmp_path))
    assert edition.edition() == before


def test_the_path_and_the_page_that_it_names_are_its_own(run: Path, judged: list[Path]) -> None:
    gatemark("show", run)
    (run / "report.html").write_text("a page")
    assert f"page: {run}/report.html" in gatemark("show", run).out
    run.rename(run.with_name("moved"))
    assert "moved" in gatemark("show", run.with_name("moved")).out
    assert len(judged) == 3


@pytest.mark.parametrize("text", ["", "{}", "[]", "\0", '{"key": 1}', "[" * 100_000, None])
def test_what_is_damaged_is_made_anew(text: str | None, run: Path) -> None:
    first = gatemark("show", run)
    whole = (run / NAME).read_bytes()
    ragged = whole.decode().replace('"rows":[[', '"rows":[["",', 1)
    (run / NAME).write_text(ragged if text is None else text)
    assert gatemark("show", run) == first
    assert (run / NAME).read_bytes() == whole


@pytest.mark.parametrize("text", ["", "{}", "\0", '{"key": 1}', "[" * 100_000])
def test_a_judgement_that_is_damaged_is_made_anew(text: str, run: Path) -> None:
    first = gatemark("show", run)
    whole = (run / JUDGED).read_bytes()
    (run / NAME).unlink()
    (run / JUDGED).write_text(text)
    assert gatemark("show", run) == first
    assert (run / JUDGED).read_bytes() == whole


def test_a_sentence_that_a_stranger_planted_steers_no_terminal(run: Path) -> None:
    gatemark("show", run)
    (run / NAME).unlink()
    planted = (run / JUDGED).read_text().replace('"sentence":"', '"sentence":"\\u001b[2J')
    (run / JUDGED).write_text(planted)
    out = gatemark("show", run).out
    assert "\x1b[2J" not in out
    assert "\\x1b[2J" in out


def test_a_link_in_its_place_is_left_alone(run: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (run / NAME).symlink_to(tmp_path / "mine")
    assert gatemark("show", run).code == 0
    assert (tmp_path / "mine").read_text() == "mine"


def test_nothing_is_written_into_another_users_folder(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: run.stat().st_uid + 1)
    assert gatemark("show", run).code == 0
    assert not (run / NAME).exists()


def test_a_folder_that_may_not_be_written_is_told_of(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("gatemark.store.folder.Folder.write", refuse)
    done = gatemark("show", run)
    assert (done.code, done.err) == (0, "")


def test_a_run_that_is_not_at_its_end_is_not_kept(tmp_path: Path) -> None:
    path = builder.keep(tmp_path / "run", builder.trials()[:5]).path
    gatemark("show", path)
    assert not (path / NAME).exists()


def test_a_folder_may_be_named_by_any_bytes(tmp_path: Path) -> None:
    path = finished(tmp_path / os.fsdecode(b"a\xff"), builder.run(), builder.trials())
    first = gatemark("show", path)
    assert (first.code, first.err) == (0, "")
    assert (path / NAME).exists()
    assert gatemark("show", path) == first


def test_what_would_steer_a_terminal_is_shown(run: Path) -> None:
    """Planted by a stranger, who knows the key."""
    gatemark("show", run)
    text = (run / NAME).read_text().replace('["bold","', '["bold","\\u001b[2J')
    (run / NAME).write_text(text)
    assert "\x1b[2J" not in gatemark("show", run).out
    assert "\\x1b[2J" in gatemark("show", run).out


@pytest.mark.parametrize("style", ["blink", "bold red"])
def test_a_strangers_style_is_none(style: str, run: Path) -> None:
    gatemark("show", run)
    (run / NAME).write_text((run / NAME).read_text().replace('["bold",', f'["{style}",'))
    assert "Traceback" not in on_terminal("show", run)


def test_all_data_has_warnings_and_tables_behind_the_values(run: Path) -> None:
    some = gatemark("show", run, "--json").out
    whole = gatemark("show", run, "--json", "--all").out
    assert whole.startswith(some)
    more = [json.loads(line) for line in whole.removeprefix(some).splitlines()]
    assert {"warning", "where", "seen", "advice"} in [set(row) for row in more]
    tables = [row for row in more if "table" in row]
    assert {len(row) for table in tables for row in table["rows"]} >= {len(tables[0]["head"])}
