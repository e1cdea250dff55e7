# SPDX-License-Identifier: Apache-2.0
"""A trial: steady, slow and idle flows cross the gateway, and where each is, is read every second.

    steady   UDP, TCP: a packet each way at each tick
    slow     UDP, TCP: one each way every `interval_s`
    idle     UDP, TCP: opened with an exchange, and asked once more at the end

Each flow has a far port of its own, by which the gateway's table of connections is read.
"""

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Self

from gatemark.error import NodeError
from gatemark.gateway.feature import vlan
from gatemark.kind.fastpath.plan import FASTPATH, OPENING_S, rate_pps
from gatemark.kind.fastpath.state import Flow as Key
from gatemark.kind.fastpath.state import Sample, Table, connections, statistics, tables
from gatemark.node.agent import Tick
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import reader
from gatemark.node.shell import Node
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.workload.byhand import ByHand
from gatemark.workload.ends import LAN, NS_A_S, WAN, Ends
from gatemark.workload.hand import NUMBERS, Flow, Hand, Seen, parsed
from gatemark.workload.packet import TCP, UDP, vlan_tag
from gatemark.workload.way import Drained, Load, Way

VLAN: Final = "vlan"  # the feature: the WAN side speaks by tagged frames
SORTS: Final = ("steady", "slow", "idle")
NAMES: Final = {UDP: "UDP", TCP: "TCP"}
SAMPLE_S: Final = 1.0
MANY: Final = 3600  # samples: a trial of hours takes them further apart
# All connections, and what the flow tables count. A small gateway has no time for more.
READ: Final = literal("""
cat /proc/net/nf_conntrack 2> /dev/null || conntrack -L 2> /dev/null || echo @none
echo @stat
cat /proc/net/stat/nf_flowtable 2> /dev/null
true
""")
NONE: Final = "@none\n"
TABLES: Final = literal("nft list flowtables 2> /dev/null; true")
# What went the usual path so far, where the feature `offload` counts it.
USUAL: Final = literal("nft list counter inet gatemark_offload usual 2> /dev/null; true")
PACKETS: Final = re.compile(r"packets (\d{1,18})")


@dataclass(slots=True)
class Stream:
    """A flow, its packets each way: when each was sent, and which came."""

    sort: str
    flow: Flow
    sent_ns: dict[str, list[int]] = field(default_factory=lambda: {LAN: [], WAN: []})
    came: dict[str, set[int]] = field(default_factory=lambda: {LAN: set(), WAN: set()})
    last: dict[str, int] = field(default_factory=lambda: {LAN: -1, WAN: -1})  # number that came
    is_alive: bool = True  # idle: it answered in the end

    @property
    def key(self) -> Key:
        """The protocol and the far port."""
        return self.flow.protocol, self.flow.host[1]

    @property
    def name(self) -> str:
        """Its name for people: slow TCP."""
        return f"{self.sort} {NAMES[self.flow.protocol]}"

    @property
    def times_ns(self) -> list[int]:
        """The times of all its packets, in order."""
        return sorted((*self.sent_ns[LAN], *self.sent_ns[WAN]))


@dataclass(slots=True)
class Played:
    """All flows, and what the gateway said of them."""

    streams: list[Stream] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    usual: list[tuple[int, int]] = field(default_factory=list)  # when read, packets so far
    start_ns: int = 0
    end_ns: int = 0


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that plays all flows, and reads the gateway meanwhile."""
    (up,) = ways
    (down,) = wires(station.ports, spec.arm.path, "down")
    player, ends = Player(up, spec), partial(Ends, up, down, parsed)
    by_hand = ByHand(FASTPATH, up, ends, player.play, player.open)
    return [Sampled(by_hand, station.gateway.node, player.played, spec.workload.duration_s)]


class Sampled:
    """Flows played by hand, while the gateway is read."""

    def __init__(
        self, by_hand: ByHand[Ends[Seen]], node: Node, played: Played, lasts_s: float
    ) -> None:
        self.by_hand, self.node, self.played = by_hand, node, played
        self.every_s = max(SAMPLE_S, lasts_s / MANY)

    async def ready(self) -> Self:
        """Open the flows."""
        await self.by_hand.ready()
        self.played.tables = tables(await self.node.run(*sh(TABLES)))
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Play, and read the gateway until all is played."""
        await self._count()
        reading = asyncio.create_task(self._read())
        try:
            way = await self.by_hand.go(drained, tick)
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError, NodeError):
                await reading
        await self._count()
        return way

    async def abort(self) -> None:
        """End it."""
        await self.by_hand.abort()

    async def _count(self) -> None:
        """Read what went the usual path."""
        text = await self.node.run(*sh(USUAL))
        if (packets := _usual(text)) is not None:
            self.played.usual.append((time.monotonic_ns(), packets))

    async def _read(self) -> None:
        keys = [stream.key for stream in self.played.streams]
        while True:
            began = time.monotonic()
            text = await self.node.run(*sh(READ))
            if read := sample(text, time.monotonic_ns(), keys):
                self.played.samples.append(read)
            await asyncio.sleep(max(0.0, began + self.every_s - time.monotonic()))


@reader("a counter of nft")
def _usual(text: str) -> int | None:
    packets = PACKETS.search(text)
    return int(packets[1]) if packets else None


def sample(text: str, at_ns: int, keys: Sequence[Key]) -> Sample | None:
    """Return a reading from what the gateway printed; None where it shows no connections."""
    table, _, counts = text.partition("@stat\n")
    if table == NONE:
        return None
    return Sample(at_ns, connections(table, keys), statistics(counts))


class Player:
    """The thread that sends all and reads all: `open`, then `play`."""

    def __init__(self, wire: Wire, spec: TrialSpec) -> None:
        self.load = spec.workload
        self.is_tagged = VLAN in spec.arm.features
        self.hand = Hand(wire, OPENING_S)
        self.played = Played()

    def open(self, ends: Ends[Seen]) -> None:
        """Open the flows. Raises InvalidTrialError where one cannot be opened."""
        self.ends = ends
        self.hand.take(ends)
        if self.is_tagged:
            ends.tags[WAN] = vlan_tag(vlan.ID)
        for sort in SORTS:
            for protocol in (UDP, TCP):
                self.played.streams.append(Stream(sort, self.hand.open(protocol)))
        for at in range(len(self.played.streams)):
            self._send(at, LAN, WAN)
        self.ends.since(LAN, time.monotonic_ns())
        self._note()

    def play(self, ends: Ends[Seen]) -> Played:
        """Send all that is due, then ask the idle flows."""
        del ends
        played, pps = self.played, rate_pps(self.load)
        played.start_ns = due_ns = time.monotonic_ns()
        played.end_ns = due_ns + round(self.load.duration_s * NS_A_S)
        every = max(1, round(self.load.interval_s * pps))
        for tick in range(round(self.load.duration_s * pps)):
            if self.ends.ended.is_set():
                break
            for at, stream in enumerate(played.streams):
                sides = self._due(stream, tick % every, every) if tick else ()
                self._send(at, *sides)
            due_ns += round(NS_A_S / pps)
            self.ends.read(0)  # a sender that is late still answers ARP: else its own flows stop
            self._note()
            while (left_ns := due_ns - time.monotonic_ns()) > 0:
                self.ends.read(left_ns / NS_A_S)
        for at, stream in enumerate(played.streams):
            if stream.sort == "idle":
                number = len(stream.sent_ns[LAN])
                stream.is_alive = self.hand.asked(
                    stream.flow, self._number(at, LAN, number), self._known(stream, LAN)
                )
        self._note()
        return played

    @staticmethod
    def _due(stream: Stream, place: int, every: int) -> tuple[str, ...]:
        """Return the sides that send; of a slow flow outside answers one tick later."""
        if stream.sort == "steady":
            return LAN, WAN
        answers = {every - 1: (LAN,), 0: (WAN,)} if every > 1 else {0: (LAN, WAN)}
        return answers.get(place, ()) if stream.sort == "slow" else ()

    def _send(self, at: int, *sides: str) -> None:
        """A packet from each of these sides, which knows of what has come."""
        stream = self.played.streams[at]
        for side in sides:
            sent, known = stream.sent_ns[side], self._known(stream, side)
            number = self._number(at, side, len(sent))
            sent.append(time.monotonic_ns())
            self.ends.send(side, self.hand.numbered(side, stream.flow, number, known))

    @staticmethod
    def _known(stream: Stream, side: str) -> int:
        """Return how many packets of the far end a side may acknowledge."""
        return 1 + stream.last[WAN if side == LAN else LAN]

    @staticmethod
    def _number(at: int, side: str, number: int) -> int:
        return (2 * at + (side == WAN)) * NUMBERS + number % NUMBERS

    def _note(self) -> None:
        """Note which packets came, from where the far end knows its client by; forget them."""
        for side in (LAN, WAN):
            arrived, self.ends.seen[side] = self.ends.seen[side], []
            for seen in arrived:
                place, number = divmod(seen.number if seen.number is not None else -1, NUMBERS)
                at, is_down = divmod(place, 2)
                if not 0 <= at < len(self.played.streams) or (side == LAN) is not bool(is_down):
                    continue
                stream = self.played.streams[at]
                known = stream.flow.host if side == LAN else stream.flow.mapping
                way = WAN if is_down else LAN
                if seen.source == known and number < len(stream.sent_ns[way]):
                    stream.came[way].add(number)
                    stream.last[way] = max(stream.last[way], number)
