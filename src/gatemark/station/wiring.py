# SPDX-License-Identifier: Apache-2.0
"""Who is connected to whom: the addresses and ports that a station's traffic uses."""

from dataclasses import dataclass

from gatemark.node.shell import Node

# RFC 2544 appendix C.2.2 and RFC 5180 section 8 keep these networks for benchmarks.
#   up: LAN host --> WAN host, down: WAN host --> LAN host
ADDRESS = {
    "lan0": {"ipv4": "198.18.1.2/24", "ipv6": "2001:2:0:1::2/64"},
    "gw0": {"ipv4": "198.18.1.1/24", "ipv6": "2001:2:0:1::1/64"},
    "gw1": {"ipv4": "198.19.1.1/24", "ipv6": "2001:2:0:2::1/64"},
    "wan0": {"ipv4": "198.19.1.2/24", "ipv6": "2001:2:0:2::2/64"},
    "lan9": {"ipv4": "198.18.9.1/24", "ipv6": "2001:2:0:9::1/64"},
    "wan9": {"ipv4": "198.18.9.2/24", "ipv6": "2001:2:0:9::2/64"},
}

# First UDP port of the flows on either side; flow i uses port + i on the LAN side.
LAN_PORT = 20000
WAN_PORT = 9  # discard, RFC 863


@dataclass(frozen=True, slots=True)
class Port:
    """A port that traffic crosses: its host, device, MAC address and CPU of its agent."""

    node: Node
    device: str
    mac: str

    def address(self, family: str) -> str:
        """Its address without the prefix length."""
        return ADDRESS[self.device][family].partition("/")[0]


@dataclass(frozen=True, slots=True)
class Wire:
    """One direction of traffic: from a port to a port, by way of a next hop."""

    direction: str  # up or down
    source: Port
    sink: Port
    next_hop: Port  # where the frame goes first; the sink itself where there is no gateway
    target: Port  # whose address the packet bears; differs from the sink behind NAT


def wires(ports: dict[str, Port], path: str, direction: str) -> list[Wire]:
    """The directions that a trial sends in, for a path and `up`, `down` or `both`."""
    ways = ("up", "down") if direction == "both" else (direction,)
    return [_wire(ports, path, way) for way in ways]


def _wire(ports: dict[str, Port], path: str, way: str) -> Wire:
    if path == "direct":
        ends = ports["lan9"], ports["wan9"]
        source, sink = ends if way == "up" else ends[::-1]
        return Wire(way, source, sink, next_hop=sink, target=sink)
    if way == "up":
        return Wire(way, ports["lan0"], ports["wan0"], next_hop=ports["gw0"], target=ports["wan0"])
    target = ports["gw1"] if path == "nat" else ports["lan0"]
    return Wire(way, ports["wan0"], ports["lan0"], next_hop=ports["gw1"], target=target)
