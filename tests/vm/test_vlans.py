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
UNDO = "ip link del br-lan; for port in lan1 lan2 lan3 wan; do ip link del $port; done"


def looked(booted: Booted) -> Shown:
    """The guest as it shows itself with these devices."""
    booted.said(MAKE)
    try:
        return booted.run(look(booted.lab.gateway.node))
    finally:
        booted.said(UNDO)


def test_sockets_are_those_that_the_kernel_says(booted: Booted) -> None:
    if not booted.said("command -v bridge; true"):
        pytest.skip("the guest has no bridge of iproute2")
    shown = looked(booted)
    outlets = {name: shown.outlets(name) for name in ("br-lan.4", "br-lan.1", "internet")}
    assert outlets == {
        "br-lan.4": (Outlet("lan1"), Outlet("lan2")),
        "br-lan.1": (Outlet("lan3", 1),),
        "internet": (Outlet("wan", 7),),
    }, json.dumps(shown.bridge_vlans)
