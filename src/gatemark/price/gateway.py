# SPDX-License-Identifier: Apache-2.0
"""A counted guest that stays up while its rules are replaced, and what each kind of packet takes.

    boot, once ──> load A, count each kind ──> load B, count each kind ──> ...

A packet is sent while the gateway is at rest, and counted when it is at rest again. It may be
dropped, so where it came out is looked at then. The number is that of inner.py, which mostly is the
same for each packet of a kind: five are enough. Packets that begin connections differ by a few
instructions (which of two locks is taken first, the slab's next page), so ten are sent, by the
same ports in each load: their numbers are compared as `judge.point.mode` compares modes.
"""

import select
import socket
import time
from collections import Counter as Tally
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from gatemark.error import InvalidTrialError, StationError
from gatemark.judge.point.mode import first, shift
from gatemark.price.inner import inner
from gatemark.price.traffic import Ends, Flow, Kind, opening
from gatemark.probe.path import calls
from gatemark.probe.refill import Sorter
from gatemark.station.counter import Counter
from gatemark.station.station import Station
from gatemark.station.symbols import Symbols
from gatemark.workload.packetsocket import LONGEST, opened

ENOUGH: Final = {"known": 5, "new": 10}  # packets that are counted
OFTEN: Final = 4  # of them have one number
MOST: Final = 64  # packets that are sent for them
WARM: Final = 3  # packets before; they show the kind's fate
STILL_S: Final = 0.0006  # nothing ran for so long: the gateway is at rest
BUSY_S: Final = 20.0  # the longest to wait for that, on a busy machine
LOOK_S: Final = 0.0001
OPENS_S: Final = 0.5  # a packet that opens a connection is there by then
LATE_S: Final = 0.03  # a frame that left the guest is in the socket by then

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


class Sides:
    """Packet sockets on the tester's two ports."""

    def __init__(self, station: Station, stack: ExitStack) -> None:
        self._sockets = {role: opened(station.ports[role], stack) for role in ("lan0", "wan0")}

    def send(self, role: str, frame: bytes) -> None:
        """Send a frame from a side, and let go of what came before."""
        for _ in self.taken():
            pass
        self._sockets[role].send(frame)

    def put(self, role: str, frame: bytes) -> None:
        """Send a frame from a side, and keep what comes."""
        self._sockets[role].send(frame)

    def taken(self) -> Iterator[tuple[str, bytes]]:
        """Yield the frames that came to either side meanwhile, with their side."""
        for role, at in self._sockets.items():
            while select.select([at], [], [], 0)[0]:
                data, address = at.recvfrom(LONGEST)
                if address[2] != socket.PACKET_OUTGOING:
                    yield role, data

    def awaited(self, role: str, token: bytes, patience_s: float) -> bytes:
        """Wait for the frame with a token at a side; nothing if it does not come."""
        until = time.monotonic() + patience_s
        at = self._sockets[role]
        while (left := until - time.monotonic()) > 0:
            if select.select([at], [], [], left)[0]:
                data, address = at.recvfrom(LONGEST)
                if address[2] != socket.PACKET_OUTGOING and token in data:
                    return data
        return b""


class Walker:
    """Sends packets of any kind one by one, and counts each. `symbols` are the kernel's now."""

    def __init__(self, counter: Counter, symbols: Symbols, sides: Sides, ends: Ends) -> None:
        self.counter = counter
        self.symbols = symbols
        self.sides = sides
        self.ends = ends
        self._sorter = Sorter(counter, symbols, programs=False)
        self._known: dict[tuple[int, ...], Tally[str]] = {}  # the slots of a walk -> its functions

    def counted(self, kind: Kind, fate: str = "") -> Counted:
        """Count packets of a kind; `fate` where it is known.

        Raises InvalidTrialError where the gateway is never at rest, or the packets come to another
        end than they did.
        """
        with self.counter.window():
            flow = self.flow(kind)
            if flow is None:
                return Counted(kind, UNOPENED)
            if not fate:
                fate = self.fate(flow, range(-WARM, 0))
            else:
                self._sent(flow, -1, fate)
            return self._counted(flow, fate)

    def fate(self, flow: Flow, numbers: range) -> str:
        """Send some packets, and look where they come out."""
        fates = {self._fate(flow, number) for number in numbers}
        return next((fate for fate in (ARRIVES, ANSWERED) if fate in fates), DROPPED)

    def _fate(self, flow: Flow, number: int) -> str:
        token, kind = flow.token(number), flow.kind
        self._sent(flow, number)
        time.sleep(LATE_S)
        came = list(self.sides.taken())
        if any(role == kind.target and token in frame for role, frame in came):
            return ARRIVES
        return ANSWERED if any(role == kind.source for role, _ in came) else DROPPED

    def _counted(self, flow: Flow, fate: str) -> Counted:
        modes: Tally[int] = Tally()
        functions: dict[int, Tally[str]] = {}
        for number in range(MOST):
            self._sent(flow, number, fate)
            counts = self._inner()
            if not counts:  # it was not there yet: something else moved the gateway
                continue
            modes[counts.total()] += 1
            functions.setdefault(counts.total(), counts)
            if modes.total() >= ENOUGH[flow.kind.state] and max(modes.values()) >= OFTEN:
                break
        if not modes:
            raise InvalidTrialError(f"{flow.kind.label}: no packet of it was seen in the gateway")
        return Counted(flow.kind, fate, dict(modes), dict(functions[first(modes)]))

    def _inner(self) -> Tally[str]:
        """The functions of the last walk; most walks of a kind run the very same blocks."""
        try:
            blocks = self.counter.path()
        except StationError as error:  # something else ran besides
            raise InvalidTrialError(str(error)) from None
        path, _ = self._sorter.own(blocks)
        key = tuple(path)
        if key not in self._known:
            self._known[key] = inner(calls(self.counter, self.symbols, path))
        return self._known[key]

    def _sent(self, flow: Flow, number: int, fate: str = "") -> None:
        """Send a packet from rest to rest. Raises InvalidTrialError where one is lost."""
        self.still()
        self.counter.anew()
        base = self.counter.total
        self.sides.send(flow.kind.source, flow.frame(number))
        if fate == ARRIVES and not self.sides.awaited(flow.kind.target, flow.token(number), BUSY_S):
            raise InvalidTrialError(f"{flow.kind.label}: a packet of it did not come through")
        self.still(moved_from=base)

    def flow(self, kind: Kind) -> Flow | None:
        """The kind's packets, their connection open; None: a packet of it did not come through."""
        if kind.state == "new":
            return Flow(kind, self.ends)
        steps = opening(kind, self.ends)
        flow, frame, token = next(steps)
        while True:
            self.sides.send(flow.kind.source, frame)
            if not (came := self.sides.awaited(flow.kind.target, token, OPENS_S)):
                return None
            try:
                flow, frame, token = steps.send(came)
            except StopIteration as end:
                open_flow: Flow = end.value
                return open_flow

    def worked(self, until: int) -> None:
        """Wait until the gateway has executed so much, and is at rest, on a busy machine as well.

        Raises InvalidTrialError.
        """
        patience = time.monotonic() + BUSY_S
        while self.counter.total < until and time.monotonic() < patience:
            time.sleep(LOOK_S)
        self.still()

    def still(self, moved_from: int | None = None) -> None:
        """Wait until the gateway is at rest, on a busy machine as well. Raises InvalidTrialError.

        One that never moves from where it was has not got the packet.
        """
        last, since = self.counter.total, time.monotonic()
        until = since + BUSY_S
        while (at := time.monotonic()) < until:
            time.sleep(LOOK_S)
            now = self.counter.total
            if now != last:
                last, since = now, time.monotonic()
            elif last != moved_from and at - since >= STILL_S:
                return
        raise InvalidTrialError(
            f"the gateway was not at rest within {BUSY_S:g} s: is something else at work on it?"
        )


async def walker(station: Station, sides: Sides, ends: Ends) -> Walker:
    """A walker of a station's gateway as it is now. Raises StationError where nobody counts."""
    if station.counting is None:
        raise StationError("nobody counts the gateway's instructions")
    symbols = await station.counting.names.read()
    return Walker(station.counting.counter(), symbols, sides, ends)
