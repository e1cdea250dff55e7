# SPDX-License-Identifier: Apache-2.0
"""Drops planted one at a time on a stock kernel: its counters have each lost packet, and once."""

from dataclasses import dataclass
from typing import Literal

import pytest
from lab.planted import plan
from msgspec.structs import replace

from gatemark.judge.cause.reconcile import UNCOUNTED, Reconciled, reconciled
from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.store.record import Record
from vm.conftest import Booted

LOAD = Workload(rate_pps=1_000, flows=16, duration_s=0.5)
LARGE = Workload(rate_pps=500, flows=16, duration_s=0.5, frame_bytes=1518)
ROUTE = Arm(path="route", name="route")
PASSES: tuple[tuple[str, ...], ...] = ((), ("freed",))
TABLE = "table inet planted { chain forward { type filter hook forward priority 0; %s }; }"
FLUSH = "nft delete table inet planted"
TRACING = "/sys/kernel/tracing"
INSTANCES = f"mount -t tracefs nodev {TRACING} && ls {TRACING}/instances; umount {TRACING}"

pytestmark = pytest.mark.long


@dataclass(frozen=True, slots=True)
class Planted:
    """Something that drops: how it is put there and taken away, and what the result calls it."""

    name: str
    put: str  # {lan}, {wan}: the gateway's ports
    take: str
    cause: str
    load: Workload = LOAD
    passes: Literal["both", "instrumented"] = "both"  # in which its packets are counted


PLANTED = [
    Planted(
        "rule with a counter",
        f"nft '{TABLE % 'udp sport 20001-20003 counter drop;'}'",
        FLUSH,
        'nft rule "udp sport 20001-20003 drop"',
    ),
    Planted(
        "rule without a counter",
        f"nft '{TABLE % 'udp sport 20004-20007 drop;'}'",
        FLUSH,
        UNCOUNTED,
        passes="instrumented",
    ),
    Planted(
        "shaper",
        "tc qdisc add dev {wan} root tbf rate 100kbit burst 2kb limit 2kb",
        "tc qdisc del dev {wan} root",
        "tbf",
    ),
    Planted(
        "random loss",
        "tc qdisc add dev {wan} root netem loss 20%",
        "tc qdisc del dev {wan} root",
        "netem",
    ),
    Planted(
        "no route",
        "ip route del 198.19.1.0/24 dev {wan}",
        "ip route add 198.19.1.0/24 dev {wan} proto kernel scope link src 198.19.1.1",
        "InNoRoutes",
    ),
    Planted(
        "large packets",
        "ip link set {wan} mtu 1400",
        "ip link set {wan} mtu 1500",
        "FragFails",
        LARGE,
    ),
    Planted(
        "policer",
        "tc qdisc add dev {lan} clsact && tc filter add dev {lan} ingress protocol ip matchall "
        "action police rate 100kbit burst 4k conform-exceed drop",
        "tc qdisc del dev {lan} clsact",
        "tc clsact",
    ),
]

BLACKHOLE = Planted(
    "blackhole",
    "ip route add blackhole 198.19.1.2/32",
    "ip route del blackhole 198.19.1.2/32",
    "in_no_route",
)


# From outside of a rule, with a counter and without, and of a shaper: the others are read as they.
@pytest.mark.parametrize(
    ("planted", "probes"),
    [
        *((planted, ("freed",)) for planted in PLANTED),
        *((planted, ()) for planted in PLANTED[:3]),
    ],
    ids=lambda case: getattr(case, "name", "instrumented" if case else "outside"),
)
def test_every_lost_packet_is_in_a_counter(
    booted: Booted, planted: Planted, probes: tuple[str, ...]
) -> None:
    record = tried(booted, planted, probes)
    result = reconciled(record)
    assert result, record.reason
    assert result.lost > 20, record
    if planted.passes == "both" or probes:
        assert (result.remains, causes(result)) == (0, [planted.cause]), record.evidence
    else:
        assert (result.remains, causes(result)) == (result.lost, [])


def test_a_blackhole_is_counted_but_for_packets_that_came_in_a_batch(booted: Booted) -> None:
    outside, instrumented = (reconciled(tried(booted, BLACKHOLE, probes)) for probes in PASSES)
    assert outside
    assert instrumented
    assert causes(outside) == [BLACKHOLE.cause]
    assert 0 <= outside.remains < outside.lost  # the more, the busier this machine is
    assert (instrumented.by_cause[0].cause, instrumented.remains) == (BLACKHOLE.cause, 0)


def test_no_instance_of_tracing_is_left(booted: Booted) -> None:
    record = tried(booted, PLANTED[1], ("freed",))
    assert record.evidence.freed
    assert not booted.said(INSTANCES)


def tried(booted: Booted, planted: Planted, probes: tuple[str, ...]) -> Record:
    """A trial with it there; it is away afterwards."""
    devices = booted.lab.gateway.devices
    names = {"lan": devices["gw0"], "wan": devices["gw1"]}
    spec = replace(order([plan(ROUTE, planted.load)], seed=1)[0], probes=probes)
    booted.run(booted.bench.prepare(spec.arm, spec.workload, 0))
    booted.said(filled(planted.put, names))
    try:
        return booted.tried(spec)
    finally:
        booted.said(filled(planted.take, names))


def filled(command: str, names: dict[str, str]) -> str:
    """A command with the ports' names in it."""
    for role, name in names.items():
        command = command.replace(f"{{{role}}}", name)
    return command


def causes(result: Reconciled) -> list[str]:
    return [drop.cause for drop in result.by_cause]
