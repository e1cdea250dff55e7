# SPDX-License-Identifier: Apache-2.0
"""Who sends to whom on each path, and which processor does what."""

import ipaddress
import os

import pytest

from gatemark.error import UnavailableError
from gatemark.node.shell import Local
from gatemark.station.cpu import place
from gatemark.station.wiring import ADDRESS, ROLES, Port, wires

PORTS = {device: Port(Local(), device, "") for device in ROLES}


@pytest.mark.parametrize(
    ("path", "direction", "source", "next_hop", "target", "sink"),
    [
        ("direct", "up", "lan9", "wan9", "wan9", "wan9"),
        ("direct", "down", "wan9", "lan9", "lan9", "lan9"),
        ("route", "up", "lan0", "gw0", "wan0", "wan0"),
        ("route", "down", "wan0", "gw1", "lan0", "lan0"),
        ("nat", "up", "lan0", "gw0", "wan0", "wan0"),
        ("nat", "down", "wan0", "gw1", "gw1", "lan0"),
        ("switch", "up", "lan0", "lan2", "lan2", "lan2"),
        ("switch", "down", "lan2", "lan0", "lan0", "lan0"),
        ("endpoint", "send", "gw0", "lan0", "lan0", "lan0"),
        ("endpoint", "receive", "lan0", "gw0", "gw0", "gw0"),
        ("direct", "send", "wan9", "lan9", "lan9", "lan9"),
    ],
)
def test_a_wire(
    path: str, direction: str, source: str, next_hop: str, target: str, sink: str
) -> None:
    (wire,) = wires(PORTS, path, direction)
    ends = (wire.source, wire.next_hop, wire.target, wire.sink)
    assert [port.device for port in ends] == [source, next_hop, target, sink]


@pytest.mark.parametrize("path", ["direct", "switch", "route", "nat"])
def test_both_directions_are_each_of_them(path: str) -> None:
    assert wires(PORTS, path, "both") == wires(PORTS, path, "up") + wires(PORTS, path, "down")


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_addresses_are_of_the_networks_for_benchmarks(family: str) -> None:
    networks = [ipaddress.ip_network(net) for net in ("198.18.0.0/15", "2001:2::/48")]
    for port in map(PORTS.__getitem__, ADDRESS):
        address = ipaddress.ip_address(port.address(family))
        assert any(address in net for net in networks if net.version == address.version)


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
@pytest.mark.parametrize(
    "ends", [("lan0", "gw0"), ("gw1", "wan0"), ("lan9", "wan9"), ("lan0", "lan2")]
)
def test_the_ends_of_a_link_share_a_network(ends: tuple[str, str], family: str) -> None:
    near, far = (ipaddress.ip_interface(ADDRESS[device][family]) for device in ends)
    assert near.network == far.network
    assert near != far


@pytest.mark.parametrize(
    ("cpus", "gateway", "sender", "sink"),
    [({0, 1}, 1, 0, 0), ({0, 1, 2}, 2, 0, 1), ({3, 5, 9, 11}, 11, 3, 5)],
)
def test_the_gateway_has_a_processor_for_itself(
    cpus: set[int], gateway: int, sender: int, sink: int
) -> None:
    found = place(cpus)
    assert (found.gateway, found.sender, found.sink) == (gateway, sender, sink)


def test_one_processor_is_too_few() -> None:
    with pytest.raises(UnavailableError, match=r"one CPU only: .*; use two or more"):
        place({4})


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_only_processors_that_we_may_use_are_used() -> None:
    found = place()
    assert {found.gateway, found.sender, found.sink} <= os.sched_getaffinity(0)
