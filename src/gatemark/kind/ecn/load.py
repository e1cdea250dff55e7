# SPDX-License-Identifier: Apache-2.0
"""A trial of ECN: packets with each codepoint in turn, and what each had as it arrived.

    sent as      may arrive as                      else
    not-ECT 00   not-ECT                            made capable: a queue would mark it in vain
    ECT(1)  01   ECT(1), CE                         bleached: 00; or another codepoint
    ECT(0)  10   ECT(0), CE                         the same
    CE      11   CE                                 the mark is lost: congestion is hidden

Packets are made by hand, numbered, and read at the far port, so no stack touches the bits.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from gatemark.error import InvalidTrialError
from gatemark.kind.ecn.plan import ECN, OPENING_S, rate_pps
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.station import Station
from gatemark.station.wiring import FAR_HOSTS, FIRST_CLIENT, Wire, wires
from gatemark.workload import packet
from gatemark.workload.byhand import ByHand
from gatemark.workload.ends import LAN, NS_A_S, WAN, Ends
from gatemark.workload.packet import ACK, SYN, TCP, UDP, End, Segment
from gatemark.workload.way import Load

NOT_ECT, ECT1, ECT0, CE = CODEPOINTS = range(4)
ECE, CWR = 0x40, 0x80  # of TCP's flags: a SYN with both asks for ECN (RFC 3168, section 6.1.1)
ASKS: Final = SYN | ECE | CWR
OPTIONS: Final = b"\x02\x04\x05\xb4"  # MSS 1460
PORT, FIRST_PORT = 4100, 33_100
TRIES: Final = 3
BYTES: Final = 64  # of payload


class Seen(NamedTuple):
    """A packet of ours as it arrived."""

    at_ns: int  # CLOCK_MONOTONIC
    protocol: int
    source: End
    number: int | None
    ecn: int
    flags: int  # of TCP


@dataclass(slots=True)
class Played:
    """The codepoints that were sent, and those that came, by number."""

    sent: dict[int, int] = field(default_factory=dict)
    came: dict[int, int] = field(default_factory=dict)
    flags: int | None = None  # of the segment that asks for ECN; None: it did not come


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks."""
    (way,) = ways
    (up,), (down,) = (wires(station.ports, spec.arm.path, where) for where in ("up", "down"))
    asker = Asker(up, spec.workload, LAN if way.away else WAN)
    ends = partial(Ends, up, down, parsed)
    return [ByHand(ECN, way, ends, asker.play, asker.open, beside=True)]


class Asker:
    """The thread that sends all and reads all: `open`, then `play`."""

    def __init__(self, wire: Wire, load: Workload, side: str) -> None:
        self.load, self.side = load, side
        self.far = WAN if side == LAN else LAN
        self.client: End = wire.near.neighbour(load.family, FIRST_CLIENT), FIRST_PORT
        self.host: End = wire.far.neighbour(load.family, FAR_HOSTS[-2]), PORT
        self.mapping: End = self.client  # what the host knows the client by

    def open(self, ends: Ends[Seen]) -> None:
        """Open the flow from inside. Raises InvalidTrialError where it cannot be opened."""
        ends.owned[LAN].add(self.client[0])
        ends.owned[WAN].add(self.host[0])
        until = time.monotonic() + OPENING_S / 2
        while time.monotonic() < until:
            since = ends.send(LAN, self._udp(ends, LAN, -1, NOT_ECT))
            seen = ends.wait(WAN, lambda s: (s.protocol, s.number) == (UDP, -1), since)
            if seen:
                self.mapping = seen.source
                ends.trust((seen.at_ns - since) / NS_A_S)
                return
        raise InvalidTrialError(f"no flow could be opened: {self.client[0]} to {self.host[0]}")

    def play(self, ends: Ends[Seen]) -> Played:
        """Send all that is due, then ask for ECN by TCP."""
        played, gap_ns = Played(), round(NS_A_S / rate_pps(self.load))
        since = due_ns = time.monotonic_ns()
        for number in range(max(len(CODEPOINTS), round(self.load.duration_s * NS_A_S / gap_ns))):
            if ends.ended.is_set():
                break
            played.sent[number] = CODEPOINTS[number % len(CODEPOINTS)]
            ends.send(self.side, self._udp(ends, self.side, number, played.sent[number]))
            due_ns += gap_ns
            ends.read(0)
            while (left_ns := due_ns - time.monotonic_ns()) > 0:
                ends.read(left_ns / NS_A_S)
        for seen in ends.since(self.far, since):
            if seen.protocol == UDP and seen.number in played.sent:
                played.came.setdefault(seen.number, seen.ecn)
        if self.side == LAN:  # a segment from outside that opens is nobody's behind NAT
            played.flags = self._asked(ends)
        return played

    def _asked(self, ends: Ends[Seen]) -> int | None:
        """Return the flags with which a segment that asks for ECN came."""
        segment = Segment(0x30000000, 0, ASKS, OPTIONS)
        frame = packet.tcp(ends.macs[LAN], self.client, self.host, segment)
        for _ in range(TRIES):
            is_its = lambda s: s.protocol == TCP and s.flags & (SYN | ACK) == SYN  # noqa: E731
            if seen := ends.wait(WAN, is_its, ends.send(LAN, frame)):
                return seen.flags
        return None

    def _udp(self, ends: Ends[Seen], side: str, number: int, ecn: int) -> bytes:
        source, sink = (self.client, self.host) if side == LAN else (self.host, self.mapping)
        frame = packet.udp(ends.macs[side], source, sink, packet.payload(number, BYTES))
        return packet.with_class(frame, ecn)


def parsed(frame: bytes, at_ns: int) -> Seen | None:
    """Return a frame's packet; None of what is neither UDP nor TCP."""
    for protocol in (UDP, TCP):
        if data := packet.carried(frame, protocol):
            flags = data[13] if protocol == TCP and len(data) > 13 else 0
            ecn = packet.class_of(frame) & 3
            return Seen(at_ns, protocol, packet.sender(frame), packet.number_of(data), ecn, flags)
    return None
