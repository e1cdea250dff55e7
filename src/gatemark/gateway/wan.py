# SPDX-License-Identifier: Apache-2.0
"""A gateway's WAN side as it stands: the port, its addresses, and the hosts that it knows there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gatemark.node import checked
from gatemark.node.quoted import Script, shell
from gatemark.station.wiring import Gateway

WAN = "gw1"  # its role
ADDRESS = re.compile(r" inet6? (\S+/\d+) .*scope global")
KNOWN = "neigh replace {host} lladdr {mac} dev {device} nud permanent"
NEIGHBOUR = re.compile(r"^(\S+) (?:dev \S+ )?lladdr (\S+) .*PERMANENT", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wan:
    """The parts of the WAN side without which no packet reaches the WAN host."""

    device: str
    addresses: tuple[str, ...]  # with their length: 198.19.1.1/24
    hosts: Mapping[str, str]  # address -> MAC, of permanent neighbours


async def wan(gateway: Gateway) -> Wan:
    """Look at it. Raises NodeError."""
    device, name = gateway.devices[WAN], gateway.name
    hosts = NEIGHBOUR.findall(await gateway.run("ip", "neigh", "show", "dev", device))
    known = {
        checked.by(name, checked.address, host): checked.by(name, checked.mac, mac)
        for host, mac in hosts
    }
    return Wan(device, await addresses(gateway, device), known)


async def addresses(gateway: Gateway, device: str) -> tuple[str, ...]:
    """A port's own, with their lengths. Raises NodeError."""
    text = await gateway.run("ip", "-o", "addr", "show", "dev", device)
    return tuple(
        checked.by(gateway.name, checked.interface, each) for each in ADDRESS.findall(text)
    )


def neighbour(host: str, mac: str, device: str) -> Script:
    """The words behind `ip` that make a host known for good."""
    return shell(KNOWN, host=host, mac=mac, device=device)
