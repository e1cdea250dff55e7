# SPDX-License-Identifier: Apache-2.0
"""A fill of the gateway's table: memory rises by the kernel's objects, whole flows are counted."""

import os

import pytest

from gatemark.judge.judgement import Judgement
from gatemark.plan.model import Arm, Workload
from gatemark.store.record import Record
from lab.planted import bare, measure, plan

FEW = Workload(kind="fill", flows=600, steps=2, clients=3, rate_pps=3_000, duration_s=0.2)
# Many, so that what earlier flows left free in the machine's slabs is little beside them.
FILL = Workload(kind="fill", flows=24_000, steps=8, clients=4, rate_pps=12_000, duration_s=0.4)


@pytest.fixture(scope="module")
def filled() -> tuple[Judgement, Record]:
    if os.geteuid() != 0:
        pytest.skip("needs root: /proc/slabinfo")
    judgement, (record,) = measure(bare(plan("nat", FILL)))
    return judgement, record


def test_each_of_a_few_flows_has_an_entry() -> None:
    _, (record,) = measure(bare(plan("nat", FEW)))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["flows"] == FEW.flows
    assert [step.entries for step in record.evidence.fill_steps] == [0, 300, 600]


@pytest.mark.long
def test_all_flows_have_an_entry(filled: tuple[Judgement, Record]) -> None:
    judgement, record = filled
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["flows"] == FILL.flows
    assert [step.entries for step in record.evidence.fill_steps] == [3000 * at for at in range(9)]
    assert judgement.points[0].limit == "none"


@pytest.mark.long
def test_a_flow_takes_whole_objects_of_the_tables_own_cache(
    filled: tuple[Judgement, Record],
) -> None:
    objects = filled[1].evidence.objects
    assert "nf_conntrack" in objects
    assert filled[1].values["flow_object_bytes"] == sum(objects.values())


@pytest.mark.long
def test_all_slabs_rise_by_about_as_much(filled: tuple[Judgement, Record]) -> None:
    """Other work on this machine takes and gives slabs too, so a single fill is told roughly."""
    values = filled[1].values
    assert values["flow_bytes"] == pytest.approx(values["flow_object_bytes"], rel=0.4)


@pytest.mark.long
def test_the_table_of_this_machine_is_never_set() -> None:
    arm = Arm(path="nat", name="nat", features=("conntrack-max:300000",))
    few = Workload(kind="fill", flows=100, steps=1, duration_s=0.2)
    _, (record,) = measure(bare(plan(arm, few)))
    assert record.status == "skipped"
    assert record.reason.startswith(
        "not available here: conntrack-max:300000: nf_conntrack_max is this"
    )
