# SPDX-License-Identifier: Apache-2.0
"""What both ends of connections are asked for, and what bounds their number."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from gatemark.kind.connections.load import Connections, asked_for
from gatemark.node.agent import Agent
from gatemark.node.shell import Local
from gatemark.plan.kind import faults
from gatemark.plan.model import Workload
from gatemark.station.cpu import Placement
from gatemark.station.lent import alias
from gatemark.station.wiring import ROLES, Port, wires

PORTS = {device: Port(Local(), device, "02:00:00:00:00:01") for device in ROLES}
PLACEMENT = Placement(gateway=3, sender=0, sink=1)
PLENTY = 1 << 40


def load(**keys: Any) -> Workload:
    return Workload(kind="connections", **keys)


def asked(path: str, **keys: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the client and the server are asked for."""
    (wire,) = wires(PORTS, path, "up")
    made = Connections(wire, load(**keys), PLACEMENT)
    return made.client_request(), made.server_request()


@pytest.mark.parametrize("path", ["direct", "route", "nat"])
def test_the_client_goes_where_the_server_listens(path: str) -> None:
    for clients in (1, 25):
        client, server = asked(path, clients=clients, connections=100)
        assert (client["dst"], client["dst_port"]) == (server["src"], server["src_port"])
        assert client["dst_ports"] == server["src_ports"] == clients
        assert client["mode"] == server["mode"]


def test_one_client_has_the_hosts_own_address_and_many_have_others() -> None:
    assert asked("route")[0]["src"] == "198.18.1.2"
    many = asked("route", clients=25)[0]
    assert (many["src"], many["src_count"]) == ("198.18.1.4", 25)


@pytest.mark.parametrize(("family", "last"), [("ipv4", "198.18.1.253"), ("ipv6", "2001:2:0:1::fd")])
def test_250_clients_fit_into_the_network(family: str, last: str) -> None:
    addresses = alias.clients(PORTS["lan0"], family, 250)
    assert (addresses[-1], len(set(addresses))) == (last, 250)


@pytest.mark.parametrize(
    ("path", "told"),
    [("direct", ["wan9"]), ("switch", ["lan2"]), ("route", []), ("nat", []), ("endpoint", [])],
)
def test_a_gateway_is_never_told_of_its_clients_by_a_trial(
    path: str, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its station has done so, and takes it back; other hosts are of this machine, and go."""
    gateway = Local("gateway")
    hosts: list[str] = []
    ports = {role: replace(port, node=gateway) for role, port in PORTS.items() if role[0] == "g"}
    (wire,) = wires(PORTS | ports, path, "receive" if path == "endpoint" else "up")

    async def lend(*_: object) -> None:
        return None

    async def introduce(near: Port, neighbour: Port, addresses: list[str]) -> None:
        del near, addresses
        hosts.append(neighbour.role)

    monkeypatch.setattr(alias, "lend", lend)
    monkeypatch.setattr(alias, "introduce", introduce)
    monkeypatch.setattr(Agent, "launch", lend)
    node = None if path == "direct" else gateway
    asyncio.run(Connections(wire, load(clients=2), PLACEMENT, node).ready())
    assert hosts == told


def test_as_many_as_it_goes_is_a_million_if_there_are_addresses() -> None:
    assert asked_for(load(clients=25), PLENTY) == (1_000_000, "asked")
    assert asked_for(load(clients=1), PLENTY) == (40_000, "tuples")


def test_memory_bounds_how_many_are_tried() -> None:
    count, bound = asked_for(load(clients=25), 3 << 30)
    assert bound == "memory"
    assert 100_000 < count < 400_000


def test_crr_has_so_many_at_once_and_a_server_that_never_minds() -> None:
    client, server = asked("nat", connecting="crr")
    assert client["connections"] == 64
    assert server["connections"] == 1_000_000


def test_what_cannot_be_meant_is_refused() -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("direction", {"direction": "down"}),
        ("direction", {"direction": "both"}),
        ("clients", {"clients": 251}),
        ("connections", {"connecting": "hold", "connections": 0}),
        ("connections", {"connecting": "crr", "connections": 4097}),
        ("connections", {"connections": 40_001}),
        ("active_pps", {"active_pps": 5.0}),
        ("active_pps", {"connecting": "hold", "connections": 1, "active_pps": -1.0}),
    ]
    told = [(key, list(faults(load(**keys)))) for key, keys in wrong]
    assert [
        (key, words) for key, words in told if len(words) != 1 or f"`{key}`" not in words[0]
    ] == []


def test_what_can_be_meant_is_taken() -> None:
    for keys in ({}, {"connecting": "crr"}, {"connecting": "hold", "connections": 5}):
        assert not list(faults(load(**keys)))
