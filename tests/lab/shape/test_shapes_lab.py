# SPDX-License-Identifier: Apache-2.0
"""Faults that are planted in the lab's gateway are named as what they are."""

import pytest
from msgspec.structs import replace

from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import Judgement
from gatemark.plan.model import Plan, Probe, Workload
from lab.planted import measure, plan
from lab.shape.faults import FAULTS, Plant

pytestmark = pytest.mark.long
RATES = (5_000, 10_000, 16_000, 22_000, 26_000, 31_000, 40_000)


def sweep(repeats: int = 3) -> Plan:
    """A gateway slowed to 30 000 packets/s, at rates below and above that."""
    load = Workload(frame_bytes=64, flows=64, duration_s=0.4)
    planned = plan("route", load, slow_to_pps=30_000, repeats=repeats)
    return replace(planned, sweep={"rate_pps": RATES}, probe=Probe())


def diagnosed(plant: Plant | None) -> tuple[Judgement, Diagnosis]:
    """What is said of a sweep; a tester that was kept from its CPU says nothing, so once more."""
    for _ in range(3):
        judgement, _ = measure(sweep(repeats=2), plant=plant)
        (diagnosis,) = judgement.diagnoses or (None,)
        if diagnosis and not diagnosis.get("tester"):
            return judgement, diagnosis
    pytest.skip("other work keeps the tester from its CPU")


def capacity(judgement: Judgement) -> float:
    (knee,) = judgement.knees
    return knee.knee_pps.value


@pytest.fixture(scope="module")
def clean() -> tuple[Judgement, Diagnosis]:
    return diagnosed(None)


def test_a_sound_gateway_has_no_fault(clean: tuple[Judgement, Diagnosis]) -> None:
    judgement, diagnosis = clean
    assert [finding.shape for finding in diagnosis.wrong] == []
    assert "But" not in judgement.sentence


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_and_nothing_else(name: str, clean: tuple[Judgement, Diagnosis]) -> None:
    fault = FAULTS[name]
    judgement, diagnosis = diagnosed(fault.plant)
    shapes = [finding.shape for finding in diagnosis.wrong]
    others = {*fault.others, "stalls"} - {*fault.shapes}  # a machine busy elsewhere stalls as well
    assert [shape for shape in shapes if shape not in others] == [*fault.shapes]
    if fault.keeps_capacity:
        # Minutes lie between both, and other work slows a gateway by several percent. What takes a
        # fault for capacity is off by far more: the knee is then at a rate where the fault begins.
        assert capacity(judgement) == pytest.approx(capacity(clean[0]), rel=0.25)
