# SPDX-License-Identifier: Apache-2.0
"""A trial: a call, busy and idle TCP and new flows cross the gateway while a command runs on it.

    call    UDP, a packet each way at each tick; the far end sends to where the first came from
    busy    TCP, a segment each way at each tick
    new     UDP from another port at each fifth tick
    idle    TCP, opened before and asked after

Packets are made by hand, and each has its number. So no stack sends one again: what did not come
did not come. The segments of TCP stay inside the window that was announced, and need no answer.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from gatemark.error import InvalidTrialError
from gatemark.kind.outage.plan import OPENING_S, OUTAGE, rate_pps
from gatemark.kind.outage.stream import NUMBERS, Stream
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.station import Station
from gatemark.station.wiring import FAR_HOSTS, FIRST_CLIENT, Wire, wires
from gatemark.workload import packet
from gatemark.workload.byhand import ByHand
from gatemark.workload.ends import LAN, NS_A_S, WAN, Ends
from gatemark.workload.packet import ACK, PUSH, SYN, TCP, UDP, End, Segment
from gatemark.workload.way import Load

CALL_UP, CALL_DOWN, BUSY_UP, BUSY_DOWN, NEW = STREAMS = range(5)
IDLE: Final = 9 * NUMBERS  # its one packet
PORT: Final = 4000
FIRST_PORT: Final = 33_000
EACH: Final = 5  # ticks to a new flow
TRIES: Final = 3
SEQUENCE: Final = {LAN: 0x10000000, WAN: 0x20000000}
OPTIONS: Final = b"\x02\x04\x05\xb4"  # 1460 bytes


class Seen(NamedTuple):
    """A packet of ours as it arrived."""

    at_ns: int  # CLOCK_MONOTONIC
    protocol: int
    source: End
    port: int  # that it is for
    number: int | None


class Flow(NamedTuple):
    """A flow: a client inside, a host outside, and what the host knows the client by."""

    protocol: int
    client: End
    host: End
    mapping: End


@dataclass(slots=True)
class Played:
    """All streams, and whether the idle flow was alive after it all."""

    streams: list[Stream] = field(default_factory=lambda: [Stream(at) for at in STREAMS])
    is_idle_alive: bool = False
    end_ns: int = 0


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that plays all flows."""
    (up,) = ways
    (down,) = wires(station.ports, spec.arm.path, "down")
    player, ends = Player(up, spec.workload), partial(Ends, up, down, parsed)
    notes = tuple(
        f"command:{name}: when it acts is not known: write `at 2` on a line before that, and "
        "`over` behind it"
        for name, command in spec.commands.items()
        if not command.waits
    )
    return [ByHand(OUTAGE, up, ends, player.play, player.open, notes)]


class Player:
    """The thread that sends all and reads all: `open`, then `play`."""

    ends: Ends[Seen]
    flows: tuple[Flow, Flow, Flow]  # call, busy, idle

    def __init__(self, wire: Wire, load: Workload) -> None:
        self.load = load
        self.client = wire.near.neighbour("ipv4", FIRST_CLIENT)
        self.host = wire.far.neighbour("ipv4", FAR_HOSTS[-2])
        self.played = Played()
        self._ports = iter(range(FIRST_PORT, 60_000))
        self._far_ports = iter(range(PORT, FIRST_PORT))

    def open(self, ends: Ends[Seen]) -> None:
        """Open the flows. Raises InvalidTrialError where one cannot be opened."""
        self.ends = ends
        ends.owned[LAN].add(self.client)
        ends.owned[WAN].add(self.host)
        self.flows = self._open(UDP), self._open(TCP), self._open(TCP)

    def play(self, ends: Ends[Seen]) -> Played:
        """Send all that is due, then look at the idle flow."""
        del ends
        call, busy, idle = self.flows
        gap_ns = round(NS_A_S / rate_pps(self.load))
        due_ns = time.monotonic_ns()
        self.played.end_ns = due_ns + round(self.load.duration_s * NS_A_S)
        for tick in range(round(self.load.duration_s * rate_pps(self.load))):
            if self.ends.ended.is_set():
                break
            self._send(CALL_UP, LAN, call)
            self._send(CALL_DOWN, WAN, call)
            self._send(BUSY_UP, LAN, busy)
            self._send(BUSY_DOWN, WAN, busy)
            if tick % EACH == 0:
                client = self.client, next(self._ports)
                self._send(NEW, LAN, call._replace(client=client))
            due_ns += gap_ns
            self.ends.read(0)  # a sender that is late still answers ARP: else its own flows stop
            while (left_ns := due_ns - time.monotonic_ns()) > 0:
                self.ends.read(left_ns / NS_A_S)
        self._look(idle)
        self._count(call, busy)
        return self.played

    def _open(self, protocol: int) -> Flow:
        """A flow that is known to the gateway. Raises InvalidTrialError."""
        # A far port of its own: the last segment of the one before may still be on its way.
        client, host = (self.client, next(self._ports)), (self.host, next(self._far_ports))
        segment = Segment(SEQUENCE[LAN], 0, SYN, OPTIONS)
        first = self._frame(LAN, protocol, client, host, segment)
        until = time.monotonic() + OPENING_S / 2
        while time.monotonic() < until:  # the action before may have its effects still
            since = self.ends.send(LAN, first)
            seen = self.ends.wait(WAN, lambda s: (s.protocol, s.port) == (protocol, host[1]), since)
            if seen:
                flow = Flow(protocol, client, host, seen.source)
                if protocol == TCP:
                    self._answer(flow)
                return flow
        raise InvalidTrialError(f"no flow could be opened: {self.client} to {self.host}")

    def _answer(self, flow: Flow) -> None:
        """The rest of the handshake."""
        first, second = SEQUENCE[LAN] + 1, SEQUENCE[WAN] + 1
        answer = Segment(SEQUENCE[WAN], first, SYN | ACK, OPTIONS)
        since = self.ends.send(WAN, self._frame(WAN, TCP, flow.host, flow.mapping, answer))
        self.ends.wait(LAN, lambda s: (s.protocol, s.port) == (TCP, flow.client[1]), since)
        last = Segment(first, second, ACK)
        self.ends.send(LAN, self._frame(LAN, TCP, flow.client, flow.host, last))

    def _send(self, at: int, side: str, flow: Flow) -> None:
        """The next packet of a stream."""
        stream = self.played.streams[at]
        number = stream.next(time.monotonic_ns())
        self.ends.send(side, self._numbered(side, flow, number))

    def _numbered(self, side: str, flow: Flow, number: int) -> bytes:
        source, sink = (flow.client, flow.host) if side == LAN else (flow.host, flow.mapping)
        data = packet.mark(number)
        own, other = (SEQUENCE[each] + 1 for each in (side, WAN if side == LAN else LAN))
        own += number % NUMBERS * len(data)
        segment = Segment(own, other, PUSH | ACK, data=data)
        return self._frame(side, flow.protocol, source, sink, segment, data)

    def _frame(
        self, side: str, protocol: int, source: End, sink: End, segment: Segment, data: bytes = b""
    ) -> bytes:
        macs = self.ends.macs[side]
        if protocol == TCP:
            return packet.tcp(macs, source, sink, segment)
        return packet.udp(macs, source, sink, data)

    def _look(self, idle: Flow) -> None:
        """Ask the idle flow from inside, and answer; its user would do no more."""
        for side, known in ((LAN, idle.mapping), (WAN, idle.host)):
            frame, other = self._numbered(side, idle, IDLE), WAN if side == LAN else LAN
            is_its = partial(_is_idle, known=known)
            if not any(
                self.ends.wait(other, is_its, self.ends.send(side, frame)) for _ in range(TRIES)
            ):
                return
        self.played.is_idle_alive = True

    def _count(self, call: Flow, busy: Flow) -> None:
        """Note in each stream what came of it, from where the far end knows its client by."""
        is_nat = call.mapping[0] != self.client
        known = {CALL_UP: call.mapping, BUSY_UP: busy.mapping}
        for side in (LAN, WAN):
            for seen in self.ends.seen[side]:
                at, number = divmod(seen.number or 0, NUMBERS)
                is_its = known.get(at, seen.source) == seen.source
                if side == WAN and is_nat and seen.source[0] == self.client:
                    continue  # past NAT, with an address of inside: a line drops it
                if seen.number is not None and at in STREAMS and is_its:
                    self.played.streams[at].came.add(number)


def _is_idle(seen: Seen, known: End) -> bool:
    return seen.number == IDLE and seen.source == known


def parsed(frame: bytes, at_ns: int) -> Seen | None:
    """Return a frame's packet; None of what is neither UDP nor TCP."""
    for protocol in (UDP, TCP):
        if data := packet.carried(frame, protocol):
            port = int.from_bytes(data[2:4], "big")
            return Seen(at_ns, protocol, packet.sender(frame), port, packet.number_of(data))
    return None
