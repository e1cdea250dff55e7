# SPDX-License-Identifier: Apache-2.0
"""A run of another's: nothing that its files say is executed before its user has agreed."""

import os
import pty
import subprocess
import sys
from functools import cache
from pathlib import Path

import builder
import pytest
from command import environment
from inside import gatemark
from msgspec.structs import replace

from gatemark.commands.measure import begin, reopen
from gatemark.error import UsageError
from gatemark.plan.load import load
from gatemark.plan.model import Arm, Command
from gatemark.plan.order import order
from gatemark.store.directory import RunDirectory
from gatemark.store.run import AB, Run, Side

EVIL = "touch /tmp/evil; echo \x1b[2K{arm}"
SHOWN = r"--switch, on this machine: touch /tmp/evil; echo \x1b[2K{arm}"
REOPEN = """
import sys
from pathlib import Path
from gatemark.commands.measure import reopen
try:
    reopen(Path(sys.argv[1]), trust=False)
except Exception as error:
    sys.exit(f"gatemark: {error}")
print("goes on")
"""


@cache
def own() -> Run:
    """A run that executes nothing but the lab."""
    return builder.run()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user's marks are."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def switched(command: str = EVIL) -> Run:
    side = Side(name="nat", station_file="lab", station=own().station)
    return replace(own(), ab=AB(old=side, new=side, switch=command))


def foreign(path: Path, run: Run | None = None) -> RunDirectory:
    """As it comes out of an archive."""
    return RunDirectory.create(path / "run", run or switched())


@pytest.mark.parametrize("verb", ["ab", "run"])
def test_the_command_of_anothers_run_is_not_executed(verb: str, tmp_path: Path) -> None:
    directory = foreign(tmp_path)
    done = gatemark(verb, "--resume", directory.path)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"gatemark: {directory.path}: not begun here by this user, and going on with it executes "
        f"what it says ({SHOWN}): add --trust if you want that\n"
    )


def test_all_that_it_would_execute_is_named(tmp_path: Path) -> None:
    made, evil = own(), {"x": Command(run="evil")}
    plans = (replace(made.plans[0], command=evil), *made.plans[1:])
    trials = (replace(made.trials[0], commands=evil), *made.trials[1:])
    for changed, shown in (
        ({"plans": plans}, "command:x, on the gateway: evil"),
        ({"trials": trials}, "command:x, on the gateway: evil"),
        ({"station_file": "bench.toml"}, "the station of bench.toml"),
    ):
        directory = foreign(tmp_path / shown[-4:] / next(iter(changed)), replace(made, **changed))
        with pytest.raises(UsageError) as error:
            reopen(directory.path, trust=False)
        assert f"({shown})" in str(error.value)


def test_a_run_that_executes_nothing_may_be_anyones(tmp_path: Path) -> None:
    directory = foreign(tmp_path, own())
    assert reopen(directory.path, trust=False).path == directory.path


def test_who_began_a_run_is_not_asked(tmp_path: Path) -> None:
    begin(tmp_path / "run", switched())
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    reopen(tmp_path / "elsewhere", trust=False)


def test_a_command_that_was_exchanged_is_not_that_which_was_begun(tmp_path: Path) -> None:
    directory = begin(tmp_path / "run", switched("flash.sh {arm}"))
    directory.save(switched())
    with pytest.raises(UsageError, match="touch /tmp/evil"):
        reopen(directory.path, trust=False)


def test_two_commands_that_look_alike_are_two(tmp_path: Path) -> None:
    """A line end is shown as `\\n`, which another command may have written so."""
    began = begin(tmp_path / "run", switched("echo new\nhalt"))
    began.save(switched("echo new\\nhalt"))
    with pytest.raises(UsageError, match="not begun here by this user"):
        reopen(began.path, trust=False)


def test_what_was_begun_with_one_run_is_not_agreed_to_for_another(tmp_path: Path) -> None:
    begin(tmp_path / "own", switched())
    directory = foreign(tmp_path, replace(switched(), seed=8))
    with pytest.raises(UsageError, match="--trust"):
        reopen(directory.path, trust=False)


def test_who_trusts_a_run_is_not_asked_again(tmp_path: Path) -> None:
    directory = foreign(tmp_path)
    reopen(directory.path, trust=True)
    reopen(directory.path, trust=False)


def test_where_no_mark_can_be_kept_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/none")
    directory = begin(tmp_path / "run", switched())
    with pytest.raises(UsageError, match="--trust"):
        reopen(directory.path, trust=False)
    reopen(directory.path, trust=True)


def answered(path: Path, answer: bytes) -> str:
    """What a terminal shows where somebody answers."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", REOPEN, str(path)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(),
    ):
        os.close(theirs)
        shown = b""
        while b"Execute this?" not in shown:
            shown += os.read(ours, 1 << 16)
        os.write(ours, answer)
        try:
            while part := os.read(ours, 1 << 16):
                shown += part
        except OSError:  # EIO: nobody has the other end open any more
            pass
    os.close(ours)
    return shown.decode()


@pytest.mark.parametrize(("answer", "goes_on"), [(b"y\n", True), (b"\n", False)])
def test_at_a_terminal_it_is_shown_and_asked(answer: bytes, goes_on: bool, tmp_path: Path) -> None:
    shown = answered(foreign(tmp_path).path, answer)
    assert SHOWN in shown
    assert "\x1b" not in shown
    assert shown.rstrip().endswith("goes on") == goes_on
    assert ("add --trust" in shown) != goes_on


def test_trust_is_for_runs_that_are_gone_on_with(tmp_path: Path) -> None:
    done = gatemark("run", "quick", "--trust", cwd=tmp_path)
    assert (done.code, done.err) == (
        2,
        "gatemark: --trust is for another's run that you go on with: add --resume\n",
    )


def test_a_trial_of_no_arm_of_its_plan_is_not_measured(tmp_path: Path) -> None:
    """Its features never went through the checks of a plan."""
    strange = Arm(name="nat", path="nat", features=("filter:1; reboot",))
    trials = (replace(own().trials[-1], arm=strange),)
    directory = foreign(tmp_path, replace(own(), trials=trials))
    with pytest.raises(UsageError, match=r"run\.json: trial .* is of no arm of its plan"):
        reopen(directory.path, trust=True)


def test_a_shaper_that_has_a_share_of_the_line_is_an_arm_of_its_plan(tmp_path: Path) -> None:
    """Its rate stands in a trial, its share in the plan."""
    _, loaded = load("delay/queues", "short")
    plans, trials = tuple(loaded), order(loaded, 1)
    directory = foreign(tmp_path, replace(own(), plans=plans, trials=trials))
    assert any(trial.arm not in plans[0].arm for trial in trials)
    reopen(directory.path, trust=True)


def test_a_plan_that_could_not_be_written_is_not_measured(tmp_path: Path) -> None:
    strange = Arm(name="nat", path="nat", features=("filter:1; reboot",))
    plans = (replace(own().plans[1], arm=(strange,)),)
    directory = foreign(tmp_path, replace(own(), plans=plans, trials=()))
    with pytest.raises(UsageError, match=r"run\.json: quick/sweep: .*filter"):
        reopen(directory.path, trust=True)
