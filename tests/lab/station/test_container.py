# SPDX-License-Identifier: Apache-2.0
"""In a container: the lab measures where /proc shows no kernel thread, and says what it lacks."""

import json
import subprocess
from pathlib import Path

import pytest
from command import GATEMARK, environment

from gatemark.station.ability import MISSING

CONTAINER = ("unshare", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child")
ROOTLESS = ("--user", "--map-root-user", "--net")
SMALL = (
    "quick/sweep",
    "--set=repeat.times=1",
    "--set=sweep.rate_pps=[5000]",
    "--set=workload.duration_s=0.2",
)


@pytest.mark.parametrize("more", [(), ROOTLESS], ids=["root", "rootless"])
def test_a_run_lacks_the_gateways_cpu_time_alone(more: tuple[str, ...], tmp_path: Path) -> None:
    run = (*CONTAINER, *more, *GATEMARK, "run", *SMALL, "--out", str(tmp_path / "run"))
    done = subprocess.run(
        run, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    station = json.loads((tmp_path / "run/run.json").read_text())["station"]
    assert (station["missing"][0], station["sees_cpu"]) == (MISSING["cpu_time"], False)
    lines = (tmp_path / "run/trials.jsonl").read_text().splitlines()
    assert {json.loads(line)["status"] for line in lines} == {"ok"}
