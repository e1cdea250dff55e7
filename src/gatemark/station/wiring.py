# SPDX-License-Identifier: Apache-2.0
"""The wiring of a station: the addresses and ports that its traffic uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_interface

from gatemark.node.shell import Node
from gatemark.plan.feature import HAIRPIN
from gatemark.station.mode import Mode
from gatemark.station.power.meter import Meter

# RFC 2544 appendix C.2.2 and RFC 5180 section 8 keep these networks for benchmarks.
#   up: LAN host --> WAN host, down: WAN host --> LAN host
ADDRESS = {
    "lan0": {"ipv4": "198.18.1.2/24", "ipv6": "2001:2:0:1::2/64"},
    "gw0": {"ipv4": "198.18.1.1/24", "ipv6": "2001:2:0:1::1/64"},
    "gw1": {"ipv4": "198.19.1.1/24", "ipv6": "2001:2:0:2::1/64"},
    "wan0": {"ipv4": "198.19.1.2/24", "ipv6": "2001:2:0:2::2/64"},
    "lan2": {"ipv4": "198.18.1.3/24", "ipv6": "2001:2:0:1::3/64"},
    "lan9": {"ipv4": "198.18.9.1/24", "ipv6": "2001:2:0:9::1/64"},
    "wan9": {"ipv4": "198.18.9.2/24", "ipv6": "2001:2:0:9::2/64"},
}

# Each place in a station's drawing has a name, its role; a device of the built-in lab is called so.
# The gateway's: LAN, WAN, and a second LAN port without an address (path `switch`).
GATEWAY_PORTS = ("gw0", "gw1", "gw2")
NAMES = {"gw0": "LAN port", "gw1": "WAN port", "gw2": "second LAN port"}
ROLES = (*ADDRESS, "gw2")

# Host numbers, of each test network, that no host owns: clients from here on, and far hosts, one
# for each workload of a trial, from the last one down.
FIRST_CLIENT, LAST_CLIENT = 4, 253
CLIENTS = range(FIRST_CLIENT, LAST_CLIENT + 1)
FAR_HOST = 254
FAR_HOSTS = range(FAR_HOST - 15, FAR_HOST + 1)

# First port of the flows on the LAN side; flow or stream i uses port + i.
LAN_PORT = 20000
WAN_PORT = 9  # discard, RFC 863


@dataclass(frozen=True, slots=True)
class Port:
    """A port that traffic crosses: its host, its role in the drawing, and its MAC address."""

    node: Node
    role: str  # lan0, gw0, ...
    mac: str
    named: str = ""  # the device's name on its host, where that is not its role
    own: Mapping[str, str] = field(default_factory=dict, hash=False)  # family -> address/length
    raw: bool = False  # counts only what goes by the kernel's stack, as a tap does
    silent: bool = True  # nothing but test packets crosses it: we have made the other end, too
    shared: bool = False  # on a real cable: another host may send to it
    link_bps: int | None = None  # L1 rate of its cable; None: no such limit, as of a veth
    # On a real cable: how a sender reached it, and why not better, by its longest frame. To try the
    # best way in vain takes 0.2 s, and its driver is the same in the next trial.
    reached: dict[int, tuple[str, str]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def device(self) -> str:
        """The device's name on its host."""
        return self.named or self.role

    @property
    def addressed(self) -> bool:
        """Return whether it has addresses; the second LAN port of a gateway has none."""
        return bool(self.own) or self.role in ADDRESS

    def interface(self, family: str) -> IPv4Interface | IPv6Interface:
        """Its address with its network: the station's own, or the one that its role has."""
        return ip_interface(self.own.get(family) or ADDRESS[self.role][family])

    def address(self, family: str) -> str:
        """Its address without the prefix length."""
        return str(self.interface(family).ip)

    def neighbour(self, family: str, host: int) -> str:
        """The address of a host number in the port's network: 4 is 198.18.1.4, 2001:2:0:1::4."""
        return str(self.interface(family).network.network_address + host)


@dataclass(frozen=True, slots=True)
class Gateway:
    """The gateway as those see it who set it and read it: a host, and its test ports."""

    node: Node
    devices: Mapping[str, str]  # role -> device, of the test ports that it has: "gw0": "eth0"
    mode: Mode = Mode.APPLY
    # What its undo journal is called, as root@192.0.2.1; "": it does not outlive the run.
    journal: str = ""
    # Role -> addresses that we give its test ports, where it is set by us: "198.18.1.1/24".
    addresses: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    agent: bool = True  # whether gm-agent may run on it
    stated: Mapping[str, str] = field(default_factory=dict, hash=False)  # of its inventory
    power: Meter | None = None  # what tells the power that it draws
    # The NICs and cables around it, as a station file states them.
    bench: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """Return the name in messages."""
        return self.node.name

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run a command on it to the end, as its node does. Raises NodeError if it fails."""
        return await self.node.run(*command, stdin=stdin)


@dataclass(frozen=True, slots=True)
class Wire:
    """One direction of traffic: from a port to a port, by way of a next hop."""

    direction: str  # up, down; send, receive: of the gateway itself
    source: Port
    sink: Port
    next_hop: Port  # where the frame goes first; the sink itself where there is no gateway
    target: Port  # whose address the packet bears; differs from the sink behind NAT
    own: bool = False  # the far end is the gateway itself
    hairpin: bool = False  # the far end is reached by the gateway's address outside

    @property
    def link_bps(self) -> int | None:
        """L1 rate of the slowest cable on its way."""
        return min(filter(None, (self.source.link_bps, self.sink.link_bps)), default=None)

    def reached(self, family: str) -> str:
        """The address by which the LAN host reaches the far end."""
        return (self.target if self.hairpin else self.far).address(family)

    @property
    def away(self) -> bool:
        """Return whether the LAN host sends: up, or to the gateway."""
        return self.direction in ("up", "receive")

    @property
    def near(self) -> Port:
        """The LAN host's port, whichever way the traffic goes."""
        return self.source if self.away else self.sink

    @property
    def far(self) -> Port:
        """The other end's port."""
        return self.sink if self.away else self.source


def wires(ports: Mapping[str, Port], path: str, direction: str) -> list[Wire]:
    """The directions that a trial sends in, for a path and a plan's direction."""
    both = ("receive", "send") if path == "endpoint" else ("up", "down")
    return [_wire(ports, path, way) for way in (both if direction == "both" else (direction,))]


# Path -> the port beyond the LAN host's: on the path direct the far host stands in for the gateway.
FAR = {
    "direct": "wan9",
    "endpoint": "gw0",
    "switch": "lan2",
    "route": "wan0",
    "nat": "wan0",
    HAIRPIN: "lan2",
}


def _wire(ports: Mapping[str, Port], path: str, way: str) -> Wire:
    near, far = ports["lan9" if path == "direct" else "lan0"], ports[FAR[path]]
    away = way in ("up", "receive")
    source, sink = (near, far) if away else (far, near)
    if path == HAIRPIN:
        hop = ports["gw0" if away else "gw2"]
        return Wire(way, source, sink, next_hop=hop, target=ports["gw1"], hairpin=True)
    if path not in ("route", "nat"):
        return Wire(way, source, sink, next_hop=sink, target=sink, own=path == "endpoint")
    if away:
        return Wire(way, source, sink, next_hop=ports["gw0"], target=sink)
    target = ports["gw1"] if path == "nat" else sink
    return Wire(way, source, sink, next_hop=ports["gw1"], target=target)
