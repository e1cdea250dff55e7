# SPDX-License-Identifier: Apache-2.0
"""A real-time program takes the gateway's CPU for 150 ms of each 500: stalls, and by whom."""

import sys

import pytest
from msgspec.structs import replace

from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import Judgement, Knee
from gatemark.plan.model import Arm, Command
from gatemark.tell.fact import say
from lab.planted import measure
from lab.shape.faults import Plant, policer
from lab.shape.test_shapes_lab import RATES, sweep

pytestmark = [pytest.mark.long, pytest.mark.alone]

HOG = """import random, time
print("at work", flush=True)
while True:
    end = time.monotonic() + {busy}
    while time.monotonic() < end: pass
    time.sleep({rest})
"""
FEW = (5_000, 16_000, 26_000, 31_000)
CLEAN = Arm(path="route", name="clean")
STALLS = Arm(path="route", name="stalls", features=("command:hog",))


def judged_beside(
    busy: str,
    rest: str,
    plant: Plant | None = None,
    beside: tuple[Arm, ...] = (),
    rates: tuple[int, ...] = RATES,
) -> Judgement:
    """An arm whose program takes the CPU, and others; both times are Python's."""
    planned = sweep(repeats=2)
    hog = HOG.format(busy=busy, rest=rest)
    program = Command(run=f"exec chrt -f 60 {sys.executable} -c '{hog}'", ready="at work")
    load = replace(planned.workload, duration_s=1.0)
    planned = replace(planned, arm=(*beside, STALLS), workload=load, command={"hog": program})
    planned = replace(planned, sweep={"rate_pps": rates})
    judgement, _ = measure(planned, plant=plant)
    if any(diagnosis.get("tester") for diagnosis in judgement.diagnoses):
        pytest.skip("other work keeps the tester from its CPU")
    return judgement


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return judged_beside("0.15", "0.35", beside=(CLEAN,))


def diagnosis(judged: Judgement, arm: str) -> Diagnosis:
    return next(found for found in judged.diagnoses if found.arm == arm)


def knee(judged: Judgement, arm: str) -> Knee:
    return next(found for found in judged.knees if found.arm == arm)


def test_the_arm_with_the_program_stands_still(judged: Judgement) -> None:
    (finding,) = diagnosis(judged, "stalls").wrong
    assert finding.shape == "stalls"
    assert finding.values["stall_ms"] == pytest.approx(150, rel=0.15)
    assert finding.values["share"] == pytest.approx(0.3, abs=0.1)
    assert finding.values["period_ms"] == pytest.approx(500, rel=0.02)


def test_who_had_the_cpu_is_told(judged: Judgement) -> None:
    (finding,) = diagnosis(judged, "stalls").wrong
    assert "(FIFO 60) had its CPU" in say.words(finding.fact)


def test_between_the_stalls_it_carries_as_much(judged: Judgement) -> None:
    clean, stalls = (knee(judged, arm).knee_pps.value for arm in ("clean", "stalls"))
    assert stalls == pytest.approx(clean, rel=0.05)


def test_the_other_arm_is_not_said_to_have_it(judged: Judgement) -> None:
    words = [say.words(finding.fact) for finding in diagnosis(judged, "clean").wrong]
    assert not [line for line in words if "(FIFO 60)" in line]


def test_stalls_at_any_time_have_no_period() -> None:
    judgement = judged_beside("0.05", "random.expovariate(5)", rates=FEW)
    (finding,) = diagnosis(judgement, "stalls").wrong
    assert finding.shape == "stalls"
    assert finding.values["stall_ms"] == pytest.approx(50, rel=0.3)
    assert "period_ms" not in finding.values


def test_a_policer_beside_them_is_named_too() -> None:
    judgement = judged_beside("0.15", "0.35", policer("12000/second", "200 packets"))
    findings = {finding.shape: finding for finding in diagnosis(judgement, "stalls").wrong}
    assert {*findings} == {"stalls", "policer"}
    assert findings["stalls"].values["stall_ms"] == pytest.approx(150, rel=0.15)
    assert findings["policer"].values["rate_pps"] == pytest.approx(12_000, rel=0.1)
