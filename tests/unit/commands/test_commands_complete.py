# SPDX-License-Identifier: Apache-2.0
"""What Tab offers, asked of gatemark and of the shells themselves."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import GATEMARK, environment
from inside import gatemark
from typer.core import TyperGroup
from typer.main import get_command

from gatemark.commands.app import SHELLS, app
from gatemark.commands.console.complete import candidates
from gatemark.commands.console.parameter import WORDS
from gatemark.plan.load import load, suites

# A number, a file, any words.
FREE = {
    *("seed", "noise", "out", "junit", "slow_to_pps", "command", "config", "line"),
    *("switch", "boots", "allow", "clock", "subsystems", "coremark", "sources"),
    *("filter_", "snaplen", "seconds", "packets"),
    *("file", "folder", "to", "markdown", "from_", "model", "point", "most"),
    *("address", "client", "rules", "lan", "wan", "lan_nic", "wan_nic", "key", "known_hosts"),
    *("manifest", "attributes", "window", "depth", "leaves", "least", "priority"),
    *("where", "shape", "queue", "step", "keys", "arch", "sha256", "docs", "axis"),
}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two runs and a folder that is none."""
    for name in ("gatemark-runs/20260101-quick", "my run", "other"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("gatemark-runs/20260101-quick", "my run"):
        (tmp_path / name / "run.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def offered(*words: str) -> list[str]:
    return [value for value, _ in candidates(app, words)]


def test_suites_and_plans_come_with_their_titles() -> None:
    wanted = dict(candidates(app, ["run", ""]))
    for suite, plans in map(load, suites()):
        assert wanted[suite.name] == suite.title
        assert {plan.name: plan.title for plan in plans}.items() <= wanted.items()


COMPLETED: tuple[tuple[str, list[str]], ...] = (
    ("ru", ["run"]),
    ("lab u", ["up"]),
    ("lab up --path n", ["nat"]),
    ("lab up --path=n", ["--path=nat"]),
    ("lab up --path = n", ["nat"]),  # as bash cuts it
    ("lab up --path =", ["switch", "route", "nat"]),
    ("lab shell gat", ["gateway"]),
    ("lab shell gateway -- n", []),
    ("run quick/sw", ["quick/sweep"]),
    ("run --st", ["--station"]),
    ("run --station l", ["lab"]),
    ("run --json quick/t", ["quick/tcp"]),
    ("run wrt54 --variant s", ["short"]),
    ("run cost/ab --variant s", []),
    ("plan quick/sweep --set repeat.ti", ["repeat.times="]),
    ("plan quick/sweep --set repeat.times=", ["repeat.times=6"]),
    ("plan quick/sweep --set repeat.times =", ["6"]),
    ("plan quick/sweep --set workload.rate_p", []),  # swept: sweep.rate_pps
    ("plan quick/sweep --set sweep.rate_p", ["sweep.rate_pps="]),
    ("agent build --target mipse", ["mipsel"]),
    ("ab n", ["nat", "netns"]),
    ("ab nat nat+fil", ["nat+filter:"]),
    ("diff a b --across frame_b", ["frame_bytes"]),
    ("diff a b --quantity kn", ["knee_pps"]),
    ("fit --setup r", ["route"]),
    ("fit --setup nat+fil", ["nat+filter:"]),
    ("frobnicate ", []),
)


def test_a_word_is_completed() -> None:
    answers = {words: offered(*words.split(" ")) for words, _ in COMPLETED}
    assert answers == dict(COMPLETED)


def test_a_half_typed_line_that_fails_offers_nothing() -> None:
    done = gatemark("run", "no-such-plan", "--variant", "s", env={"GATEMARK_COMPLETE": "bash"})
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.usefixtures("runs")
def test_directories_that_hold_a_run_are_offered() -> None:
    verbs = ("show", "report", "diff", "diff a", "cmp a b", "run --resume")
    wanted = ["my run", "gatemark-runs/20260101-quick"]
    assert {words: offered(*words.split(), "") for words in verbs} == dict.fromkeys(verbs, wanted)


def test_a_run_below_a_typed_folder_is_offered_as_typed(runs: Path) -> None:
    assert offered("show", "./m") == ["./my run"]
    assert offered("show", f"{runs}/m") == [f"{runs}/my run"]


def test_every_parameter_with_a_value_is_known() -> None:
    verbs = [get_command(app)]
    for verb in verbs:
        verbs += verb.commands.values() if isinstance(verb, TyperGroup) else ()
    params = {one.name for verb in verbs for one in verb.params if not getattr(one, "is_flag", 0)}
    assert params - set(WORDS) <= FREE


def test_it_answers_without_what_is_slow() -> None:
    code = (
        "import sys; sys.argv[1:] = ['run', '']; from gatemark.__main__ import main; main();"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment({"GATEMARK_COMPLETE": "bash"}),
        capture_output=True,
        text=True,
        check=True,
    )
    slow = {"pydantic", "rich.console", "pyroute2", "duckdb", "altair", "jinja2"}
    assert "quick/sweep" in done.stdout
    assert slow & {*done.stderr.split()} == set()


def test_the_script_is_printed() -> None:
    for shell in SHELLS:
        done = gatemark("--completion", shell)
        assert (done.code, done.err) == (0, "")
        assert "GATEMARK_COMPLETE" in done.out, shell


# --- the shells

BASH = """\
set -u
eval "$(gatemark --completion bash)"
ask() {{
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _gatemark gatemark 2>/dev/null
    printf '%s\\n' "${{COMPREPLY[@]}}"
    echo .
}}
{asked}
"""
FISH = "gatemark --completion fish | source; complete -C {line}"
ZSH = """\
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=ASK; COLUMNS=200; autoload -U compinit; compinit -u -D'
zpty -w z 'eval "$(gatemark --completion zsh)"; bindkey "^D" list-choices; print REA""DY'
zpty -r -m z seen '*READY*ASK*'
zpty -n -w z {line}$'\\C-d'
zpty -r -m z seen {until}
print -r -- $seen
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A PATH in which `gatemark` is the one under test."""
    command = tmp_path / "bin" / "gatemark"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {" ".join(GATEMARK)} "$@"\n')
    command.chmod(0o755)
    return f"{command.parent}:/usr/bin:/bin"


def ask(shell: str, script: str, path: str) -> str:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    done = subprocess.run(
        [shell, "-c", script],
        env=environment({"PATH": path, "HOME": str(Path(path.partition(":")[0]).parent)}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


@pytest.mark.usefixtures("runs")
def test_bash_completes(path: str) -> None:
    answers = {
        "gatemark run wrt54 --variant = sh": "short",
        "gatemark show ''": "my\\ run\ngatemark-runs/20260101-quick",
        "gatemark run quick --set repeat.tw": "repeat.twin=",
        "gatemark lab shell lan -- l": "",
    }
    script = BASH.format(asked="\n".join(f"ask {words}" for words in answers))
    printed = ask("bash", script, path).split("\n.\n")
    assert dict(zip(answers, printed, strict=False)) == answers


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("gatemark run wrt54 --variant=sh", "--variant=short\tTCP and UDP bridged"),
        ("gatemark show m", "my run"),
        ("gatemark show oth", "other/"),
    ],
)
@pytest.mark.long
@pytest.mark.usefixtures("runs")
def test_fish_completes(line: str, found: str, path: str) -> None:
    assert ask("fish", FISH.format(line=f"'{line}'"), path).startswith(found)


@pytest.mark.parametrize(
    ("line", "until"),
    [
        ("gatemark run quick --set repeat.t", "repeat.times=*-- now 6"),
        ("gatemark ", "doctor*-- Say what"),
    ],
)
@pytest.mark.long
def test_zsh_completes(line: str, until: str, path: str) -> None:
    ask("zsh", ZSH.format(line=f"'{line}'", until=f"'*{until}*'"), path)
