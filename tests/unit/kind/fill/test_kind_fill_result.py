# SPDX-License-Identifier: Apache-2.0
"""From steps and what was watched meanwhile to a flow's bytes, its objects, and room for more."""

from typing import Any

import pytest

from gatemark.kind.fill.result import define, evidence, filled, outcome, series
from gatemark.node.shell import Local
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.probe.reader import Read
from gatemark.run.raw import Raw
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.store.record import Definition
from gatemark.workload.way import Way

PORTS = {device: Port(Local(), device, "") for device in ROLES}
S = 1_000_000_000
EACH, COUNT = 1000, 11  # flows of a step; steps, the first without a flow
OBJECTS = {"nf_conntrack": 256, "kmalloc-128": 128, "kmalloc-64": 64}


def raw(*, own: bool = True, lost: int = 0) -> Raw:
    """A step each second, read twice in its second half; a flow is 256 + 128 bytes."""
    steps = [
        {"flows": at * EACH, "lost": 0, "t0_ns": at * S + S // 2, "t1_ns": (at + 1) * S}
        for at in range(COUNT)
    ]
    if lost:
        steps.append({"flows": COUNT * EACH - lost, "lost": lost, "t0_ns": COUNT * S, "t1_ns": 0})
    sent = {"t0_ns": 0, "t1_ns": COUNT * S, "steps": steps, "asked": 20_000, "servers": 1}
    sent |= {"killed": False, "spare_bytes": -1_600_000}
    (wire,) = wires(PORTS, "nat", "up")
    cpus = None if own else frozenset({1})
    return Raw([Way(wire, sent, {}, {})], {"gateway": Read(watched())}, cpus)


def watched() -> dict[str, Any]:
    times = [at * S // 4 for at in range(4 * COUNT)]
    held = [(t // S) * EACH if t % S >= S // 2 else (t // S) * EACH // 2 for t in times]
    return {
        "t_ns": times,
        "conntrack": {"entries": held},
        "memory": {
            "slab_bytes": [10**7 + 384 * n for n in held],
            "free_bytes": [384 * (100_000 - n) + 1_600_000 for n in held],
            "available_bytes": [384 * (100_000 - n) for n in held],
        },
        "slab": {
            "nf_conntrack": {"active": [5 + n for n in held], "object_bytes": [256] * len(times)},
            "kmalloc-128": {"active": [7 + n for n in held], "object_bytes": [128] * len(times)},
            "kmalloc-64": {"active": [9 + n // 50 for n in held], "object_bytes": [64] * 9},
        },
    }


def spec(**keys: Any) -> TrialSpec:
    return TrialSpec(
        trial="t",
        plan="p",
        arm=Arm(path="nat"),
        gateway=Gateway(),
        workload=Workload(kind="fill", flows=20_000, steps=20, **keys),
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
    )


def test_only_what_was_read_while_a_step_was_open_counts() -> None:
    assert [step.entries for step in filled(raw())] == [at * EACH for at in range(COUNT)]


def test_a_flows_bytes_are_the_slope_and_its_objects_the_check() -> None:
    values, accounting = outcome(spec(), raw())
    assert accounting is None
    assert values["flow_bytes"] == pytest.approx(384)
    assert values["flow_object_bytes"] == 384
    assert evidence(raw())["objects"] == {"nf_conntrack": 256, "kmalloc-128": 128}


def test_room_is_reported_where_memory_is_the_gateways_own() -> None:
    values, _ = outcome(spec(), raw())
    assert values["flows_predicted"] == pytest.approx(100_000)
    assert values["flows_recommended"] == 75_000
    assert "flows_predicted" not in outcome(spec(), raw(own=False))[0]


def test_pages_on_the_lists_of_cpus_are_free_as_well() -> None:
    tight = raw()
    listed = [at % 2 * 384_000 for at in range(4 * COUNT)]
    memory = tight.watched["memory"]
    memory["free_bytes"] = [n - m for n, m in zip(memory["free_bytes"], listed, strict=True)]
    tight.watched["pagesets"] = {"listed_bytes": listed}
    assert outcome(spec(), tight)[0]["flows_predicted"] == pytest.approx(100_000)


def test_the_first_flow_that_was_lost_ends_the_count() -> None:
    ended = raw(lost=300)
    ended.watched["conntrack"]["entries"][-1] = COUNT * EACH  # others came later
    assert outcome(spec(), ended)[0]["flows"] == COUNT * EACH - 300
    assert evidence(ended)["fill"]["lost"] == 300
    assert len(filled(ended)) == COUNT  # memory was not read any more


def test_entries_that_are_gone_are_not_held() -> None:
    full = raw()
    entries = full.watched["conntrack"]["entries"]
    full.watched["conntrack"]["entries"] = [min(n, 4000) for n in entries]
    assert outcome(spec(), full)[0]["flows"] == 4000


@pytest.mark.parametrize(("evicted", "held"), [([0, 6000], 4000), ([7, 7], (COUNT - 1) * EACH)])
def test_a_table_that_was_read_outside_the_steps_alone(evicted: list[int], held: int) -> None:
    full = raw()
    full.watched["t_ns"] = [0, 2 * COUNT * S]
    full.watched["conntrack"] = {"entries": [0, 4000], "early_drop": evicted}
    assert outcome(spec(), full)[0]["flows"] == held


def test_a_gateway_that_reports_nothing_has_what_came_through() -> None:
    blind = raw()
    blind.watched.clear()
    assert outcome(spec(), blind)[0] == {"flows": (COUNT - 1) * EACH}


def test_the_definition_says_what_it_is_about() -> None:
    made = define(Definition(path="nat"), spec(clients=4, active_pps=5000.0).workload)
    assert (made.quantity, made.l4) == ("concurrent flows", "udp")
    assert (made.flows, made.clients, made.active_pps) == (20_000, 4, 5000.0)


def test_flows_over_time_are_kept() -> None:
    times, counts = series(raw(lost=1).ways[0])["source.up.flows"]
    assert (len(times), counts[-1]) == (COUNT, (COUNT - 1) * EACH)
