# SPDX-License-Identifier: Apache-2.0
"""What both ends of a TCP way are asked for: who opens, who sends, and on which CPU."""

from typing import Any

import pytest

from gatemark.kind.tcp.load import Transfer
from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.station.cpu import Placement
from gatemark.station.wiring import ROLES, Port, wires

PORTS = {device: Port(Local(), device, "") for device in ROLES}
PLACEMENT = Placement(gateway=3, sender=0, sink=1)


def asked(path: str, direction: str, **keys: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the LAN host's end and the far end are asked for."""
    load = Workload(kind="tcp", direction=direction, **keys)  # type: ignore[arg-type]
    (wire,) = wires(PORTS, path, direction)
    transfer = Transfer(wire, load, PLACEMENT)
    return transfer.request(wire.near), transfer.request(wire.far)


@pytest.mark.parametrize("path", ["direct", "switch", "route", "nat"])
def test_the_lan_host_opens_whichever_end_sends(path: str) -> None:
    for direction, roles in (("up", ["source", "sink"]), ("down", ["sink", "source"])):
        ends = asked(path, direction)
        assert [end["open"] for end in ends] == ["connect", "listen"]
        assert [end["role"] for end in ends] == roles


def test_through_nat_the_wan_host_is_addressed_itself() -> None:
    near, far = asked("nat", "down")
    assert (near["dst"], near["dst_port"]) == (far["src"], far["src_port"])


@pytest.mark.parametrize(("direction", "role"), [("send", "source"), ("receive", "sink")])
def test_the_gateways_program_is_on_the_gateways_cpu(direction: str, role: str) -> None:
    near, far = asked("endpoint", direction)
    assert (far["role"], far["device"], far["cpu"], near["cpu"]) == (role, "gw0", 3, 0)


def test_without_a_gateway_the_far_host_is_on_its_own_cpu() -> None:
    assert [end["cpu"] for end in asked("direct", "send")] == [0, 1]


def test_two_directions_at_once_have_ports_of_their_own() -> None:
    ups, downs = asked("route", "up"), asked("route", "down")
    assert {end["src_port"] for end in ups}.isdisjoint(end["src_port"] for end in downs)


def test_both_ends_have_block_buffer_and_congestion_control() -> None:
    keys = {"write_bytes": 8192, "socket_buffer_bytes": 65536, "congestion": "reno", "streams": 4}
    for end in asked("route", "up", **keys):
        assert {name: end[name] for name in keys} == keys


def test_the_far_end_alone_takes_connections() -> None:
    (wire,) = wires(PORTS, "route", "up")
    transfer = Transfer(wire, Workload(kind="tcp"), PLACEMENT, ["198.18.1.2"])
    assert transfer.request(wire.far)["peers"] == ["198.18.1.2"]
    assert "peers" not in transfer.request(wire.near)
