# SPDX-License-Identifier: Apache-2.0
"""What a lab refuses is told beforehand, and said again by the answer."""

import re
from pathlib import Path

import pytest
from command import gatemark

from gatemark.plan.model import Arm
from gatemark.run.preflight import refusal
from lab import left

# Of this machine's one kernel, so a namespace refuses it wherever this runs.
REFUSED = "conntrack-max:2048"
WHY = "nf_conntrack_max is this machine's, for all its namespaces together, so it is never set"
PLAN = f"""
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[[arm]]
path = "route"
features = ["dscp:46"]
name = "marked"
[[arm]]
path = "nat"
features = ["{REFUSED}"]
name = "large"
[workload]
rate_pps = 2000
duration_s = 0.1
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(PLAN)
    return path


def test_a_lab_tells_what_it_refuses_and_is_gone() -> None:
    arms = tuple(Arm(path="route", features=(word,)) for word in (REFUSED, "dscp:46"))
    refused, able = refusal.in_lab(arms).values()
    assert (refused.startswith(WHY), able) == (True, "")
    assert left.namespaces() == []
    assert refusal.in_lab(arms) is refusal.in_lab(arms)  # once for a process


def test_a_plan_tells_which_arms_would_be_skipped(file: Path) -> None:
    done = gatemark("plan", file)
    assert (done.code, done.err) == (0, "")
    assert f"The built-in lab would skip: large ({WHY}" in done.out
    assert left.namespaces() == []


@pytest.mark.long
def test_a_run_warns_at_its_start_and_its_answer_names_the_arm(file: Path, tmp_path: Path) -> None:
    done = gatemark("run", file, "--set", "repeat.times=1", "--out", tmp_path / "run")
    assert f"\nwarning: will be skipped: large ({WHY}" in f"\n{done.err}"
    assert re.search(rf"^Not measured: large \({WHY[:40]}", done.out, re.MULTILINE)
    assert left.namespaces() == []
    shown = gatemark("show", tmp_path / "run", "--json").out
    assert '"arm": "large", "reason": "nf_conntrack_max is this machine' in shown
