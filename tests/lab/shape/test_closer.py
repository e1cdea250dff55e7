# SPDX-License-Identifier: Apache-2.0
"""A limit of length that a mix brackets is looked at closer, and told to the byte."""

import json
import re
from pathlib import Path

import pytest
from command import gatemark

# Its only trials are far below what the gateway can carry.
PLAN = """
schema = "gatemark.plan/1"
title = "A narrow path"
why = "It is there."
reading = "As it is."
[setup]
path = "route"
features = ["command:narrow"]
[command.narrow]
run = "{narrow}; echo narrow; exec sleep 1000"
ready = "narrow"
[workload]
mix = "imix"
flows = 8
rate_pps = 4000
duration_s = 0.5
[repeat]
times = 3
"""
RULE = (
    "nft add table ip planted; "
    "nft add chain ip planted faults '{ type filter hook forward priority 0; }'; "
    "nft add rule ip planted faults 'ip length > 1300' drop"
)


TRIES = 3
NO_ICMP = "counts none as too large, and no ICMP said so"
ICMP = r"counts \d+ as too large and sent \d+ ICMP"


def shapes_of(plan: Path, out: Path) -> list[str]:
    """What is said of a run; a tester that was kept from its CPU says nothing."""
    done = gatemark("run", plan, "--out", out)
    assert done.code == 0, done.err
    row = json.loads(gatemark("show", out, "--json").out.splitlines()[0])
    return [*row["shapes"]]


@pytest.mark.long
@pytest.mark.parametrize(
    ("narrow", "mtu", "reported"), [(RULE, 1300, NO_ICMP), ("ip link set gw1 mtu 1411", 1411, ICMP)]
)
def test_the_longest_frame_is_told_to_the_byte(
    narrow: str, mtu: int, reported: str, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace("{narrow}", narrow))
    for out in (tmp_path / f"run-{number}" for number in range(TRIES)):
        shapes = shapes_of(plan, out)
        if shapes != ["tester"]:
            break
    else:
        pytest.skip("other work keeps the tester from its CPU")
    assert shapes == ["some-sizes"]
    shown = gatemark("show", out, "--all", env={"COLUMNS": "1000"}).out
    assert f"Nothing over {mtu + 18} bytes comes through: the path's MTU is {mtu} bytes" in shown
    assert re.search(reported, shown)
    lines = (out / "trials.jsonl").read_text().splitlines()
    assert [json.loads(line)["pass"] for line in lines] == ["outside"] * 3 + ["closer"] * 2
