# SPDX-License-Identifier: Apache-2.0
"""More addresses on a test port, for as long as a trial lasts: LAN hosts that share one machine.

A gateway knows where they are from its station, which tells it of all clients while it is up. A
host of ours at the other end of the link learns it here, so that nobody asks on a test port.
"""

from collections.abc import Sequence

from gatemark.station.lent.batch import each, fed
from gatemark.station.lent.borrowed import Borrowed
from gatemark.station.wiring import CLIENTS, Port

LENGTH = {"ipv4": 32, "ipv6": 128}  # of an address as a network of its own


def clients(port: Port, family: str, count: int) -> list[str]:
    """Consecutive addresses of so many hosts; one host has the port's own address."""
    if count == 1:
        return [port.address(family)]
    return [port.neighbour(family, number) for number in CLIENTS[:count]]


async def lend(port: Port, family: str, count: int) -> Borrowed:
    """Give a port the addresses of several hosts, until they are given back.

    Raises NodeError, StationError.
    """
    own = f"%s/{LENGTH[family]} dev {port.device}"
    at_once = " nodad" if family == "ipv6" else ""
    add, remove = (
        fed(each(port, family, CLIENTS[:count], line))
        for line in (f"addr replace {own}{at_once}", f"addr del {own}")
    )
    return await Borrowed.take(port.node, (add,), (remove,))


async def introduce(port: Port, neighbour: Port, addresses: Sequence[str]) -> None:
    """Tell a host of ours, of this machine, whose addresses these are.

    The entries are true, and stay, as long as its namespace is there.
    """
    lines = [
        f"neigh replace {address} lladdr {port.mac} dev {neighbour.device} nud permanent"
        for address in addresses
    ]
    await neighbour.node.run("ip", "-batch", "-", stdin="\n".join(lines) + "\n")
