# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments, of the coordinator and of blocks: each block once, no trial lost."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import fleet
import pytest
from command import environment

from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import BEGUN, doing

HERE = Path(__file__).parent
FAKE = HERE / "fake_block.py"
TRIALS = 5
STATIONS = [("a", "m"), ("b", "m"), ("c", "n")]
COORDINATOR = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(HERE.parents[1])!r})
import fleet
from gatemark.fleet.course import Course
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import Local
folder = Path(sys.argv[1])
made = Ledger(folder / "campaign.db", time.time, synchronous="OFF")
local = Local(folder, (sys.executable, "-S", "-E", {str(FAKE)!r}))
Course(folder, made, local, fleet.task, time.time).run()
"""


def coordinator(folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", COORDINATOR, str(folder)], env=environment())


def kill_a_block(folder: Path, rng: random.Random) -> None:
    going = [pid for place in (folder / BEGUN).glob("*") for pid in doing(place)]
    if going:
        with suppress(ProcessLookupError):
            os.kill(rng.choice(going), signal.SIGKILL)


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.long)])
def test_no_death_loses_or_doubles_anything(kills: int, tmp_path: Path) -> None:
    rng = random.Random(kills)
    repeats = 5 + kills
    made = fleet.ledger(tmp_path, fleet.Fleet(), STATIONS, repeats)
    made.close()
    for _ in range(kills):
        process = coordinator(tmp_path)
        time.sleep(rng.uniform(0.0, 0.6))
        kill_a_block(tmp_path, rng)
        process.kill()
        process.wait()
    for _ in range(5):  # a block that was killed again and again is another attempt
        if coordinator(tmp_path).wait(timeout=120) == 0:
            break
    made = Ledger(tmp_path / "campaign.db", time.time)
    counted = made.attempts("state = 'done'")
    assert sorted(attempt.block for attempt in counted) == list(range(1, 2 * repeats + 1))
    assert made.faults() == []
    for attempt in counted:
        lines = (tmp_path / "runs" / attempt.folder / "trials.jsonl").read_text().split()
        assert lines == [str(number) for number in range(TRIALS)]
