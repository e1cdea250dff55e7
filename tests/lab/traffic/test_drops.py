# SPDX-License-Identifier: Apache-2.0
"""Drops planted in the lab: the gateway's counters have each packet that the tester lost, once."""

from collections.abc import Awaitable, Callable

import backlog
import pytest

from gatemark.judge.cause.reconcile import reconciled
from gatemark.plan.model import Workload
from gatemark.run.bench import Bench
from lab.planted import bare, measure, plan

LOAD = Workload(rate_pps=5_000, flows=16, duration_s=0.5)
OVERLOAD = Workload(rate_pps=20_000, flows=16, duration_s=0.5)
LARGE = Workload(rate_pps=2_000, flows=16, duration_s=0.5, frame_bytes=1518)
CHAIN = "add table inet planted; add chain inet planted f { type filter hook forward priority 0; }"

Plant = Callable[[Bench], Awaitable[None]]


def planted(*commands: str, load: Workload = LOAD) -> Plant:
    """Commands on the gateway, once it is set."""

    async def plant(bench: Bench) -> None:
        (arm,) = plan("route", load).arm
        await bench.prepare(arm, load, 0)
        for command in commands:
            await bench.station.gateway.run("sh", "-c", command)

    return plant


def rule(text: str) -> str:
    return f"nft '{CHAIN}; add rule inet planted f {text}'"


CASES = [
    (rule("udp sport 20001-20003 counter drop"), LOAD, 'nft rule "udp sport 20001-20003 drop"'),
    ("tc qdisc add dev gw1 root tbf rate 3mbit burst 16kb limit 16kb", OVERLOAD, "tbf"),
    (
        "tc qdisc add dev gw1 root handle 1: htb default 2; "
        "tc class add dev gw1 parent 1: classid 1:2 htb rate 3mbit; "
        "tc qdisc add dev gw1 parent 1:2 handle 2: pfifo limit 9",
        OVERLOAD,
        "pfifo",
    ),
    ("ip route del 198.19.1.0/24", LOAD, "InNoRoutes"),
    ("ip link set gw1 mtu 1400", LARGE, "FragFails"),
]


@pytest.mark.parametrize(
    ("command", "load", "cause"),
    [
        pytest.param(*case, id=case[2], marks=pytest.mark.long if at else ())
        for at, case in enumerate(CASES)
    ],
)
def test_every_lost_packet_is_in_a_counter(command: str, load: Workload, cause: str) -> None:
    with backlog.watched() as backlogs:
        _, records = measure(plan("route", load), plant=planted(command, load=load))
    assert [record.pass_ for record in records] == ["outside", "instrumented"]
    for record in records:
        result = reconciled(record)
        assert result, record.reason
        others = [drop.packets for drop in result.by_cause if drop.cause != cause]
        assert (len(result.by_cause), result.lost > 0) == (len(others) + 1, True)
        # A CPU's backlog is the machine's: a namespace counts it at a port, or not at all.
        assert result.remains >= 0
        assert sum(others) + result.remains <= backlogs.dropped


@pytest.mark.long
def test_what_a_rule_without_a_counter_drops_is_in_no_counter() -> None:
    plant = planted(rule("udp sport 20001-20003 drop"))
    _, (record,) = measure(bare(plan("route", LOAD)), plant=plant)
    result = reconciled(record)
    assert result
    assert result.remains == result.lost > 0


@pytest.mark.long
def test_what_a_full_queue_refuses_is_counted_once() -> None:
    """The gateway's port counts it as well, by some ways of sending."""
    _, records = measure(
        plan("route", Workload(rate_pps=20_000, duration_s=0.4), slow_to_pps=8_000)
    )
    for record in records:
        result = reconciled(record)
        assert result, record.reason
        assert result.refused > 0
        assert (result.by_cause, result.remains) == ((), 0)


@pytest.mark.long
def test_what_came_through_whole_dropped_nothing() -> None:
    load = Workload(rate_pps=2_000, flows=8, duration_s=0.4)
    _, (record,) = measure(bare(plan("route", load)))
    assert record.evidence.drops
    assert record.evidence.drops.causes == ()
