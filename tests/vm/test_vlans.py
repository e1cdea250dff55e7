# SPDX-License-Identifier: Apache-2.0
"""VLANs as a kernel shows them: those of a bridge that keeps them apart, and one of a port."""

import json

import pytest

from gatemark.station.ssh.ports import Outlet, Shown, look
from vm.conftest import Booted

pytestmark = pytest.mark.long

MAKE = """
for port in lan1 lan2 lan3; do ip link add $port type dummy; done
ip link add br-lan type bridge vlan_filtering 1 vlan_default_pvid 0
for port in lan1 lan2 lan3; do ip link set $port master br-lan; done
bridge vlan add dev lan1 vid 4 pvid untagged
bridge vlan add dev lan2 vid 4 pvid untagged
bridge vlan add dev lan3 vid 1
bridge vlan add dev lan3 vid 20-22
for number in 1 4; do bridge vlan add dev br-lan vid $number self; done
ip link add link br-lan name br-lan.4 type vlan id 4
ip link add link br-lan name br-lan.1 type vlan id 1
ip link add wan type dummy
ip link add link wan name internet type vlan id 7
"""
PLAIN = """
for port in lan1 lan2 lan3; do ip link add $port type dummy; done
ip link add br-lan type bridge
for port in lan1 lan2 lan3; do ip link set $port master br-lan; done
ip link add link br-lan name br-lan.10 type vlan id 10
ip link add wan type dummy
"""
OWN = """
ip link set br-lan type bridge vlan_filtering 1
bridge vlan del dev lan3 vid 1
bridge vlan add dev lan3 vid 10 pvid untagged
"""
UNDO = "ip link del br-lan; for port in lan1 lan2 lan3 wan; do ip link del $port; done"


def looked(booted: Booted, make: str = MAKE) -> Shown:
    """The guest as it shows itself with these devices."""
    booted.said(make)
    try:
        return booted.run(look(booted.lab.gateway.node))
    finally:
        booted.said(UNDO)


def require_bridge(booted: Booted) -> None:
    if not booted.said("command -v bridge; true"):
        pytest.skip("the guest has no bridge of iproute2")


def test_sockets_are_those_that_the_kernel_says(booted: Booted) -> None:
    require_bridge(booted)
    shown = looked(booted)
    outlets = {name: shown.outlets(name) for name in ("br-lan.4", "br-lan.1", "internet")}
    assert outlets == {
        "br-lan.4": (Outlet("lan1"), Outlet("lan2")),
        "br-lan.1": (Outlet("lan3", 1),),
        "internet": (Outlet("wan", 7),),
    }, json.dumps(shown.bridge_vlans)


def test_a_bridge_that_does_not_filter_passes_every_vlan(booted: Booted) -> None:
    require_bridge(booted)
    shown = looked(booted, PLAIN)
    ports = ("lan1", "lan2", "lan3")
    assert shown.bridge_vlans, "it lists VLAN 1 all the same"
    assert shown.outlets("br-lan.10") == tuple(Outlet(port, 10) for port in ports)
    assert shown.outlets("br-lan") == tuple(map(Outlet, ports))


def test_a_bridge_that_filters_is_in_a_vlan_itself(booted: Booted) -> None:
    require_bridge(booted)
    shown = looked(booted, PLAIN + OWN)
    assert shown.outlets("br-lan") == (Outlet("lan1"), Outlet("lan2"))
