# SPDX-License-Identifier: Apache-2.0
"""A NIC of a host over SSH as a test port: what makes it one, and what undoes that.

Both are lines of shell for the host's own (station/lent/borrowed.py).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.node.checked import is_up
from gatemark.node.quoted import Script, shell
from gatemark.node.shell import Node

KNOWN = "ip neigh replace {hop} lladdr {mac} dev {device} nud permanent"
SET = "PERMANENT"  # the state of a neighbour that somebody set, as `ip` prints it
# What `ip` prints of a route and does not take: how its device is just now.
STATES = {"\\", "dead", "linkdown", "offload", "trap"}
METRIC = {"ipv4": "0", "ipv6": "1024"}  # of a route that names none; that of IPv4 is not printed
MERGES = ("tso", "gso", "gro", "lro")
# The same, as `ethtool -k` tells what can be switched. Those that `tso` stands for are told one by
# one: a usual NIC has some of them off, and `tso on` would switch on all.
MERGING = re.compile(
    r"^\s*(tx-tcp[\w-]*-segmentation|generic-segmentation-offload|generic-receive-offload"
    r"|large-receive-offload): on$",
    re.MULTILINE,
)
VLAN = "ip link add link {nic} name {device} type vlan id {id}"
WHOLE = "{{ ethtool -K {device} {feature} off 2> /dev/null || true; }}"

Lines = tuple[list[Script], list[Script]]  # what changes something, and what undoes that


@dataclass(frozen=True, slots=True)
class Nic:
    """A NIC on a host over SSH: it stays where it is, and what we add is taken away again."""

    node: Node
    nic: str
    vlan: int = 0

    @property
    def device(self) -> str:
        """The test port."""
        return f"{self.nic}.{self.vlan}" if self.vlan else self.nic

    async def lines(self, addresses: Sequence[str]) -> Lines:
        """Return the lines that make a test port of it with these addresses, and their undo.

        An address that it has already stays. Raises NodeError.
        """
        nic, device = self.nic, self.device
        change, undo = [], []
        if self.vlan:
            change.append(shell(VLAN, nic=nic, device=device, id=self.vlan))
            undo.append(shell("ip link del {device}", device=device))
        if not await self._up():
            change.append(shell("ip link set {nic} up", nic=nic))
            undo.append(shell("ip link set {nic} down", nic=nic))
        if self.vlan:
            change.append(shell("ip link set {device} up", device=device))
        there = await self._addresses()
        for address in (address for address in addresses if address not in there):
            own = shell("{address} dev {device}", address=address, device=device)
            late = shell(" nodad") if ":" in address else shell("")
            change.append(shell("ip addr add {own}{late}", own=own, late=late))
            undo.insert(0, shell("ip addr del {own}", own=own))
        for feature in await self._merging():
            change.append(shell("ethtool -K {nic} {feature} off", nic=nic, feature=feature))
            undo.append(shell("ethtool -K {nic} {feature} on", nic=nic, feature=feature))
        if self.vlan:  # it has its own, and goes away with them
            change += [shell(WHOLE, device=device, feature=feature) for feature in MERGES]
        return change, undo

    async def known(self, hop: str, mac: str) -> Lines:
        """Return the lines that make a neighbour known for good, and their undo.

        One that the host's owner has set so stays; another is set again. Raises NodeError.
        """
        change = shell(KNOWN, hop=hop, mac=mac, device=self.device)
        was = await self._neighbour(hop)
        if not was:
            return [change], [shell("ip neigh del {hop} dev {device}", hop=hop, device=self.device)]
        if mac in was:
            return [], []
        again = shell("ip neigh replace {was} dev {device}", was=was, device=self.device)
        return [change], [shell("{again} nud permanent", again=again)]

    async def routed(self, network: str, by: str) -> Lines:
        """Return the lines that send a network's packets by a host here, and their undo.

        A route of the host's own that does so stays; another to that network is set again. Raises
        NodeError.
        """
        hop = ["via", by, "dev", self.device]
        way = shell("{network} {hop}", network=network, hop=hop)
        change = shell("ip route replace {way}", way=way)
        was = await self._replaced(network)
        if not was:
            return [change], [shell("ip route del {way}", way=way)]
        if was[1 : 1 + len(hop)] == hop:
            return [], []
        return [change], [shell("ip route replace {was}", was=was)]

    async def _neighbour(self, hop: str) -> list[str]:
        """The words of an entry that somebody set, without its state; none where there is none."""
        if self.vlan:
            return []
        shown = ("neigh", "show", hop, "dev", self.device, "nud", "permanent")
        words = (await self.node.run("ip", *shown)).split()
        return [word for word in words if word != SET]

    async def _replaced(self, network: str) -> list[str]:
        """The words of the route that a new one to a network takes the place of."""
        family = "ipv6" if ":" in network else "ipv4"
        text = await self.node.run("ip", "-o", f"-{family[-1]}", "route", "show", "exact", network)
        for words in map(str.split, text.splitlines()):
            metric = words[words.index("metric") + 1] if "metric" in words else METRIC["ipv4"]
            if metric == METRIC[family]:
                return [word for word in words if word not in STATES]
        return []

    async def _up(self) -> bool:
        flags = await self.node.run("cat", f"/sys/class/net/{self.nic}/flags")
        return is_up(flags)

    async def _addresses(self) -> list[str]:
        if self.vlan:
            return []
        text = await self.node.run("ip", "-o", "addr", "show", "dev", self.nic)
        return [
            words[at + 1]
            for words in map(str.split, text.splitlines())
            for at, word in enumerate(words[:-1])
            if word in ("inet", "inet6")
        ]

    async def _merging(self) -> list[str]:
        """Return the offloads that are on and make one packet of many, or many of one."""
        return MERGING.findall(await self.node.run("ethtool", "-k", self.nic))
