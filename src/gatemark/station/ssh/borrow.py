# SPDX-License-Identifier: Apache-2.0
"""Changes on another host that are undone whatever happens to us: its own shell waits to do it.

    its shell:  change it | say so | read to the end of its input | undo it

The input ends when we close it, when we die, when the connection is lost, and when the lease of the
host is over (node/remote/lease.sh): there is one way to undo, and it runs where nobody can take it
away. A SIGTERM ends the reading, too: for a login that may not end its SSH server.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from gatemark.error import StationError
from gatemark.node.checked import is_up
from gatemark.node.quoted import Script, joined, sh, shell
from gatemark.node.shell import Node, Process

DONE, FAILED = "done", "failed"
SHELL = """
trap '' HUP INT PIPE; trap : TERM
if said=$( {{ {changing}; }} 2>&1 ); then echo done
else echo "failed $(echo "$said" | tail -n 1)"; fi
cat > /dev/null
trap '' TERM
{undoing}
"""
VLAN = "ip link add link {nic} name {device} type vlan id {id}"
WHOLE = "{{ ethtool -K {device} {feature} off 2> /dev/null || true; }}"


@dataclass(slots=True)
class Borrowed:
    """What was changed on a host, until `give_back`."""

    node: Node
    process: Process

    @classmethod
    async def take(cls, node: Node, change: Sequence[Script], undo: Sequence[Script]) -> Self:
        """Run the lines `change`, to the first that fails. Raises StationError: undone then."""
        changing = joined((shell("true"), *change), by=" && ")
        undoing = joined(shell("{line} 2> /dev/null", line=line) for line in undo)
        process = await node.start(*sh(shell(SHELL, changing=changing, undoing=undoing)))
        made = cls(node, process)
        word, _, why = (await process.line()).decode(errors="replace").strip().partition(" ")
        if word != DONE:
            await made.give_back()
            raise StationError(f"{node.name}: {why or 'its shell ended without a word'}")
        return made

    @property
    def lost(self) -> bool:
        """Whether the changes are undone, or their host is lost."""
        return self.process.ended

    async def give_back(self) -> None:
        """Undo the changes, and wait for that; of a host that is lost its shell does it alone."""
        self.process.close_stdin()
        await self.process.wait()


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

    async def lines(self, addresses: Sequence[str]) -> tuple[list[Script], list[Script]]:
        """What makes a test port of it with these addresses, and what undoes that.

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
        """What is on of that which makes one packet of many, or many of one."""
        text = await self.node.run("ethtool", "-k", self.nic)
        return [short for short, name in MERGES.items() if f"{name}: on" in text]


MERGES = {
    "tso": "tcp-segmentation-offload",
    "gso": "generic-segmentation-offload",
    "gro": "generic-receive-offload",
    "lro": "large-receive-offload",
}
