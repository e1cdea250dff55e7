# SPDX-License-Identifier: Apache-2.0
"""Nothing merges packets on a side's port, nor on the NIC that carries it as a VLAN."""

import asyncio
from collections.abc import Iterable

import pytest

from gatemark.error import UsageError
from gatemark.node.remote.login import Address, Login
from gatemark.node.shell import Local as Here
from gatemark.node.shell import Node
from gatemark.station import space
from gatemark.station.demand import PLAIN
from gatemark.station.ssh import box, file
from gatemark.station.ssh.file import Side
from gatemark.station.ssh.side import Local
from gatemark.station.wiring import Port

OWN = {"lan": Side(nic="enp3s0", vlan=10), "wan": Side(nic="enp4s0")}
SHARED = {"lan": Side(nic="enp3s0", vlan=10), "wan": Side(nic="enp3s0", vlan=20)}


def local(sides: dict[str, Side]) -> Local:
    return Local("abc123", sides, "run")


def test_they_are_switched_off_on_both(monkeypatch: pytest.MonkeyPatch) -> None:
    switched: list[tuple[Node, str, str]] = []

    async def offloads(node: Node, device: str, state: str) -> None:
        switched.append((node, device, state))

    monkeypatch.setattr(space, "offloads", offloads)
    monkeypatch.setattr(Local, "_connect", lambda *_: None)

    def of(sides: Local, end: str) -> list[tuple[Node, str, str]]:
        switched.clear()
        port = Port(sides.node(end), f"{end}0", "", sides.sides[end].device)
        asyncio.run(sides.connect(end, port, port, ()))
        return list(switched)

    own, shared = local(OWN), local(SHARED)
    lan = own.node("lan")
    assert of(own, "lan") == [(lan, "enp3s0", "off"), (lan, "enp3s0.10", "off")]
    assert of(own, "wan") == [(own.node("wan"), "enp4s0", "off")]
    vlan = shared.node("wan"), "enp3s0.20", "off"
    assert of(shared, "wan") == [(Here(), "enp3s0", "off"), vlan]


def test_both_are_looked_at_before_each_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[dict[str, Node]] = []

    async def check_ports(ports: dict[str, Node]) -> None:
        looked.append(ports)

    async def link_bps(ends: Iterable[tuple[Node, str]], files: object) -> int:
        del files
        cables.append(list(ends))
        return 1_000_000_000

    cables: list[list[tuple[Node, str]]] = []
    monkeypatch.setattr(box, "check_ports", check_ports)
    monkeypatch.setattr(box, "link_bps", link_bps)
    gateway = Login(Address("192.0.2.1"))
    sides = {"lan": SHARED["lan"]}
    station = box.Box(
        file.Box(name="b", login=gateway, devices={"gw0": "eth0"}, own={"gw0": {}}, sides=sides)
    )
    ground = station.sides.ground("lan")
    station.ports = {
        "lan0": Port(station.sides.node("lan"), "lan0", "", "enp3s0.10"),
        "gw0": Port(station.box, "gw0", "", "eth0"),
    }
    asyncio.run(station.meet(PLAIN))
    assert looked == [{"enp3s0": ground, "enp3s0.10": station.sides.node("lan")}]
    assert cables == [[(ground, "enp3s0"), (station.box, "eth0")]]
    assert {role: port.link_bps for role, port in station.ports.items()} == {
        "lan0": 1_000_000_000,
        "gw0": None,
    }


def test_a_port_in_another_network_than_the_gateways_is_refused_with_the_key() -> None:
    sides = local(OWN)
    port = Port(sides.node("lan"), "lan0", "", "enp3s0", {"ipv4": "192.168.1.10/24"})
    hop = Port(
        sides.node("lan"), "gw0", "", "eth0", {"ipv4": "192.168.1.1/24", "ipv6": "fd00::1/64"}
    )
    with pytest.raises(UsageError, match=r"\[lan\] ipv6 = .* the gateway has fd00::1/64 there"):
        asyncio.run(sides.connect("lan", port, hop, ()))
