# SPDX-License-Identifier: Apache-2.0
"""The kinds of packet that rules are priced by, and the packets of each.

    name          from      to        its connection
    up-new        LAN       WAN       unknown: each packet begins one
    up            LAN       WAN       known, begun by the LAN side, answered
    reply         WAN       LAN       the same connection, the other way
    down-new      WAN       LAN       unknown: nobody asked for it
    own-lan       LAN       gateway   unknown
    own-wan       WAN       gateway   unknown

Each is of UDP or TCP, and of IPv4 or IPv6.
"""

import struct
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from gatemark.station.wiring import FAR_HOST, FIRST_CLIENT, Port
from gatemark.workload import packet
from gatemark.workload.packet import ACK, PUSH, SYN, Segment

State = Literal["new", "known"]
L4 = Literal["tcp", "udp"]
FIRST_PORT: Final = 30000  # of connections that begin with a packet that is counted
KNOWN_PORTS: Final = {"up": 29001, "reply": 29002}  # of the connections that are open
NEW: Final = 0x47000000  # sequence number of a new connection, and the packet's number
NEAR: Final = 0x11000000  # of the open connection, the LAN side's first
FAR: Final = 0x21000000
BEFORE: Final = 100  # packets that come before number 0
DATA: Final = b"gatemark"
PAYLOAD: Final = 18  # bytes: the smallest frame of UDP over IPv4


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of packet."""

    name: str
    source: str  # the role of the port it is sent by: lan0, wan0
    target: str  # the role of the port it is for: wan0, lan0, gw0, gw1
    state: State
    family: str = "ipv4"
    l4: L4 = "tcp"

    @property
    def label(self) -> str:
        """Name, protocol and family, as `up-new tcp ipv4`."""
        return f"{self.name} {self.l4} {self.family}"


WAYS: Final = (
    ("up-new", "lan0", "wan0", "new"),
    ("up", "lan0", "wan0", "known"),
    ("reply", "wan0", "lan0", "known"),
    ("down-new", "wan0", "lan0", "new"),
    ("own-lan", "lan0", "gw0", "new"),
    ("own-wan", "wan0", "gw1", "new"),
)
OWN: Final = "own-"
GATES: Final = {"lan0": "gw0", "wan0": "gw1"}  # the gateway's port beside each of the tester's
SAYS: Final = {
    "up-new": "LAN to WAN, a new connection",
    "up": "LAN to WAN, established",
    "reply": "WAN to LAN, the reply",
    "down-new": "WAN to LAN, unasked",
    "own-lan": "LAN to the gateway itself, new",
    "own-wan": "WAN to the gateway itself, new",
}


def kinds(families: tuple[str, ...], l4s: tuple[L4, ...]) -> tuple[Kind, ...]:
    """All kinds of packet of these families and protocols, in order."""
    return tuple(
        Kind(name, source, target, state, family, l4)  # type: ignore[arg-type]
        for family in families
        for l4 in l4s
        for name, source, target, state in WAYS
        if l4 == "tcp" or not name.startswith(OWN)  # a kernel answers UDP at its own pace
    )


@dataclass(frozen=True, slots=True)
class Ends:
    """The two that speak to each other: addresses by family, the service's port, all ports."""

    ports: Mapping[str, Port]
    client: Mapping[str, str]  # of the LAN side, by family
    server: Mapping[str, str]  # of the WAN side
    service: int  # the port that is asked

    @classmethod
    def of(cls, ports: Mapping[str, Port], service: int, given: Mapping[str, str]) -> "Ends":
        """Return the ends of a station; `given` are addresses of its user, by lan or wan."""
        both = ("ipv4", "ipv6")
        client = {name: ports["lan0"].neighbour(name, FIRST_CLIENT) for name in both}
        server = {name: ports["wan0"].neighbour(name, FAR_HOST) for name in both}
        for side, table in (("lan", client), ("wan", server)):
            if side in given:
                table["ipv6" if ":" in given[side] else "ipv4"] = given[side]
        return cls(ports, client, server, service)

    def address(self, role: str, family: str) -> str:
        """The address of an end: a client, a server, or the gateway's own port."""
        sides = {"lan0": self.client, "wan0": self.server}
        return sides[role][family] if role in sides else self.ports[role].address(family)


@dataclass(frozen=True, slots=True)
class Flow:
    """The packets of a kind, by number. `met` is the end that the far side answers: NAT's."""

    kind: Kind
    ends: Ends
    met: packet.End | None = None
    port: int = 0  # of the LAN side in the known connection

    @property
    def pair(self) -> tuple[packet.End, packet.End]:
        """Source and sink of a known connection's packets."""
        kind, ends = self.kind, self.ends
        source = ends.address(kind.source, kind.family)
        sink = ends.address(kind.target, kind.family)
        if kind.source == "lan0":
            return (source, self.port), (sink, ends.service)
        return (source, ends.service), self.met or (sink, self.port)

    def frame(self, number: int) -> bytes:
        """Return the frame with a number, without FCS."""
        kind, (source, sink) = self.kind, self.pair
        if kind.state == "new":
            source, sink = (source[0], FIRST_PORT + number), (sink[0], self.ends.service)
        if kind.l4 == "udp":
            return packet.udp(self.macs, source, sink, packet.payload(number, PAYLOAD))
        return packet.tcp(self.macs, source, sink, self._segment(number))

    def token(self, number: int) -> bytes:
        """Bytes by which the packet is known again, whatever NAT has made of its ends."""
        if self.kind.l4 == "udp":
            return packet.mark(number)
        return struct.pack("!I", self._segment(number).sequence)

    @property
    def macs(self) -> packet.Ends:
        """The sender's port and the gateway's beside it."""
        source = self.kind.source
        return self.ends.ports[source].mac, self.ends.ports[GATES[source]].mac

    def _segment(self, number: int) -> Segment:
        if self.kind.state == "new":
            return Segment(NEW + number, 0, SYN)
        near, far = (NEAR, FAR) if self.kind.source == "lan0" else (FAR, NEAR)
        first = near + 1 + (number + BEFORE) * len(DATA)
        return Segment(first, far + 1, PUSH | ACK, data=DATA)


Step = tuple[Flow, bytes, bytes]  # whose it is, the frame, the token that it arrives with


def opening(kind: Kind, ends: Ends) -> Generator[Step, bytes, Flow]:
    """Yield each packet that opens the known connection; is sent how it arrived.

    Returns the flow of `kind` in it, which knows whom the far side answers.
    """
    port = KNOWN_PORTS[kind.name]
    up = Flow(replace(kind, name="up", source="lan0", target="wan0"), ends, port=port)
    back = Flow(replace(kind, name="reply", source="wan0", target="lan0"), ends, port=port)
    if kind.l4 == "udp":
        back = replace(back, met=packet.sender((yield up, up.frame(-BEFORE), up.token(-BEFORE))))
        yield back, back.frame(-BEFORE), back.token(-BEFORE)
        yield up, up.frame(1 - BEFORE), up.token(1 - BEFORE)
    else:
        came = yield _shaken(up, Segment(NEAR, 0, SYN))
        back = replace(back, met=packet.sender(came))
        yield _shaken(back, Segment(FAR, NEAR + 1, SYN | ACK))
        yield _shaken(up, Segment(NEAR + 1, FAR + 1, ACK))
    return up if kind.source == "lan0" else back


def _shaken(flow: Flow, segment: Segment) -> Step:
    frame = packet.tcp(flow.macs, *flow.pair, segment)
    return flow, frame, struct.pack("!I", segment.sequence)
