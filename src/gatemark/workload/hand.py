# SPDX-License-Identifier: Apache-2.0
"""Flows that are opened through the gateway by hand, with numbered packets each way.

TCP is opened by a handshake of ours; its segments stay inside the window that was announced, and
need no answer. No stack sends one again: what did not come did not come.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from gatemark.error import InvalidTrialError
from gatemark.station.wiring import FAR_HOSTS, FIRST_CLIENT, Wire
from gatemark.workload import packet
from gatemark.workload.ends import LAN, WAN, Ends
from gatemark.workload.packet import ACK, PUSH, SYN, TCP, UDP, End, Segment

PORT: Final = 4000
FIRST_PORT: Final = 33_000
TRIES: Final = 3
NUMBERS: Final = 1_000_000  # that a stream may have, behind its own place
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


class Hand:
    """The opener of flows between a client of the LAN and a host of the WAN."""

    def __init__(self, wire: Wire, opening_s: float) -> None:
        self.client = wire.near.neighbour("ipv4", FIRST_CLIENT)
        self.host = wire.far.neighbour("ipv4", FAR_HOSTS[-2])
        self.opening_s = opening_s
        self.ports: Iterator[int] = iter(range(FIRST_PORT, 60_000))
        self._far_ports = iter(range(PORT, FIRST_PORT))

    def take(self, ends: Ends[Seen]) -> None:
        """Own both addresses at these ends."""
        self.ends = ends
        ends.owned[LAN].add(self.client)
        ends.owned[WAN].add(self.host)

    def open(self, protocol: int) -> Flow:
        """A flow that is known to the gateway. Raises InvalidTrialError."""
        # A far port of its own: the last segment of the one before may still be on its way.
        client, host = (self.client, next(self.ports)), (self.host, next(self._far_ports))
        segment = Segment(SEQUENCE[LAN], 0, SYN, OPTIONS)
        first = self._frame(LAN, protocol, client, host, segment)
        until = time.monotonic() + self.opening_s / 2
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

    def numbered(self, side: str, flow: Flow, number: int, acknowledged: int = 0) -> bytes:
        """Return the frame of a numbered packet; TCP acknowledges so many of the far end's."""
        source, sink = (flow.client, flow.host) if side == LAN else (flow.host, flow.mapping)
        data = packet.mark(number)
        sequence, far = (SEQUENCE[each] + 1 for each in (side, WAN if side == LAN else LAN))
        sequence += number % NUMBERS * len(data)
        far += acknowledged * len(data)
        segment = Segment(sequence, far, PUSH | ACK, data=data)
        return self._frame(side, flow.protocol, source, sink, segment, data)

    def _frame(
        self, side: str, protocol: int, source: End, sink: End, segment: Segment, data: bytes = b""
    ) -> bytes:
        macs = self.ends.macs[side]
        if protocol == TCP:
            return packet.tcp(macs, source, sink, segment)
        return packet.udp(macs, source, sink, data)

    def asked(self, flow: Flow, number: int, acknowledged: int = 0) -> bool:
        """Ask a flow from inside, and answer, as its user would; return whether both came."""
        for side, known in ((LAN, flow.mapping), (WAN, flow.host)):
            frame = self.numbered(side, flow, number, acknowledged)
            far = WAN if side == LAN else LAN
            is_its = partial(_is, known=known, number=number)
            if not any(
                self.ends.wait(far, is_its, self.ends.send(side, frame)) for _ in range(TRIES)
            ):
                return False
        return True


def _is(seen: Seen, known: End, number: int) -> bool:
    return seen.number == number and seen.source == known


def parsed(frame: bytes, at_ns: int) -> Seen | None:
    """Return a frame's packet; None of what is neither UDP nor TCP."""
    for protocol in (UDP, TCP):
        if data := packet.carried(frame, protocol):
            port = int.from_bytes(data[2:4], "big")
            return Seen(at_ns, protocol, packet.sender(frame), port, packet.number_of(data))
    return None
