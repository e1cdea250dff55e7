# SPDX-License-Identifier: Apache-2.0
"""The tester's two sides in front of a box: namespaces with NICs of ours in them, or other hosts.

    this machine                                          three machines
    +----------------------------+                        +----------+          +----------+
    | gm-ID-lan       gm-ID-wan  |                        | LAN host |          | WAN host |
    | [nic] lan9 ---- wan9 [nic] |                        |   [nic]  |          |  [nic]   |
    +---|--------------------|---+                        +-----|----+          +----|-----+
        |      gateway       |                                  |      gateway       |

The cable lan9 - wan9 is the tester alone (path `direct`); two machines have none.
"""

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack

from gatemark.error import StationError, UsageError
from gatemark.node.inside.netlink import inside
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Local as Here
from gatemark.node.shell import Node
from gatemark.station import blocking, lock, space
from gatemark.station.cable import Cable
from gatemark.station.lent.borrowed import Borrowed
from gatemark.station.ssh.borrow import Nic
from gatemark.station.ssh.file import Side
from gatemark.station.ssh.loan import Taken
from gatemark.station.wiring import Port

GONE_S = 5.0  # a host that is lost does not keep us longer
FAMILIES = ("ipv4", "ipv6")


class Local:
    """Sides that are NICs of this machine, each in a namespace of ours."""

    def __init__(self, lab: str, sides: Mapping[str, Side], purpose: str) -> None:
        self.lab = lab
        self.purpose = purpose
        self.sides = sides
        self.hosts = space.spaces(lab, sides)
        self.cable = Cable(self.hosts, None) if len(sides) == 2 else None
        self._taken: Taken | None = None
        self._held = ExitStack()

    async def up(self) -> None:
        """Take the NICs. Raises GatemarkError."""
        self._held.enter_context(lock.named(self.lab, self.purpose))
        await blocking.run(self._build)

    async def down(self) -> None:
        """Give the NICs back, then remove the namespaces. Raises StationError."""
        try:
            if self._taken:
                await blocking.run(self._taken.give_back)
        finally:
            await space.clear(self.hosts)
            self._held.close()

    def node(self, end: str) -> Node:
        """The host of a side."""
        return self.hosts[end]

    def ground(self, end: str) -> Node:
        """Where its NIC is, on which a VLAN may stand: one that both sides share stays at home."""
        return Here() if self._shared else self.hosts[end]

    @property
    def _shared(self) -> bool:
        return len({side.nic for side in self.sides.values()}) < len(self.sides)

    def require_alive(self) -> None:
        """Raise StationError if nothing more can be measured from here."""
        space.require(self.hosts)
        if self._taken and not self._taken.guarded:
            raise StationError("the guard that gives the NICs back was ended")

    def _build(self) -> None:
        space.create(self.hosts)
        taken = {
            "" if self._shared else self.hosts[end].netns: side.nic
            for end, side in self.sides.items()
        }
        self._taken = Taken.take(self.lab, taken)
        for end, side in self.sides.items():
            if side.vlan:
                _vlan(side, self.hosts[end].netns, shared=self._shared)

    async def connect(self, end: str, port: Port, next_hop: Port, routes: Sequence[str]) -> None:
        """Address a port, and let it know whom it talks to and what lies beyond."""
        del routes  # all the rest is beyond
        _require_near(end, port, next_hop)
        await blocking.run(self._connect, end, port, next_hop)
        if self.sides[end].vlan:  # a NIC merges what it receives before it looks for a VLAN
            await space.offloads(self.ground(end), self.sides[end].nic, "off")
        await space.offloads(self.hosts[end], port.device, "off")

    def _connect(self, end: str, port: Port, next_hop: Port) -> None:
        with inside(self.hosts[end].netns) as host:
            space.address(host, port)
            space.neighbours(host, port, next_hop)
            space.default_routes(host, next_hop)

    async def lay(self) -> Mapping[str, Port]:
        """The tester's own cable, where there is one."""
        if self.cable is None:
            return {}
        await blocking.run(self._lay, self.cable)
        return self.cable.ports

    def _lay(self, cable: Cable) -> None:
        lan, wan = (self.hosts[end].netns for end in ("lan", "wan"))
        with inside(lan) as near, inside(wan) as far:
            cable.build({"lan": near, "wan": far})


class Far:
    """Sides that are NICs of other hosts, which stay where they are."""

    def __init__(self, sides: Mapping[str, Side]) -> None:
        self.sides = sides
        self.cable: Cable | None = None
        self.hosts = {
            end: Ssh(space.NAMES[end], side.login) for end, side in sides.items() if side.login
        }
        self._borrowed: list[Borrowed] = []

    async def up(self) -> None:
        """Reach the hosts. Raises GatemarkError."""
        for host in self.hosts.values():  # one by one: a password may be asked for
            await host.connect()

    async def down(self) -> None:
        """Give back what was changed, and log out."""
        async with AsyncExitStack() as stack:
            for host in self.hosts.values():
                stack.push_async_callback(host.close)
            for borrowed in self._borrowed:
                stack.push_async_callback(_patiently, borrowed)
        self._borrowed = []

    def node(self, end: str) -> Node:
        """The host of a side."""
        return self.hosts[end]

    def ground(self, end: str) -> Node:
        """Where its NIC is, on which a VLAN may stand."""
        return self.hosts[end]

    def require_alive(self) -> None:
        """Raise StationError if nothing more can be measured from there."""
        for host in self.hosts.values():
            if lost := host.lost:
                raise StationError(f"{host.name}: lost ({lost})")
        for borrowed in self._borrowed:
            if borrowed.lost:
                raise StationError(f"{borrowed.node.name}: lost, with its addresses")

    async def connect(self, end: str, port: Port, next_hop: Port, routes: Sequence[str]) -> None:
        """Address a port, and let it know whom it talks to and what lies beyond."""
        _require_near(end, port, next_hop)
        side, node = self.sides[end], self.hosts[end]
        nic = Nic(node, side.nic, side.vlan)
        addresses = [str(port.interface(family)) for family in FAMILIES]
        change, undo = await nic.lines(addresses)
        parts = [await nic.known(next_hop.address(family), next_hop.mac) for family in FAMILIES]
        for route in routes:
            by = next_hop.address("ipv6" if ":" in route else "ipv4")
            parts.append(await nic.routed(route, by))
        for more, back in parts:
            change += more
            undo[:0] = back
        self._borrowed.append(await Borrowed.take(node, change, undo))

    async def lay(self) -> Mapping[str, Port]:
        """No cable between two machines."""
        return {}


Sides = Local | Far


def _require_near(end: str, port: Port, next_hop: Port) -> None:
    """Raise UsageError where a port's network is not that of the gateway's port beside it."""
    for family in FAMILIES:
        own, hop = port.interface(family), next_hop.interface(family)
        if hop.ip not in own.network:
            raise UsageError(
                f"[{end}] {family} = {str(own)!r}: the gateway has {hop} there: "
                f"write {family} with an address of its network into the station file"
            )


async def _patiently(borrowed: Borrowed) -> None:
    try:
        async with asyncio.timeout(GONE_S):
            await borrowed.give_back()
    except TimeoutError:
        return  # its own shell gives back when it has noticed


def _vlan(side: Side, space_: str, *, shared: bool) -> None:
    """A VLAN device on a NIC: in its namespace, or at home and moved there."""
    command = ["ip", *([] if shared else ["-n", space_]), "link"]
    lines = [[*command, "set", side.nic, "up"]]
    tag = ["name", side.device, "type", "vlan", "id", str(side.vlan)]
    lines.append([*command, "add", "link", side.nic, *tag])
    if shared:
        lines.append(["ip", "link", "set", side.device, "netns", space_])
    for line in lines:
        done = subprocess.run(
            line, capture_output=True, text=True, check=False, start_new_session=True
        )
        if done.returncode:
            why = done.stderr.strip()
            raise StationError(f"{side.device}: {why}: does this kernel have VLANs (8021q)?")
