# SPDX-License-Identifier: Apache-2.0
"""Faults of one direction, one family, some sizes: told by several points, or by a mix."""

import pytest
from msgspec.structs import replace

from gatemark.judge.finding import Diagnosis
from gatemark.plan.model import Workload
from lab.planted import measure, plan
from lab.shape.faults import Plant, rules
from lab.shape.test_shapes_lab import sweep

pytestmark = pytest.mark.long
RATES = (4_000, 9_000, 16_000)
DROP = "numgen random mod 20 == 0 drop"


def diagnoses(plant: Plant, factor: str, levels: tuple[str, ...]) -> dict[str, Diagnosis]:
    """Of each level of a factor, at rates below a full CPU."""
    planned = sweep(repeats=2)
    load = replace(planned.workload, frame_bytes=128)  # IPv6 needs 80
    planned = replace(planned, workload=load, sweep={factor: levels, "rate_pps": RATES})
    judgement, _ = measure(planned, plant=plant)
    if any(diagnosis.get("tester") for diagnosis in judgement.diagnoses):
        pytest.skip("other work keeps the tester from its CPU")
    return {str(diagnosis.point[factor]): diagnosis for diagnosis in judgement.diagnoses}


def shapes(diagnosis: Diagnosis) -> list[str]:
    return [finding.shape for finding in diagnosis.wrong]


def test_loss_of_one_direction() -> None:
    named = diagnoses(rules(f"iifname gw0 {DROP}"), "direction", ("up", "down"))
    assert {name: shapes(d) for name, d in named.items()} == {"up": ["one-direction"]}


def test_loss_of_one_family() -> None:
    plant = rules(f"iifname gw0 {DROP}", family="ip6")
    named = diagnoses(plant, "family", ("ipv4", "ipv6"))
    assert {name: shapes(d) for name, d in named.items()} == {"ipv6": ["one-family"]}


@pytest.mark.parametrize(("length", "most"), [(1000, 594), (100, 64)])
def test_frames_over_a_length_do_not_come(length: int, most: int) -> None:
    load = Workload(mix="imix", flows=64, duration_s=0.4)
    planned = plan("route", load, slow_to_pps=30_000, repeats=2)
    planned = replace(planned, sweep={"rate_pps": RATES}, probe=sweep().probe)
    judgement, _ = measure(planned, plant=rules(f"ip length > {length} drop"))
    (diagnosis,) = judgement.diagnoses
    if diagnosis.get("tester"):
        pytest.skip("other work keeps the tester from its CPU")
    assert shapes(diagnosis) == ["some-sizes"]
    (finding,) = diagnosis.wrong
    assert finding.values["frame_bytes"] == most
