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
from pathlib import Path

import pytest

from gatemark.station import lock
from lab import left

pytestmark = pytest.mark.alone
KILLS = 12
SMALL = (
    "--set=repeat.times=2",
    "--set=sweep.rate_pps=[2000, 20000]",
    "--set=workload.duration_s=0.1",
)

Snapshot = Callable[[], dict[str, str]]


def spaces() -> str:
    """The network namespaces of this machine."""
    return subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout


def gatemark(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gatemark", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start(folder: Path) -> subprocess.Popen[bytes]:
    if (folder / "run.json").exists():
        return gatemark("run", "--resume", str(folder))
    return gatemark("run", "quick/sweep", *SMALL, "--out", str(folder))


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


def test_a_run_leaves_the_host_as_it_was(tmp_path: Path, host_snapshot: Snapshot) -> None:
    gatemark("doctor").wait()  # what a first nft or ip loads into the kernel is not ours to judge
    before = host_snapshot()
    assert start(tmp_path / "run").wait() == 0
    assert differences(before, host_snapshot()) == {}


@pytest.fixture(scope="module")
def killed_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[list[str]]]:
    """A run killed by SIGKILL at random moments, then completed; with what was kept each time."""
    folder = tmp_path_factory.mktemp("killed") / "run"
    chance = random.Random(20)
    seen = []
    for _ in range(KILLS):
        process = start(folder)
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
    until = time.monotonic() + 10
    while agents() and time.monotonic() < until:  # they end once they see that nobody asks them
        time.sleep(0.1)
    free = [lab for lab in lock.names() if lock.holder(lab) is None]
    assert (left.namespaces(), agents(), free) == ([], [], [])


def test_an_interrupted_run_takes_its_lab_down(tmp_path: Path) -> None:
    process = start(tmp_path / "run")
    until = time.monotonic() + 60
    while not (own := labs_of(process.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 1
    assert own
    assert [name for name in spaces().split() if any(lab in name for lab in own)] == []


def labs_of(pid: int) -> list[str]:
    """Labs that this process holds and that have namespaces; others' labs may stand beside them."""
    held = [lab for lab in lock.names() if (by := lock.holder(lab)) and by.pid == pid]
    return [lab for lab in held if f"gm-{lab}-" in spaces()]
