# SPDX-License-Identifier: Apache-2.0
"""Habits that all verbs share: how they end, when they are stopped, how wide they write."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import builder
import pytest
from command import GATEMARK, environment
from command import gatemark as in_a_process
from inside import gatemark, on_terminal
from msgspec.structs import replace

from gatemark.__main__ import STOPPED
from gatemark.commands.console.example import EXAMPLES
from gatemark.commands.console.verb import READER_GONE
from gatemark.commands.diff import REGRESSION
from gatemark.commands.measure import INVALID
from gatemark.error import UsageError
from gatemark.plan.load import load

# A job in the background is started with Ctrl-C ignored, and tests may be such a job.
SLOW = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
time.sleep(60)
"""

# Python takes its own handler away at exit: the default one would kill a command that is done.
LATE = """
import atexit, os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(lambda: print(signal.getsignal(signal.SIGINT) == signal.SIG_IGN))
from gatemark.__main__ import main
main()
"""

HELPED = ["", "lab", "station", "agent", "lab up", "lab shell", "agent build", *EXAMPLES]
MOST_LINES = 42


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, and one of a gateway of half the rate."""
    path = tmp_path_factory.mktemp("kept")
    records = [record for record in builder.trials() if record.plan != "quick/sweep"]
    builder.keep(path / "run", records)
    slower = [
        replace(r, values={name: value * 0.5 for name, value in r.values.items()})
        if r.definition.path != "direct"
        else r
        for r in records
    ]
    builder.keep(path / "slower", slower)
    return path


# --- how they end

CODES = {
    "list": 0,
    "list quick": 0,
    "list qick": 2,
    "plan quick": 0,
    "show run": 0,
    "show none": 2,
    "report run --out page.html": 0,
    "report run --out /proc/page.html": 1,
    "report none": 2,
    "diff run run": 0,
    "diff run slower": 3,
    "diff run none": 2,
    "diff run": 2,
    "cmp run slower": 0,
    "cmp run": 2,
}


def test_a_verb_ends_with_its_code(home: Path) -> None:
    answers = {words: gatemark(*words.split(), cwd=home) for words in CODES}
    assert {words: done.code for words, done in answers.items()} == CODES
    assert [words for words, done in answers.items() if "Traceback" in done.err] == []


@pytest.mark.parametrize("words", ["diff run slower", "show none", "plan quick"])
def test_a_process_ends_as_the_verb_in_it(words: str, home: Path) -> None:
    done = in_a_process(*words.split(), cwd=home)
    assert done == gatemark(*words.split(), cwd=home)
    assert done.code == CODES[words]


def test_every_code_has_a_meaning() -> None:
    codes = {0, 1, UsageError.exit_code, REGRESSION, INVALID, STOPPED, READER_GONE}
    page = (Path(__file__).parents[3] / "docs" / "start.md").read_text()
    assert {int(code) for code in re.findall(r"^\| (\d+) \| ", page, re.MULTILINE)} == codes
    spoken = (Path(__file__).parents[3] / "setup" / "man.h2m").read_text().split("[environment]")[0]
    assert {int(code) for code in re.findall(r"\b(\d+) ", spoken)} == codes


def test_rules_hold_however_it_is_started() -> None:
    words = [*GATEMARK, "show", "none", "--row", "--all"]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "gatemark: --row is Markdown alone: leave out --all\n",
    )


def test_a_disk_that_is_full_is_told_in_a_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*GATEMARK, "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment({"PYTHONUNBUFFERED": ""}),
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "gatemark: No space left on device\n")


# --- when they are stopped


@pytest.mark.parametrize("module", ["typer", "msgspec"])
def test_ctrl_c_is_one_line(module: str, tmp_path: Path) -> None:
    """Planted: a module that takes long to import, before and after the command line is read."""
    (tmp_path / f"{module}.py").write_text(SLOW)
    paths = f"{tmp_path}{os.pathsep}{environment()['PYTHONPATH']}"
    with subprocess.Popen(
        [*GATEMARK, "plan"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment({"PYTHONPATH": paths}),
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == "gatemark: stopped\n"
    assert process.returncode == 130


def test_a_ctrl_c_while_it_ends_is_too_late() -> None:
    words = [sys.executable, "-c", LATE, "plan", "quick"]
    ended = subprocess.run(words, capture_output=True, text=True, env=environment(), check=True)
    assert ended.stdout.splitlines()[-1] == "True"


# --- how wide they write


@pytest.mark.parametrize("words", ["list", "plan kofler"])
def test_a_terminal_is_not_written_past(words: str) -> None:
    assert max(map(len, on_terminal(*words.split()).splitlines())) <= 100


def test_a_pipe_has_a_line_for_each_plan() -> None:
    _, plans = load("kofler")
    lines = gatemark("list", "kofler", env={"COLUMNS": "40"}).out.splitlines()
    assert len(lines) == 2 + len(plans)
    assert plans[1].title in lines[3]


def test_list_tells_time_and_variants() -> None:
    line = gatemark("list", "wrt54").out.splitlines()[-1]
    assert line.split()[:4] == ["wrt54/paths", "38", "min", "09"]
    assert re.search(r"\[--variant short: \d+ min \d\d s\]$", line)


def test_list_of_a_plan_file_tells_its_variants(tmp_path: Path) -> None:
    text = Path(load.__code__.co_filename).parents[1] / "plans" / "wrt54" / "paths.toml"
    (tmp_path / "mine.toml").write_text(text.read_text())
    done = gatemark("list", "mine.toml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "--variant short: " in done.out


def test_list_as_json_tells_seconds() -> None:
    rows = [json.loads(line) for line in gatemark("list", "quick", "--json").out.splitlines()]
    assert all(row["seconds"] > 0 for row in rows)


def test_the_first_help_is_one_screen_of_80_by_24() -> None:
    assert len(gatemark("-h", env={"COLUMNS": "80"}).out.splitlines()) <= 24


def test_a_help_is_whole_at_80_columns() -> None:
    """No type of Python, nothing cut off, nothing wider, and short enough to be read."""
    for verb in HELPED:
        lines = gatemark(*verb.split(), "--help", env={"COLUMNS": "80"}).out.splitlines()
        assert max(map(len, lines)) <= 80, verb
        assert len(lines) <= MOST_LINES, verb
        assert not [line for line in lines[1:] if re.search(r"<\w|\w\.\.\.$|\{[A-Z]", line)]
