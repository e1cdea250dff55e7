# SPDX-License-Identifier: Apache-2.0
"""More addresses on a test port, for as long as a trial lasts: LAN hosts that share one machine.

The other end of the link learns them as permanent neighbours, so that nobody asks for them on a
test port; these entries stay, as they are true as long as the port is there.
"""

from collections.abc import Sequence

from gatemark.station.wiring import FIRST_CLIENT, Port


def clients(port: Port, family: str, count: int) -> list[str]:
    """Consecutive addresses of so many hosts; one host has the port's own address."""
    if count == 1:
        return [port.address(family)]
    return [port.neighbour(family, FIRST_CLIENT + at) for at in range(count)]


async def add(port: Port, neighbour: Port, addresses: Sequence[str]) -> None:
    """Give a port these addresses, and tell them to who is at the other end of its link."""
    texts = [
        f"addr replace {_alone(address)} dev {port.device}" + (" nodad" if ":" in address else "")
        for address in addresses
    ]
    theirs = [
        f"neigh replace {address} lladdr {port.mac} dev {neighbour.device} nud permanent"
        for address in addresses
    ]
    await port.node.run("ip", "-batch", "-", stdin="\n".join(texts) + "\n")
    await neighbour.node.run("ip", "-batch", "-", stdin="\n".join(theirs) + "\n")


async def remove(port: Port, addresses: Sequence[str]) -> None:
    """Take these addresses away again."""
    lines = [f"addr del {_alone(address)} dev {port.device}" for address in addresses]
    await port.node.run("ip", "-force", "-batch", "-", stdin="\n".join(lines) + "\n")


def _alone(address: str) -> str:
    """The address as a network of its own."""
    return f"{address}/{128 if ':' in address else 32}"
