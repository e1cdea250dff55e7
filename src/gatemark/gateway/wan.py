# SPDX-License-Identifier: Apache-2.0
"""A gateway's WAN side as it stands: the port, its addresses, and the hosts that it knows there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gatemark.gateway.nat import WAN
from gatemark.station.wiring import Gateway

ADDRESS = re.compile(r" inet6? (\S+/\d+) .*scope global")
NEIGHBOUR = re.compile(r"^(\S+) (?:dev \S+ )?lladdr (\S+) .*PERMANENT", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wan:
    """What of it has to be there for packets to reach the WAN host."""

    device: str
    addresses: tuple[str, ...]  # with their length: 198.19.1.1/24
    hosts: Mapping[str, str]  # address -> MAC, of permanent neighbours


async def wan(gateway: Gateway) -> Wan:
    """Look at it. Raises NodeError."""
    device = gateway.devices[WAN]
    addresses = ADDRESS.findall(await gateway.run("ip", "-o", "addr", "show", "dev", device))
    hosts = NEIGHBOUR.findall(await gateway.run("ip", "neigh", "show", "dev", device))
    return Wan(device, tuple(addresses), dict(hosts))


def neighbour(host: str, mac: str, device: str) -> str:
    """The words behind `ip` that make a host known for good."""
    return f"neigh replace {host} lladdr {mac} dev {device} nud permanent"
