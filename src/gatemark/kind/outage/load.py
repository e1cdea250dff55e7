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
from typing import Final

from gatemark.kind.outage.plan import OPENING_S, OUTAGE, rate_pps
from gatemark.kind.outage.stream import Stream
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.workload.byhand import ByHand
from gatemark.workload.ends import LAN, NS_A_S, WAN, Ends
from gatemark.workload.hand import NUMBERS, Flow, Hand, Seen, parsed
from gatemark.workload.packet import TCP, UDP
from gatemark.workload.way import Load

CALL_UP, CALL_DOWN, BUSY_UP, BUSY_DOWN, NEW = STREAMS = range(5)
IDLE: Final = 9 * NUMBERS  # its one packet
EACH: Final = 5  # ticks to a new flow


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
        self.hand = Hand(wire, OPENING_S)
        self.played = Played()

    def open(self, ends: Ends[Seen]) -> None:
        """Open the flows. Raises InvalidTrialError where one cannot be opened."""
        self.ends = ends
        self.hand.take(ends)
        self.flows = self.hand.open(UDP), self.hand.open(TCP), self.hand.open(TCP)

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
                client = self.hand.client, next(self.hand.ports)
                self._send(NEW, LAN, call._replace(client=client))
            due_ns += gap_ns
            self.ends.read(0)  # a sender that is late still answers ARP: else its own flows stop
            while (left_ns := due_ns - time.monotonic_ns()) > 0:
                self.ends.read(left_ns / NS_A_S)
        self.played.is_idle_alive = self.hand.asked(idle, IDLE)  # its user would do no more
        self._count(call, busy)
        return self.played

    def _send(self, at: int, side: str, flow: Flow) -> None:
        """The next packet of a stream."""
        stream = self.played.streams[at]
        number = stream.next(time.monotonic_ns())
        self.ends.send(side, self.hand.numbered(side, flow, number))

    def _count(self, call: Flow, busy: Flow) -> None:
        """Note in each stream what came of it, from where the far end knows its client by."""
        is_nat = call.mapping[0] != self.hand.client
        known = {CALL_UP: call.mapping, BUSY_UP: busy.mapping}
        for side in (LAN, WAN):
            for seen in self.ends.seen[side]:
                at, number = divmod(seen.number or 0, NUMBERS)
                is_its = known.get(at, seen.source) == seen.source
                if side == WAN and is_nat and seen.source[0] == self.hand.client:
                    continue  # past NAT, with an address of inside: a line drops it
                if seen.number is not None and at in STREAMS and is_its:
                    self.played.streams[at].came.add(number)
