# SPDX-License-Identifier: Apache-2.0
"""The path of a packet where nobody counts instructions: what this machine's own kernel tells.

A namespace gateway's kernel is this machine's. Where it has function_graph the record says so;
where it has perf alone, that; the tests hold for either.
"""

from collections.abc import Iterable
from pathlib import Path

import pytest

from gatemark.judge.point.path import Sorter
from gatemark.plan.model import Arm, Workload
from gatemark.probe import graph, sampled
from gatemark.store.naming import read
from gatemark.store.record import Call, Counted, Record
from gatemark.store.subsystem import NETFILTER
from lab.planted import measure_each, plan

pytestmark = pytest.mark.long
ONE = Workload(kind="walk", ordered=True, walks=10, payload_bytes=400, frame_bytes=446)
# So many rules take longer than what other work may do in netfilter on that CPU meanwhile.
ARMS = {
    "plain": Arm(path="route", name="plain"),
    "rules": Arm(path="route", name="rules", features=("conntrack", "filter:1000")),
}
FORWARDS = "ip_forward"  # how the functions that forward begin
SUBSYSTEMS = Path(__file__).resolve().parents[3] / "counter" / "subsystems.toml"


@pytest.fixture(scope="module")
def records() -> dict[str, Record]:
    return measure_each({name: plan(arm, ONE) for name, arm in ARMS.items()})


def counted(records: dict[str, Record], name: str) -> Counted:
    record = records[name]
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.counted is not None
    return record.evidence.counted


def test_the_record_says_who_saw_it(records: dict[str, Record]) -> None:
    path = counted(records, "plain")
    assert path.tracer in (graph.TRACER, sampled.TOOL)
    if path.tracer == sampled.TOOL:
        assert any(note.startswith("no function_graph: ") for note in records["plain"].notes)


def forwarding_ns(path: Iterable[Call]) -> int:
    """Time of the functions that forward and of all that they call, of one packet."""
    total_ns = 0
    outer: int | None = None  # depth of the forwarding function that has not been left
    for call in path:
        if outer is None or call.depth <= outer:
            outer = call.depth if call.function.startswith(FORWARDS) else None
        total_ns += call.ns if outer is not None else 0
    return total_ns


def test_it_has_no_instructions_but_time(records: dict[str, Record]) -> None:
    path = counted(records, "plain").path
    assert "instructions" not in records["plain"].values
    assert {call.instructions for call in path} == {0}
    assert sum(call.ns for call in path) > 300
    # The rest of what perf samples on the gateway's CPU may be of other work.
    assert forwarding_ns(path) < 100_000


def test_the_packets_functions_are_seen(records: dict[str, Record]) -> None:
    """By all that they call: few samples fall into ip_forward() itself, by chance none."""
    path = counted(records, "plain")
    assert any(call.function.startswith(FORWARDS) for call in path.path)
    assert sum(ns for ns, _ in path.functions.values()) == pytest.approx(
        sum(call.ns for call in path.path)
    )


def test_netfilter_shows_where_it_is(records: dict[str, Record]) -> None:
    sorter = Sorter(read(SUBSYSTEMS))

    def time_ns(name: str) -> int:
        sizes = counted(records, name).functions.items()
        return sum(ns for function, (ns, _) in sizes if sorter.of(function) == NETFILTER)

    assert time_ns("rules") > 2 * time_ns("plain")
