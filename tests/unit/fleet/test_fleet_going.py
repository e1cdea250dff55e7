# SPDX-License-Identifier: Apache-2.0
"""A campaign that runs: it is watched, drained and cancelled from another terminal."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fleet
import pytest
from command import GATEMARK, environment, gatemark

from gatemark.fleet.course import CANCEL, DRAIN
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import BEGUN, doing

pytestmark = pytest.mark.long
HERE = Path(__file__).parent
FAKE = HERE / "fake_block.py"
STATIONS = [("a", "m"), ("b", "n")]
REPEATS = 3
TRIAL_S = 0.3
PATIENCE_S = 60.0
LASTING_S = PATIENCE_S  # a trial that does not end before the test does, on any machine
COORDINATOR = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(HERE.parents[1])!r})
import fleet
from gatemark.fleet.course import Course
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import Local
from gatemark.commands.campaign.coordinate import alone
folder = Path(sys.argv[1])
with alone(folder):
    made = Ledger(folder / "campaign.db", time.time, synchronous="OFF")
    local = Local(folder, (sys.executable, "-S", "-E", {str(FAKE)!r}, sys.argv[2]))
    Course(folder, made, local, fleet.task, time.time).run()
"""


@contextmanager
def going(folder: Path, trial_s: float = TRIAL_S) -> "Iterator[subprocess.Popen[bytes]]":
    """A coordinator whose first blocks run."""
    fleet.ledger(folder, fleet.Fleet(), STATIONS, REPEATS).close()
    words = [sys.executable, "-c", COORDINATOR, str(folder), str(trial_s)]
    process = subprocess.Popen(words, env=environment())
    try:
        until = time.monotonic() + PATIENCE_S
        while not under_way(folder):
            assert time.monotonic() < until
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def under_way(folder: Path) -> list[int]:
    return [pid for place in (folder / BEGUN).glob("*") for pid in doing(place)]


def states(folder: Path) -> dict[str, int]:
    counted: dict[str, int] = {}
    for (_, state), count in Ledger.open(folder, time.time).counts().items():
        counted[state] = counted.get(state, 0) + count
    return counted


def test_a_watch_follows_it_to_its_end(tmp_path: Path) -> None:
    with going(tmp_path) as process:
        words = ["campaign", "status", str(tmp_path), "--watch", "--json"]
        watch = subprocess.run(
            [*GATEMARK, *words], capture_output=True, text=True, check=True, env=environment()
        )
        assert process.wait(PATIENCE_S) == 0
    lines = [json.loads(line) for line in watch.stdout.splitlines()]
    assert lines[0]["going"]
    assert lines[0]["running"]
    done = [sum(model.get("done", 0) for model in line["models"].values()) for line in lines]
    assert done == sorted(done)
    assert not lines[-1]["going"]
    assert done[-1] == len(STATIONS) * REPEATS


def test_drained_what_runs_ends_and_nothing_begins(tmp_path: Path) -> None:
    with going(tmp_path) as process:
        done = gatemark("campaign", "drain", tmp_path)
        assert (done.code, done.err) == (0, "")
        assert process.wait(PATIENCE_S) == 0
    assert (tmp_path / DRAIN).exists()
    left = states(tmp_path)
    assert left["done"] + left["waiting"] == len(STATIONS) * REPEATS


def test_cancelled_what_runs_is_ended_and_kept(tmp_path: Path) -> None:
    with going(tmp_path, LASTING_S) as process:
        done = gatemark("campaign", "cancel", tmp_path)
        assert (done.code, done.err) == (0, "")
        assert process.wait(PATIENCE_S) == 0
    assert (tmp_path / CANCEL).exists()
    assert under_way(tmp_path) == []
    left = states(tmp_path)
    assert left["running"] == 2  # the next coordinator goes on in their folders
    assert left.get("done", 0) == 0


def test_what_a_dead_coordinator_left_is_ended_too(tmp_path: Path) -> None:
    with going(tmp_path, LASTING_S) as process:
        process.kill()
        process.wait()
        assert under_way(tmp_path)
        assert gatemark("campaign", "cancel", tmp_path).code == 0
        until = time.monotonic() + PATIENCE_S
        while under_way(tmp_path) and time.monotonic() < until:
            time.sleep(0.05)
    assert under_way(tmp_path) == []
