# SPDX-License-Identifier: Apache-2.0
"""A counted guest that stays up while its rules are replaced, and what each kind of packet takes.

    boot, once ──> load A, count each kind ──> load B, count each kind ──> ...

No word here is by time, as a busy machine has none. Of a packet that was sent the gateway's own
blocks say that it came, and that the processor halted again behind it. Whether it was forwarded is
known once a *fence* came back: a request of ARP to the gateway's port, and its answer, which can
overtake nothing on either side. So what did not come out by then never will.

The number is that of inner.py, which mostly is the same for each packet of a kind: five are enough.
Packets that begin connections differ by a few instructions (which of two locks is taken first, the
slab's next page), so ten are sent, by the same ports in each load: their numbers are compared as
`judge.point.mode` compares modes. A packet that an interrupt met is sent again.
"""

import select
import socket
import time
from collections import Counter as Tally
from collections.abc import Mapping, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from gatemark.error import InvalidTrialError, StationError
from gatemark.judge.point.mode import first, shift
from gatemark.price.inner import RECEIVE, inner, received
from gatemark.price.traffic import GATES, Ends, Flow, Kind, opening
from gatemark.probe.idle import HALTS
from gatemark.probe.path import calls
from gatemark.probe.refill import Sorter
from gatemark.station.counter import Counter
from gatemark.station.station import Station
from gatemark.station.symbols import Symbols
from gatemark.station.wiring import Port
from gatemark.workload import packet
from gatemark.workload.packetsocket import LONGEST, opened

ENOUGH: Final = {"known": 5, "new": 10}  # packets that are counted
OFTEN: Final = 4  # of them have one number
MOST: Final = 64  # packets that are sent for them
WARM: Final = 3  # packets before; they show the kind's fate
BUSY_S: Final = 60.0  # the longest to wait for what is sure to come: no answer is by this
LOOK_S: Final = 0.0001
HALTED: Final = frozenset(HALTS)

ARRIVES, ANSWERED, DROPPED = "arrives", "is answered by the gateway", "is dropped"
UNOPENED: Final = "not met: its connection cannot be opened"


@dataclass(frozen=True, slots=True)
class Counted:
    """A kind of packet, its fate, and what the gateway executes for it."""

    kind: Kind
    fate: str
    modes: Mapping[int, int] = field(default_factory=dict)  # instructions -> packets
    functions: Mapping[str, int] = field(default_factory=dict)  # instructions of the first mode

    @property
    def instructions(self) -> int:
        """The most frequent number; 0 where nothing was counted."""
        return first(self.modes) if self.modes else 0


def shifts(old: Mapping[Kind, Counted], new: Mapping[Kind, Counted]) -> dict[Kind, int]:
    """By how many instructions `new` lies above `old`: each kind that is counted in both."""
    counted = (kind for kind in old if kind in new and old[kind].modes and new[kind].modes)
    return {kind: shift(old[kind].modes, new[kind].modes) for kind in counted}


@dataclass(slots=True)
class Modes:
    """Numbers that packets came to, and the functions of each."""

    packets: Tally[int] = field(default_factory=Tally)
    by: dict[int, Tally[str]] = field(default_factory=dict)

    def add(self, counts: Tally[str]) -> None:
        """Another packet's functions; nothing of one that was not there yet."""
        if counts:
            self.packets[counts.total()] += 1
            self.by.setdefault(counts.total(), counts)

    def enough(self, many: int) -> bool:
        """Return whether so many were counted, and one number is most of them."""
        often = max(self.packets.values(), default=0)
        return self.packets.total() >= many and often >= OFTEN and 2 * often > self.packets.total()

    @property
    def functions(self) -> dict[str, int]:
        """Instructions of the first mode, by function."""
        return dict(self.by[first(self.packets)])


class Sides:
    """Packet sockets on the tester's two ports, and what came in by them."""

    def __init__(self, station: Station, stack: ExitStack) -> None:
        self._sockets = {role: opened(station.ports[role], stack) for role in GATES}
        self._came: list[tuple[str, bytes]] = []

    def send(self, role: str, frame: bytes) -> None:
        """Send a frame from a side."""
        self._sockets[role].send(frame)

    def taken(self) -> list[tuple[str, bytes]]:
        """Take the frames that came to either side so far, with their side."""
        self._take(0)
        came, self._came = self._came, []
        return came

    def fenced(self, ports: Mapping[str, Port]) -> list[tuple[str, bytes]]:
        """Wait until all that was sent is out or never will be; take what came.

        The first answer shows that the gateway is done with what the LAN side sent, the second
        that all is out at the WAN side, the third the same of what the WAN side sent.
        Raises StationError where the gateway does not answer.
        """
        for role in ("lan0", "wan0", "lan0"):
            gate = ports[GATES[role]]
            self.send(role, packet.arp_probe(ports[role].mac, gate.address("ipv4")))
            until = time.monotonic() + BUSY_S
            while not any(
                side == role and packet.is_arp_answer(frame) for side, frame in self._came
            ):
                if (left := until - time.monotonic()) < 0:
                    raise StationError("the gateway answers no ARP: do rules drop it?")
                self._take(left)
            self._came = [came for came in self._came if not packet.is_arp_answer(came[1])]
        return self.taken()

    def _take(self, patience_s: float) -> None:
        """Take what is in the sockets; wait for the first as long."""
        while ready := select.select([*self._sockets.values()], [], [], patience_s)[0]:
            for role, at in self._sockets.items():
                if at in ready:
                    data, address = at.recvfrom(LONGEST)
                    if address[2] != socket.PACKET_OUTGOING:
                        self._came.append((role, data))
            patience_s = 0


class Walker:
    """Sends packets of any kind one by one, and counts each. `symbols` are the kernel's now."""

    def __init__(self, counter: Counter, symbols: Symbols, sides: Sides, ends: Ends) -> None:
        self.counter = counter
        self.symbols = symbols
        self.sides = sides
        self.ends = ends
        self._sorter = Sorter(counter, symbols, programs=False)
        self._known: dict[tuple[int, ...], Tally[str]] = {}  # the slots of a walk -> its functions
        self._names: dict[int, str] = {}  # functions of slots that were asked for

    def counted(self, kind: Kind, fate: str = "") -> Counted:
        """Count packets of a kind; nothing is counted where its fate is not the one given.

        Raises InvalidTrialError where the gateway is never at rest.
        """
        with self.counter.window():
            flow = self._flow(kind)
            if flow is None:
                return Counted(kind, UNOPENED)
            now = self._fate(flow, range(-WARM, 0))
            return Counted(kind, now) if fate and now != fate else self._counted(flow, now)

    def flow(self, kind: Kind) -> Flow | None:
        """The kind's packets, their connection open; None: a packet of it did not come through.

        Raises InvalidTrialError.
        """
        with self.counter.window():
            return self._flow(kind)

    def fate(self, flow: Flow, numbers: range) -> str:
        """Send some packets, and look where they come out. Raises InvalidTrialError."""
        with self.counter.window():
            return self._fate(flow, numbers)

    def _fate(self, flow: Flow, numbers: range) -> str:
        self._fenced()
        for number in numbers:
            self._sent(flow, number)
        kind = flow.kind
        tokens = [flow.token(number) for number in numbers]
        came = self._fenced()
        if any(role == kind.target and token in frame for role, frame in came for token in tokens):
            return ARRIVES
        return ANSWERED if any(role == kind.source for role, _ in came) else DROPPED

    def _counted(self, flow: Flow, fate: str) -> Counted:
        """Count packets until most of them have one number."""
        alone: dict[bool, Modes] = {True: Modes(), False: Modes()}
        for number in range(MOST):
            self._sent(flow, number)
            counts, undisturbed = self._inner()
            modes = alone[undisturbed]
            modes.add(counts)
            if undisturbed and modes.enough(ENOUGH[flow.kind.state]):
                break
        modes = alone[True] if alone[True].packets else alone[False]
        if not modes.packets:
            raise InvalidTrialError(f"{flow.kind.label}: no packet of it was seen in the gateway")
        return Counted(flow.kind, fate, dict(modes.packets), modes.functions)

    def _inner(self) -> tuple[Tally[str], bool]:
        """The functions of the last walk, and whether it met nothing but its packet.

        Most walks of a kind run the very same blocks.
        """
        path, _ = self._sorter.own(self._path())
        way, undisturbed = received(path, self._name, self._enters)
        key = tuple(way)
        if key not in self._known:
            self._known[key] = inner(calls(self.counter, self.symbols, way))
        return self._known[key], undisturbed

    def _sent(self, flow: Flow, number: int) -> None:
        """Send a packet from rest to rest. Raises InvalidTrialError where that takes too long."""
        self.counter.anew()
        self.sides.send(flow.kind.source, flow.frame(number))
        self._rest(RECEIVE)

    def _fenced(self) -> list[tuple[str, bytes]]:
        """Return what came of all that was sent; the gateway is at rest then. Needs a window."""
        came = self.sides.fenced(self.ends.ports)
        self.counter.anew()
        self._rest(HALTED)
        return came

    def _flow(self, kind: Kind) -> Flow | None:
        if kind.state == "new":
            return Flow(kind, self.ends)
        self._fenced()  # of what came before nothing is taken for an answer
        steps = opening(kind, self.ends)
        flow, frame, token = next(steps)
        while True:
            self.sides.send(flow.kind.source, frame)
            came = self._fenced()
            through = [data for role, data in came if role == flow.kind.target and token in data]
            if not through:
                return None
            try:
                flow, frame, token = steps.send(through[0])
            except StopIteration as end:
                open_flow: Flow = end.value
                return open_flow

    def _rest(self, after: Set[str]) -> None:
        """Wait until the processor has halted, after one of these functions ran in the window.

        The clock ticks while it idles, so it halts anew all the time. Raises InvalidTrialError.
        """
        until, looked = time.monotonic() + BUSY_S, 0
        while time.monotonic() < until:
            path = self._path()
            if path[looked:] and self._name(path[-1]) in HALTED:
                if not after.isdisjoint(map(self._name, path[looked:])):
                    return
                looked = len(path)
            time.sleep(LOOK_S)
        raise InvalidTrialError(
            f"the gateway was not at rest within {BUSY_S:g} s: is something else at work on it?"
        )

    def _path(self) -> list[int]:
        """The slots of the window so far. Raises InvalidTrialError where it is too short."""
        try:
            return self.counter.path()
        except StationError as error:  # something else ran besides
            raise InvalidTrialError(str(error)) from None

    def _name(self, slot: int) -> str:
        """The function of a slot's block."""
        if slot not in self._names:
            self._names[slot] = self.symbols.function(self.counter.block(slot).address).name
        return self._names[slot]

    def _enters(self, slot: int) -> bool:
        """Return whether a slot's block begins its function."""
        return self.symbols.enters(self.counter.block(slot).address)


async def walker(station: Station, sides: Sides, ends: Ends) -> Walker:
    """A walker of a station's gateway as it is now. Raises StationError where nobody counts."""
    if station.counting is None:
        raise StationError("nobody counts the gateway's instructions")
    symbols = await station.counting.names.read()
    return Walker(station.counting.counter(), symbols, sides, ends)
