# SPDX-License-Identifier: Apache-2.0
"""Which run a verb takes: the newest, one by its name, `latest~N`; and what it says of that."""

from pathlib import Path

import builder
import pytest
from inside import accepted, gatemark
from msgspec.structs import replace

from gatemark.commands.runs.locate import known, located, newest, newest_with, pair
from gatemark.error import UsageError
from gatemark.store.directory import RunDirectory


def begun(path: Path, day: int, *, suite: str = "quick", station: str = "lab") -> Path:
    """A run that began on a day of November."""
    run = builder.run()
    bench = replace(run.station, name=station)
    started = f"2026-11-{day:02}T10:00:00+00:00"
    made = replace(run, started=started, suite=suite, station=bench)
    return RunDirectory.create(path, made).path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs of quick, named so that no name tells their age; one of another suite."""
    monkeypatch.chdir(tmp_path)
    begun(Path("gatemark-runs/zebra"), 1)
    begun(Path("gatemark-runs/ape"), 3)
    begun(Path("lion"), 2)
    begun(Path("gatemark-runs/other"), 4, suite="wrt54")
    return tmp_path


@pytest.mark.usefixtures("home")
def test_a_run_is_known_by_its_name() -> None:
    paths = {
        "lion": "lion",
        "gatemark-runs/ape": "gatemark-runs/ape",
        "zebra": "gatemark-runs/zebra",
        "latest": "gatemark-runs/other",
        "latest~1": "gatemark-runs/ape",
        "latest~3": "gatemark-runs/zebra",
    }
    assert {word: str(located(Path(word))) for word in paths} == paths


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("word", "printed"),
    [
        ("x/zebr", "x/zebr: no run there; did you mean 'zebra'?"),
        ("none", "none: no run there; the newest are other, ape, lion"),
        ("latest~4", "latest~4: there are only 4 runs here"),
    ],
)
def test_an_unknown_name_lists_the_nearest(word: str, printed: str) -> None:
    with pytest.raises(UsageError) as refused:
        located(Path(word))
    assert str(refused.value) == printed


@pytest.mark.usefixtures("home")
def test_a_name_of_several_runs_is_refused() -> None:
    begun(Path("more/ape"), 5)
    with pytest.raises(
        UsageError, match=r"^ape: several runs .*: more/ape, gatemark-runs/ape; give"
    ):
        located(Path("ape"))


@pytest.mark.usefixtures("home")
def test_without_a_name_the_newest_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    assert newest(None) == [Path("gatemark-runs/other")]
    assert capsys.readouterr().err == "newest run: gatemark-runs/other\n"


@pytest.mark.usefixtures("home")
def test_a_pair_is_of_one_suite_the_older_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert pair(()) == [Path("lion"), Path("gatemark-runs/ape")]
    assert capsys.readouterr().err == "old: lion\nnew: gatemark-runs/ape\n"


@pytest.mark.usefixtures("home")
def test_a_pair_of_one_gateway_has_one_station() -> None:
    begun(Path("bench"), 6, station="bench")
    assert pair(()) == [Path("lion"), Path("gatemark-runs/ape")]
    assert pair((), same_station=False) == [Path("gatemark-runs/ape"), Path("bench")]


@pytest.mark.usefixtures("home")
def test_what_cannot_be_read_or_is_no_run_is_no_newest() -> None:
    for name, text in {"broken": "{", "schema": '{"title": "A run"}'}.items():
        Path(name).mkdir()
        Path(name, "run.json").write_text(text)
    assert len(known()) == 4
    assert newest(None) == [Path("gatemark-runs/other")]


@pytest.mark.usefixtures("home")
def test_the_newest_with_a_plan_is_found() -> None:
    assert newest_with("quick/sweep") == Path("gatemark-runs/other")
    assert newest_with("cost/model") is None


def test_where_no_run_is_the_way_to_one_is_told(tmp_path: Path) -> None:
    verbs = ("show", "report", "export", "diff", "cmp")
    begins = "no run here: make one with `gatemark run`"
    assert accepted([(verb, begins) for verb in verbs], cwd=tmp_path) == {}


def test_a_verb_says_which_run_it_took(home: Path) -> None:
    done = gatemark("show", cwd=home)
    assert (done.code, done.err.splitlines()[0]) == (0, "newest run: gatemark-runs/other")
