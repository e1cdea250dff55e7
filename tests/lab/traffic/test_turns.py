# SPDX-License-Identifier: Apache-2.0
"""Arms at once on gateways of their own, in turns: a run of them for real, cut and gone on with."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lab import left

PLAN = """
schema  = "gatemark.plan/1"
title   = "three at once"
why     = "a test"
reading = "a test"
figure  = "ladder"

[[arm]]
path = "direct"
name = "tester alone"

[[arm]]
path = "route"

[[arm]]
path     = "nat"
name     = "masquerade"
features = ["conntrack"]

[[arm]]
path     = "nat"
name     = "100 rules"
features = ["conntrack", "filter:100"]

[[arm]]
path     = "route"
name     = "offloaded"
features = ["offload:software"]

[workload]
flows      = 16
duration_s = 0.1

[repeat]
times   = 2
turn_ms = 2
"""


# A run of each is a minute of a slow machine.
pytestmark = pytest.mark.long
TIMES = 2


@dataclass(frozen=True)
class Ran:
    """A run to its end, and what it left on the machine."""

    records: list[dict[str, Any]]
    left: list[str]


def gatemark(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "gatemark", "run", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("turns")
    plan, out = folder / "three.toml", folder / "run"
    plan.write_text(PLAN)
    before = left.namespaces()
    process = gatemark(str(plan), "--out", str(out))
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    lines = (out / "trials.jsonl").read_text().splitlines()
    return Ran([json.loads(line) for line in lines], sorted({*left.namespaces()} - {*before}))


def of(ran: Ran, arm: str) -> list[dict[str, Any]]:
    return [record for record in ran.records if record["arm"] == arm]


def test_arms_are_measured_at_once_in_each_block_and_accounted_for(ran: Ran) -> None:
    arms = ("route", "masquerade", "100 rules")
    assert {arm: len(of(ran, arm)) for arm in arms} == dict.fromkeys(arms, TIMES)
    assert {r["status"] for r in ran.records if r["arm"] != "offloaded"} == {"ok"}
    assert {record["definition"]["turn_ms"] for record in of(ran, "route")} == {2}
    for repeat in range(1, TIMES + 1):
        windows = [r["window_ns"] for r in ran.records if r["repeat"] == repeat and r["values"]]
        first, last = zip(*windows, strict=True)
        assert len(windows) >= 3
        assert max(first) < min(last)  # the last to begin did so before any had ended
    for record in of(ran, "masquerade"):
        accounting = record["accounting"]
        assert accounting["mismatch"] == {}
        assert accounting["unique"] + accounting["lost"] == accounting["tried"] > 1000
    assert ran.left == []


def test_what_is_lacking_is_told_and_the_others_go_on(ran: Ran) -> None:
    (record, *_) = of(ran, "offloaded")
    assert (record["status"], "not available here" in record["reason"]) == ("skipped", True)


def test_a_hundred_rules_cost_more_in_every_block(ran: Ran) -> None:
    without, with_ = (
        {record["repeat"]: record["values"]["packet_ns"] for record in of(ran, arm)}
        for arm in ("masquerade", "100 rules")
    )
    assert [repeat for repeat in without if with_[repeat] <= without[repeat]] == []


def test_the_share_of_a_cpu_is_of_ones_own_turns(ran: Ran) -> None:
    """One of four at once: of the whole span it could not have had so much.

    A sender sleeps meanwhile: four on one CPU could not have used all of it each.
    """
    for record in of(ran, "100 rules"):
        assert max(reading["busy"] for reading in record["evidence"]["cpu"]) > 0.5
    for record in of(ran, "route"):
        assert record["evidence"]["sender_cpu"] < 0.5


def test_a_block_that_was_cut_is_gone_on_with(tmp_path: Path) -> None:
    plan, out = tmp_path / "three.toml", tmp_path / "run"
    plan.write_text(PLAN.replace("times   = 2", "times   = 1"))
    before = left.namespaces()
    process = gatemark(str(plan), "--out", str(out))
    kept, until = out / "trials.jsonl", time.monotonic() + 60
    while not (kept.exists() and kept.stat().st_size) and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert gatemark("--resume", str(out)).wait(timeout=120) == 0
    lines = (out / "trials.jsonl").read_text().splitlines()
    trials = [json.loads(line)["trial"] for line in lines]
    assert len(trials) == len(set(trials)) == 5
    assert {*left.namespaces()} <= {*before}
