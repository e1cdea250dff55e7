# SPDX-License-Identifier: Apache-2.0
"""From the reports of both ends to values and evidence."""

from typing import Any

import pytest

from gatemark.kind.connections.result import define, evidence, outcome, series
from gatemark.node.shell import Local
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.store.record import Definition
from gatemark.workload.way import Way

PORTS = {device: Port(Local(), device, "") for device in ROLES}
TIMES = {"low": [100, 200, 900], "count": [60, 39, 1]}
SINK = {
    "full": "",
    "bound": "asked",
    "kernel_bytes": 7_000_000,
    "memory_bytes": 100_000,
    "conntrack": {"entries": 1000, "max": 262_144, "drop": 0, "insert_failed": 0},
}


def raw(**keys: Any) -> Raw:
    sent = {
        "t0_ns": 1_000_000_000,
        "t1_ns": 3_000_000_000,
        "stop": "connections",
        "begun": 1000,
        "connected": 1000,
        "opened": 1000,
        "open": 990,
        "skipped": 0,
        "failed": {},
        "opening": {"t0_ns": 0, "t1_ns": 500_000_000},
        "scheduled": 0,
        "asked": 0,
        "answered": 0,
        "connect_ns": TIMES,
        "echo_ns": TIMES,
        "rate": {"t0_ns": 0, "bin_ms": 100, "connections": [600, 400]},
        "memory_bytes": 100_000,
    }
    (wire,) = wires(PORTS, "nat", "up")
    return Raw([Way(wire, sent | keys, dict(SINK), {})], {"ports": ({}, {})})


def spec(connecting: str, **keys: Any) -> TrialSpec:
    return TrialSpec(
        trial="t",
        plan="p",
        arm=Arm(path="nat"),
        gateway=Gateway(),
        workload=Workload(kind="connections", connecting=connecting, **keys),  # type: ignore[arg-type]
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106 - not a password
    )


def test_those_that_answered_at_the_end_are_counted_and_the_opening_is_timed() -> None:
    values, accounting = outcome(spec("open"), raw())
    assert accounting is None
    assert values["connections"] == 990
    assert values["connections_per_s"] == pytest.approx(2000)
    assert values["connection_bytes"] == pytest.approx(7_200_000 / 990)
    # To within a bucket of the histogram.
    assert values["connect_p50_ns"] == pytest.approx(100, rel=0.032)
    assert values["connect_p99_ns"] == pytest.approx(200, rel=0.032)


def test_a_rate_is_of_the_time_that_was_asked_in() -> None:
    values, _ = outcome(spec("crr"), raw(failed={"no answer": 10}, begun=1020, skipped=20))
    assert values["connections_per_s"] == pytest.approx(500)
    assert values["loss_ratio"] == pytest.approx(0.01)
    assert "connections" not in values


def test_messages_that_never_came_back_are_lost() -> None:
    values, _ = outcome(spec("hold", active_pps=5.0), raw(scheduled=100, asked=100, answered=98))
    assert values["loss_ratio"] == pytest.approx(0.02)
    assert "loss_ratio" not in outcome(spec("hold"), raw())[0]


def test_where_it_ended_is_evidence_beside_the_table() -> None:
    first = {"number": 700, "why": "no answer", "errno": "x"}
    seen = evidence(raw(stop="failed", failed={"no answer": 2}, first_failure=first))
    assert seen["connecting"]["stop"] == "failed"
    assert (seen["connecting"]["number"], seen["connecting"]["why"]) == (700, "no answer")
    assert seen["connecting"]["failed"] == 2
    assert seen["conntrack"]["max"] == 262_144


@pytest.mark.parametrize(
    ("connecting", "quantity"),
    [
        ("open", "concurrent connections"),
        ("hold", "concurrent connections"),
        ("crr", "connection rate"),
    ],
)
def test_the_definition_says_what_it_is_about(connecting: str, quantity: str) -> None:
    load = spec(connecting, connections=7, clients=3).workload
    made = define(Definition(path="nat"), load)
    assert (made.quantity, made.connections, made.clients, made.l4) == (quantity, 7, 3, "tcp")


def test_connections_over_time_are_kept() -> None:
    kept = series(raw().ways[0])
    assert kept["source.up.connections"] == ([0, 100_000_000], [600, 400])
    assert kept["source.up.echo_ns"] == (TIMES["low"], TIMES["count"])
