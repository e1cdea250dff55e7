# SPDX-License-Identifier: Apache-2.0
"""A replay is between hosts of this machine alone."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from gatemark.error import UnavailableError
from gatemark.node.remote.login import Address, Login
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Local, Node
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.workload import replay


@dataclass(frozen=True, slots=True)
class Bench:
    """What a replay asks of a station."""

    ports: Mapping[str, Port]
    placement: Placement


SPEC = TrialSpec(
    trial="t",
    plan="p",
    arm=Arm(path="route", name="route"),
    gateway=Gateway(),
    workload=Workload(kind="replay", trace="voip", direction="both"),
    point={},
    repeat=1,
    pass_="outside",  # noqa: S106
    sequence=0,
)


def loads(wan: Node) -> int:
    """How many directions are replayed to a WAN host."""
    ports = {role: Port(wan if role == "wan0" else Local(), role, "") for role in ROLES}
    ways = wires(ports, "route", "both")
    bench = Bench(ports, Placement(gateway=0, sender=0, sink=0))
    return len(asyncio.run(replay.loads(bench, SPEC, ways)))  # type: ignore[arg-type]


def test_hosts_of_this_machine_replay() -> None:
    assert loads(Local()) == 2


def test_another_machine_is_refused_with_the_reason() -> None:
    host = Ssh("WAN host", Login(Address("192.0.2.3")))
    with pytest.raises(UnavailableError, match=r"^WAN host: another machine, .* clock"):
        loads(host)
