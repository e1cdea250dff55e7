# SPDX-License-Identifier: Apache-2.0
"""Both ends of the gateway: frames sent by hand, and all that arrives, read until it is found.

For packets whose addresses no host owns: no kernel answers what is sent. Who asks by ARP for an
address that is owned here has an answer, as a gateway does that has forgotten its neighbours.
"""

import errno
import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, Generic, Protocol, TypeVar

from gatemark.station.wiring import Wire
from gatemark.workload.packet import ARP, ETHERNET_BYTES, arp_answer, tagged
from gatemark.workload.packetsocket import LONGEST, opened

LAN: Final = "lan"
WAN: Final = "wan"
NS_A_S: Final = 1_000_000_000
LEAST_S, MOST_S = 0.25, 1.0  # of patience: a busy machine is late, too
TIMES: Final = 20  # as long as the first packet took


class Arrival(Protocol):
    """A packet that arrived."""

    @property
    def at_ns(self) -> int:
        """Return when it was read, CLOCK_MONOTONIC."""


Seen = TypeVar("Seen", bound=Arrival)
Parse = Callable[[bytes, int], Seen | None]  # of a frame and when it was read; None: no matter


class Ends(Generic[Seen]):
    """The LAN side and the WAN side."""

    def __init__(self, up: Wire, down: Wire, parse: Parse[Seen], stack: ExitStack) -> None:
        self.macs = {LAN: (up.source.mac, up.next_hop.mac)}
        self.macs |= {WAN: (down.source.mac, down.next_hop.mac)}
        self.seen: dict[str, list[Seen]] = {LAN: [], WAN: []}
        self.owned: dict[str, set[str]] = {LAN: set(), WAN: set()}  # addresses that answer ARP
        self.tags = {LAN: b"", WAN: b""}  # of 802.1Q, that a side sends with
        self.ended = threading.Event()
        self.patience_s = MOST_S  # with what may not come
        self._parse = parse
        self._sockets = {LAN: opened(up.source, stack), WAN: opened(down.source, stack)}
        for each in self._sockets.values():
            each.setblocking(False)

    def send(self, side: str, frame: bytes) -> int:
        """Send a frame from a side; returns when that was, ns.

        What a queue or the far end of a cable does not take is lost, as on the way (packet(7)).
        """
        sock, tag = self._sockets[side], self.tags[side]
        select.select([], [sock], [], MOST_S)
        at_ns = time.monotonic_ns()
        try:
            sock.send(tagged(frame, tag) if tag else frame)
        except OSError as error:
            if error.errno not in (errno.ENOBUFS, errno.EAGAIN):
                raise
        return at_ns

    def trust(self, took_s: float) -> None:
        """Have as much patience from now on as the time that a first packet took allows."""
        self.patience_s = min(MOST_S, max(LEAST_S, TIMES * took_s))

    def wait(
        self, side: str, is_it: Callable[[Seen], bool], since_ns: int, patience_s: float = 0.0
    ) -> Seen | None:
        """Return the packet that arrived at a side since then; None if it does not come."""
        until = time.monotonic() + (patience_s or self.patience_s)
        while not self.ended.is_set():
            if it := next((s for s in self.seen[side] if s.at_ns >= since_ns and is_it(s)), None):
                return it
            left_s = until - time.monotonic()
            if left_s <= 0:
                return None
            self.read(left_s)
        return None

    def since(self, side: str, since_ns: int) -> list[Seen]:
        """Wait as long as patience goes; return all that arrived at a side since then."""
        self.wait(side, lambda _: False, since_ns)
        return [seen for seen in self.seen[side] if seen.at_ns >= since_ns]

    def read(self, longest_s: float) -> None:
        """Read what has arrived at both sides, waiting so long for the first packet at most."""
        ready, _, _ = select.select([*self._sockets.values()], [], [], min(longest_s, 0.1))
        for side, sock in self._sockets.items():
            if sock in ready:
                self._drain(side, sock)

    def _drain(self, side: str, sock: socket.socket) -> None:
        while True:
            try:
                frame, at = sock.recvfrom(LONGEST)
            except BlockingIOError:
                return
            if at[2] == socket.PACKET_OUTGOING:
                continue
            if frame[12:ETHERNET_BYTES] == ARP:
                if answer := arp_answer(frame, self.macs[side][0], self.owned[side]):
                    self.send(side, answer)
            elif seen := self._parse(frame, time.monotonic_ns()):
                self.seen[side].append(seen)
