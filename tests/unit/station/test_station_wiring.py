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


# path, direction: source, next hop, target, sink
WIRES = {
    ("direct", "up"): ("lan9", "wan9", "wan9", "wan9"),
    ("direct", "down"): ("wan9", "lan9", "lan9", "lan9"),
    ("route", "up"): ("lan0", "gw0", "wan0", "wan0"),
    ("route", "down"): ("wan0", "gw1", "lan0", "lan0"),
    ("nat", "up"): ("lan0", "gw0", "wan0", "wan0"),
    ("nat", "down"): ("wan0", "gw1", "gw1", "lan0"),
    ("switch", "up"): ("lan0", "lan2", "lan2", "lan2"),
    ("switch", "down"): ("lan2", "lan0", "lan0", "lan0"),
    ("endpoint", "send"): ("gw0", "lan0", "lan0", "lan0"),
    ("endpoint", "receive"): ("lan0", "gw0", "gw0", "gw0"),
    ("direct", "send"): ("wan9", "lan9", "lan9", "lan9"),
}


def test_a_wire_has_its_four_ports() -> None:
    def devices(path: str, direction: str) -> tuple[str, ...]:
        (wire,) = wires(PORTS, path, direction)
        ends = (wire.source, wire.next_hop, wire.target, wire.sink)
        return tuple(port.device for port in ends)

    assert {way: devices(*way) for way in WIRES} == WIRES


def test_both_directions_are_each_of_them() -> None:
    for path in ("direct", "switch", "route", "nat"):
        both = wires(PORTS, path, "both")
        assert both == wires(PORTS, path, "up") + wires(PORTS, path, "down")


def test_addresses_are_of_the_networks_for_benchmarks() -> None:
    networks = {"ipv4": "198.18.0.0/15", "ipv6": "2001:2::/48"}
    for family, network in networks.items():
        addresses = [PORTS[device].address(family) for device in ADDRESS]
        within = ipaddress.ip_network(network)
        assert [text for text in addresses if ipaddress.ip_address(text) not in within] == []


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_the_ends_of_a_link_share_a_network(family: str) -> None:
    for ends in (("lan0", "gw0"), ("gw1", "wan0"), ("lan9", "wan9"), ("lan0", "lan2")):
        near, far = (ipaddress.ip_interface(ADDRESS[device][family]) for device in ends)
        assert near.network == far.network, ends
        assert near != far, ends


@pytest.mark.parametrize(
    ("cpus", "gateway", "sender", "sink"),
    [({0, 1}, 1, 0, 0), ({0, 1, 2}, 2, 0, 1), ({3, 5, 9, 11}, 11, 3, 5)],
)
def test_the_gateway_has_a_processor_for_itself(
    cpus: set[int], gateway: int, sender: int, sink: int
) -> None:
    placement = place(cpus)
    assert (placement.gateway, placement.sender, placement.sink) == (gateway, sender, sink)


def test_one_processor_is_too_few() -> None:
    with pytest.raises(UnavailableError, match=r"one CPU only: .*; use two or more"):
        place({4}).require()


def test_only_processors_that_we_may_use_are_used() -> None:
    found = place()
    assert {found.gateway, found.sender, found.sink} <= os.sched_getaffinity(0)
