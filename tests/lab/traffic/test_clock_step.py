# SPDX-License-Identifier: Apache-2.0
"""The time of day steps by an hour, there and back, while a run and a campaign go on.

libfaketime gives our program and all that it starts another time of day. The clock of this machine
stays, and so does the monotonic one.
"""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import environment, gatemark

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
STEPS = ("+0", "+1h", "-1h")
STEP_S = 0.5
REPEATS = 8
PLAN = f"""
schema = "gatemark.plan/1"
title = "a few packets"
why = "They show that the way is there."
reading = "All of them arrive."
[[arm]]
path = "route"
[workload]
frame_bytes = 128
duration_s = 0.3
rate_pps = 1000
[repeat]
times = {REPEATS}
"""
CAMPAIGN = """
schema = "gatemark.campaign/1"
title = "Two setups"
repeats = 2
[[model]]
name = "lab"
stations = ["lab"]
[[build]]
name = "field"
setup = "route"
[[build]]
name = "next"
setup = "nat"
[[suite]]
plan = "plan.toml"
"""


def stepped(*words: str, folder: Path) -> None:
    """A command to its end, whose time of day steps meanwhile."""
    assert LIBRARY is not None
    clock = folder / "clock"
    clock.write_text(STEPS[0])
    faked = {"LD_PRELOAD": str(LIBRARY), "FAKETIME_TIMESTAMP_FILE": str(clock)}
    faked |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    command = [sys.executable, "-m", "gatemark", *words]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            command, cwd=folder, env=environment(faked), stdout=log, stderr=log
        ) as process,
    ):
        for step in itertools.cycle(STEPS):
            try:
                code = process.wait(STEP_S)
            except subprocess.TimeoutExpired:
                clock.write_text(step)
                continue
            assert code == 0, (folder / "log").read_text()
            return


@pytest.mark.skipif(LIBRARY is None, reason="no libfaketime")
def test_nothing_is_lost_where_the_time_of_day_steps(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "campaign.toml").write_text(CAMPAIGN)
    stepped("run", "plan.toml", "--out", "run", folder=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "run" / "trials.jsonl").open()]
    assert len({row["started"][:13] for row in rows}) > 1, "no hour apart: it did not step"
    assert [row["status"] for row in rows] == ["ok"] * REPEATS
    assert all(row["values"]["loss_ratio"] == 0 for row in rows)
    stepped("campaign", "run", "campaign.toml", "--out", "fleet", folder=tmp_path)
    check = gatemark("campaign", "check", tmp_path / "fleet")
    assert check.code == 0, check
