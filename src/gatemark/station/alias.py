# SPDX-License-Identifier: Apache-2.0
"""More addresses on a test port, for as long as a trial lasts: LAN hosts that share one machine.

The other end of the link learns them as permanent neighbours, so that nobody asks for them on a
test port; these entries stay, as they are true as long as the port is there.
"""

from collections.abc import Sequence
from ipaddress import ip_address, ip_interface

from gatemark.station.wiring import ADDRESS, Port

FIRST = 4  # .1 to .3 are the gateway and the two LAN hosts (station/wiring.py)


def clients(port: Port, family: str, count: int) -> list[str]:
    """Consecutive addresses of so many hosts; one host has the port's own address."""
    if count == 1:
        return [port.address(family)]
    first = ip_interface(ADDRESS[port.device][family]).network.network_address + FIRST
    return [str(first + at) for at in range(count)]


async def add(port: Port, neighbour: Port, addresses: Sequence[str]) -> None:
    """Give a port these addresses, and tell them to who is at the other end of its link."""
    length = {4: 32, 6: 128}
    mine = [
        f"addr replace {address}/{length[ip_address(address).version]} dev {port.device}"
        + (" nodad" if ":" in address else "")
        for address in addresses
    ]
    theirs = [
        f"neigh replace {address} lladdr {port.mac} dev {neighbour.device} nud permanent"
        for address in addresses
    ]
    await port.node.run("ip", "-batch", "-", stdin="\n".join(mine) + "\n")
    await neighbour.node.run("ip", "-batch", "-", stdin="\n".join(theirs) + "\n")


async def remove(port: Port, addresses: Sequence[str]) -> None:
    """Take these addresses away again."""
    length = {4: 32, 6: 128}
    lines = [
        f"addr del {address}/{length[ip_address(address).version]} dev {port.device}"
        for address in addresses
    ]
    await port.node.run("ip", "-force", "-batch", "-", stdin="\n".join(lines) + "\n")
