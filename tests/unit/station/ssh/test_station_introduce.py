# SPDX-License-Identifier: Apache-2.0
"""A box is told of the very addresses that test packets bear."""

import subprocess

import pytest

from gatemark.node.quoted import Script
from gatemark.node.shell import Local
from gatemark.station.ssh.introduce import Behind
from gatemark.station.wiring import CLIENTS, FAR_HOSTS, Port

MAC = "02:00:00:00:00:01"


def printed(script: Script) -> list[str]:
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("numbers", [CLIENTS, FAR_HOSTS], ids=["clients", "far hosts"])
@pytest.mark.parametrize(
    ("ipv4", "ipv6"),
    [
        ("198.18.1.2/24", "2001:2:0:1::2/64"),
        ("10.1.7.2/16", "2001:db8::102/120"),
        ("192.168.1.140/24", "fd00:0:0:1::/64"),
    ],
)
def test_they_are_those_of_the_traffic(ipv4: str, ipv6: str, numbers: range) -> None:
    host = Port(Local(), "lan0", MAC, own={"ipv4": ipv4, "ipv6": ipv6})
    behind = Behind(Port(Local("gateway"), "gw0", "", "eth0"), host, numbers)
    addresses = [
        address
        for family in ("ipv4", "ipv6")
        for address in (
            host.address(family),
            *(host.neighbour(family, number) for number in numbers),
        )
    ]
    tail = f" dev eth0 lladdr {MAC} nud permanent"
    assert printed(behind.introduced()) == [
        f"neigh replace {address}{tail}" for address in addresses
    ]
    assert printed(behind.forgotten()) == [f"neigh del {address} dev eth0" for address in addresses]
