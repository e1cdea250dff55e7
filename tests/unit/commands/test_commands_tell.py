# SPDX-License-Identifier: Apache-2.0
"""What is told: data alone on stdout, an object a line where asked, colour only on a terminal."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import builder
import inside
import msgspec
import needs
import pytest
from command import GATEMARK, Done, environment, on_terminal
from command import gatemark as in_a_process
from inside import gatemark

import gatemark as package
from gatemark.commands.console.verb import READER_GONE
from gatemark.plan.load import load, suites
from gatemark.station.load import stations
from gatemark.store.directory import RunDirectory

ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[[0-9;]*[3489][0-7][0-9;]*m")
HEAVY = ("pyroute2", "duckdb", "altair", "rich.console", "scipy", "numpy", "pandas")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return builder.keep(tmp_path_factory.mktemp("kept") / "run").path


def rows(done: Done) -> list[dict[str, Any]]:
    assert (done.code, done.err) == (0, "")
    return [json.loads(line) for line in done.out.splitlines()]


def test_list_names_every_suite_and_plan() -> None:
    names = [line.split()[0] for line in gatemark("list").out.splitlines()[1:]]
    wanted = [n for s in suites() for n in (s, *(plan.name for plan in load(s)[1]))]
    assert names == wanted


def test_list_as_json_has_a_line_for_each_plan() -> None:
    found = [row["plan"] for row in rows(gatemark("list", "--json"))]
    assert found == [plan.name for suite in suites() for plan in load(suite)[1]]


def test_plan_tells_how_many_trials_and_how_long() -> None:
    done = gatemark("plan", "quick/tcp", "--set", "repeat.times=3")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^6 trials, about \d+ s$", done.out, re.MULTILINE)


def test_plan_lists_and_counts_warm_up_trials() -> None:
    done = gatemark("plan", "quick/tcp", "--set=repeat.times=3", "--set=repeat.warmup=1")
    assert "1 warm-up + 3" in done.out
    assert re.search(r"^8 trials, about \d+ s$", done.out, re.MULTILINE)


def test_plan_of_another_station_is_what_that_can_measure() -> None:
    done = gatemark("plan", "quick/sweep", "--station", "qemu-x86")
    assert "the variant `full-speed` is measured" in done.out
    last = "Which arms qemu-x86 would skip is told as a run on it begins: nothing is set now.\n"
    assert done.out.endswith(last)


def test_plan_as_json_has_a_line_for_each_trial() -> None:
    found = rows(gatemark("plan", "quick", "--json"))
    assert len({row["trial"] for row in found}) == len(found)
    assert {row["plan"] for row in found} == {plan.name for plan in load("quick")[1]}


def test_a_setting_shows_in_the_plan() -> None:
    found = rows(gatemark("plan", "sweep", "--set", "sweep.rate_pps=[7, 9]", "--json"))
    assert {row["workload"]["rate_pps"] for row in found} == {7, 9}


def test_a_text_needs_no_quotes() -> None:
    found = rows(gatemark("plan", "tcp", "--set", "workload.direction=both", "--json"))
    assert {row["workload"]["direction"] for row in found} == {"both"}


def test_every_station_that_ships_is_listed_with_what_it_is() -> None:
    listed = rows(gatemark("station", "list", "--json"))
    assert [row["station"] for row in listed] == stations()
    assert all(row["what"] for row in listed)
    table = gatemark("station", "list").out.splitlines()
    assert [line.split()[0] for line in table[1:]] == stations()


def test_a_check_of_no_station_names_those_that_ship() -> None:
    done = gatemark("station", "check")
    assert (done.code, done.err) == (
        2,
        f"gatemark: STATION is missing: a file NAME.toml, or {', '.join(stations())}\n",
    )


def test_show_tells_the_answer(run: Path) -> None:
    done = gatemark("show", run)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"routes 30\.\d+ k packets/s", done.out)
    assert str(run) in done.out
    assert ESCAPE not in done.out


def test_show_as_json_has_the_keys_of_a_value(run: Path) -> None:
    words = "plan point setup quantity value lo hi unit n definition limit warnings"
    found = rows(gatemark("show", run, "--json"))
    assert found
    assert all(set(words.split()) <= row.keys() for row in found)


def test_a_cut_run_can_be_shown(tmp_path: Path) -> None:
    RunDirectory.create(tmp_path / "run", msgspec.structs.replace(builder.run(), finished=""))
    done = gatemark("show", tmp_path / "run")
    assert (done.code, done.err) == (0, "")


def test_doctor_tells_a_row_for_each_ability(monkeypatch: pytest.MonkeyPatch) -> None:
    from gatemark.run.preflight import refusal
    from gatemark.station import doctor, own

    needs.two_cpus()
    feature = doctor.Finding("feature shape", ok=False, text="cake: no such queue", needed=False)
    monkeypatch.setattr(own, "enter", lambda: None)
    monkeypatch.setattr(refusal, "features", lambda: [feature])
    done = gatemark("doctor")
    assert done.err == ""
    abilities, last = done.out.split("\n\n")
    assert {line.split()[0] for line in abilities.splitlines()} <= {"ok", "NO", "no"}
    (row,) = (line for line in abilities.splitlines() if "feature" in line)
    assert row.split(maxsplit=3) == ["no", "feature", "shape", "cake: no such queue"]
    assert last.startswith("can run ")


@pytest.mark.parametrize(("needed", "code", "mark"), [(True, 1, "NO"), (False, 0, "no")])
def test_doctor_fails_where_the_lab_cannot_work(
    needed: bool, code: int, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gatemark.run.preflight import reach, refusal
    from gatemark.station import doctor, own

    missing = doctor.Finding("nft", ok=False, text="missing", fix="get it", needed=needed)
    monkeypatch.setattr(own, "enter", lambda: None)
    monkeypatch.setattr(doctor, "examine", lambda _: [missing])
    monkeypatch.setattr(refusal, "features", list)
    monkeypatch.setattr(reach, "reach", lambda _: [])
    done = gatemark("doctor")
    assert done.code == code
    assert done.out.splitlines()[0].split(maxsplit=2) == [mark, "nft", "missing: get it"]


def test_lab_status_as_json_is_data_alone() -> None:
    rows(in_a_process("lab", "status", "--json"))


def test_the_version_is_told() -> None:
    assert gatemark("--version") == Done(0, f"gatemark {package.__version__}\n", "")


def test_help_goes_to_stdout() -> None:
    for words in ("-h", "--help", "run -h", "lab -h", "agent build -h"):
        done = gatemark(*words.split())
        assert (done.code, done.err) == (0, ""), words
        assert done.out.lstrip().startswith("Usage: "), words


def test_the_verbs_are_those_of_the_design() -> None:
    verbs = gatemark("--help").out.split("Commands:")[1]
    named = re.findall(r"^  .{8} ([a-z]+)  ", verbs, re.MULTILINE)
    later = {"export", "diff", "cmp", "rank", "fit", "ab", "station", "campaign", "coverage"}
    later |= {"price", "tune", "verdict"}
    rarely = re.search(r"^  Rarely +([a-z, ]+):", verbs, re.MULTILINE)
    assert rarely
    assert {*named, *rarely[1].split(", ")} - later == {
        *(
            "run",
            "list",
            "plan",
            "show",
            "explain",
            "report",
            "doctor",
            "lab",
            "agent",
            "capture",
            "classifier",
        )
    }


# --- streams


@pytest.mark.parametrize("words", ["list", "show RUN"])
def test_a_reader_that_goes_away_is_nothing_to_tell(words: str, run: Path) -> None:
    command = [*GATEMARK, *words.replace("RUN", str(run)).split()]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()  # before the first line: every write fails
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == READER_GONE


def test_a_terminal_gets_colour(run: Path) -> None:
    assert ESCAPE in on_terminal("show", run, env={"NO_COLOR": ""})


def test_no_color_takes_the_colour_away(run: Path) -> None:
    assert not COLOUR.search(inside.on_terminal("show", run, env={"NO_COLOR": "1"}))


# --- starting


def test_the_command_line_starts_without_what_is_heavy() -> None:
    code = "import sys, gatemark.commands.app; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    assert {*HEAVY} & {*loaded.stdout.split()} == set()


@pytest.mark.parametrize("words", [["show", "--help"], ["list", "quick"], ["lab", "up", "--help"]])
def test_a_verb_starts_without_the_others(words: list[str]) -> None:
    code = (
        "import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from gatemark.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, *words]
    loaded = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    others = {"gatemark.commands.classifier", "gatemark.commands.campaign.app", "pydantic"}
    assert others & {*loaded.stderr.split()} == set()
