# SPDX-License-Identifier: Apache-2.0
"""The host is left as it was: after a run, and after runs that were killed."""

import itertools
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from gatemark.station import lock
from lab import left
from lab.conftest import warm

pytestmark = pytest.mark.alone
KILLS = 6
SMALL = (
    "quick/sweep",
    "--set=repeat.times=2",
    "--set=sweep.rate_pps=[2000, 20000]",
    "--set=workload.duration_s=0.1",
)
FEW = """
schema = "gatemark.plan/1"
title = "A few trials"
why = "They are there."
reading = "As they are."
[setup]
path = "nat"
features = ["conntrack", "filter:1"]
[workload]
rate_pps = 2000
duration_s = 0.1
[repeat]
times = 3
[probe]
use = []
"""
PATIENCE_S = 120.0  # on a busy machine

Snapshot = Callable[[], dict[str, str]]


def spaces() -> str:
    """The network namespaces of this machine."""
    return subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout


def gatemark(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gatemark", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    if (folder / "run.json").exists():
        return gatemark("run", "--resume", str(folder))
    return gatemark("run", *(words or SMALL), "--out", str(folder))


def planned(folder: Path) -> list[str]:
    return [spec["trial"] for spec in json.loads((folder / "run.json").read_text())["trials"]]


def kept(folder: Path) -> list[str]:
    file = folder / "trials.jsonl"
    lines = file.read_bytes().splitlines(keepends=True) if file.exists() else []
    return [json.loads(line)["trial"] for line in lines if line.endswith(b"\n")]


def agents() -> list[str]:
    pids = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            pids += [path.name] if (path / "comm").read_text() == "gm-agent\n" else []
        except OSError:
            continue
    return pids


def differences(before: dict[str, str], after: dict[str, str]) -> dict[str, list[str]]:
    return {
        what: sorted(set(before[what].splitlines()) ^ set(after[what].splitlines()))
        for what in before
        if before[what] != after[what]
    }


def test_a_run_that_is_killed_goes_on_and_leaves_the_host_as_it_was(
    tmp_path: Path, host_snapshot: Snapshot
) -> None:
    warm()
    folder, before = tmp_path / "run", host_snapshot()
    (tmp_path / "plan.toml").write_text(FEW)
    process = start(folder, str(tmp_path / "plan.toml"))
    assert until(lambda: bool(kept(folder)) or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it was killed"
    begun = kept(folder)
    assert start(folder).wait() == 0
    assert kept(folder)[: len(begun)] == begun
    assert sorted(kept(folder)) == sorted(planned(folder))
    assert differences(before, host_snapshot()) == {}


def is_at_work(process: subprocess.Popen[bytes]) -> bool:
    """Or has ended."""
    return bool(labs_of(process.pid)) or process.poll() is not None


@pytest.fixture(scope="module")
def killed_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[str]]]:
    """A run killed by SIGKILL at random moments, then completed; with what was kept each time.

    Every second time it is killed as it starts, else at work.
    """
    folder = tmp_path_factory.mktemp("killed") / "run"
    chance = random.Random(20)
    seen = []
    for number in range(KILLS):
        process = start(folder)
        if number % 2:
            until(partial(is_at_work, process))
        time.sleep(chance.uniform(0.1, 2.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen.append(kept(folder))
    assert start(folder).wait() == 0
    return folder, [*seen, kept(folder)]


@pytest.mark.long
def test_a_resumed_run_has_each_trial_exactly_once(
    killed_run: tuple[Path, list[list[str]]],
) -> None:
    folder, _ = killed_run
    assert sorted(kept(folder)) == sorted(planned(folder))


@pytest.mark.long
def test_no_finished_record_is_lost_by_a_kill(killed_run: tuple[Path, list[list[str]]]) -> None:
    _, seen = killed_run
    assert all(later[: len(earlier)] == earlier for earlier, later in itertools.pairwise(seen))


@pytest.mark.long
def test_nothing_is_left_after_killed_runs(killed_run: tuple[Path, list[list[str]]]) -> None:
    del killed_run
    until(lambda: agents() == [])  # they end once they see that nobody asks them
    free = [lab for lab in lock.names() if lock.holder(lab) is None]
    assert (left.namespaces(), agents(), free) == ([], [], [])


@pytest.mark.long
def test_an_interrupted_run_takes_its_lab_down(tmp_path: Path) -> None:
    process = start(tmp_path / "run")
    until(lambda: bool(labs_of(process.pid)))
    own = labs_of(process.pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 1
    assert own
    assert [name for name in spaces().split() if any(lab in name for lab in own)] == []


def labs_of(pid: int) -> list[str]:
    """Labs that this process holds and that have namespaces; others' labs may stand beside them."""
    held = [lab for lab in lock.names() if (by := lock.holder(lab)) and by.pid == pid]
    return [lab for lab in held if f"gm-{lab}-" in spaces()]
