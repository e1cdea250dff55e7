# SPDX-License-Identifier: Apache-2.0
"""Both ends of the gateway: packets sent by hand, and all that arrives, read until it is found.

No host owns the addresses: no kernel answers what the questions send.
"""

import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from ipaddress import ip_address
from typing import Final, NamedTuple

from gatemark.station.wiring import Port, Wire
from gatemark.workload import packet
from gatemark.workload.packet import ETHERNET_BYTES, ICMP, TCP, UDP, End, Segment
from gatemark.workload.packetsocket import LONGEST, opened

LAN, WAN = "lan", "wan"
ECHO, ANSWER, UNREACHABLE = 8, 0, 3  # ICMP types (RFC 792)
PORT_UNREACHABLE: Final = (UNREACHABLE, 3)
HEADER: Final = 20  # bytes of an IPv4 packet without options
QUOTED: Final = HEADER + 8  # of a packet in an ICMP error, at least
RST: Final = 0x04
NS_A_S: Final = 1_000_000_000


class Seen(NamedTuple):
    """A packet as it arrived. Ports of an echo are its identifier."""

    at_ns: int  # CLOCK_MONOTONIC
    protocol: int  # of an ICMP error: ICMP
    source: End
    sink: End
    flags: int = 0  # of TCP
    kind: int = -1  # of ICMP
    about: tuple[End, End] | None = None  # of an ICMP error: source and sink of what it quotes


class Ends:
    """The LAN side and the WAN side."""

    def __init__(self, up: Wire, down: Wire, stack: ExitStack) -> None:
        self.outside = down.target.address("ipv4")  # until a packet shows another
        self._macs = {LAN: _macs(up), WAN: _macs(down)}
        self._sockets = {side: _opened(wire.source, stack) for side, wire in self._wires(up, down)}
        self._seen: dict[str, list[Seen]] = {LAN: [], WAN: []}
        self.ended = threading.Event()
        self.patience_s = 1.0  # with what may not come

    @staticmethod
    def _wires(up: Wire, down: Wire) -> tuple[tuple[str, Wire], tuple[str, Wire]]:
        return (LAN, up), (WAN, down)

    def send(self, side: str, protocol: int, source: End, sink: End, flags: int = 0) -> int:
        """Send a UDP packet, a segment or an echo from a side; returns when it was, ns."""
        macs = self._macs[side]
        if protocol == UDP:
            frame = packet.udp(macs, source, sink, packet.payload(0, 18))
        elif protocol == TCP:
            frame = packet.tcp(
                macs, source, sink, Segment(SEQUENCE[side], SEQUENCE[_far(side)], flags)
            )
        else:
            kind = ECHO if side == LAN else ANSWER
            addresses = source[0], sink[0]
            frame = packet.icmp(macs, addresses, (kind, 0), source[1] << 16 | 1, b"gatemark")
        return self._send(side, frame)

    def error(self, side: str, source: str, about: tuple[int, End, End]) -> int:
        """Send an ICMP error, that a port is not there, about a packet that the side has seen."""
        protocol, of, to = about
        inner = packet.udp if protocol == UDP else _segment
        quoted = inner(self._macs[side], of, to, b"")[ETHERNET_BYTES:][:QUOTED]
        frame = packet.icmp(self._macs[side], (source, of[0]), PORT_UNREACHABLE, 0, quoted)
        return self._send(side, frame)

    def wait(
        self, side: str, is_it: Callable[[Seen], bool], since_ns: int, patience_s: float = 0.0
    ) -> Seen | None:
        """Return the packet that arrived at a side since then; None if it does not come."""
        until = time.monotonic() + (patience_s or self.patience_s)
        while not self.ended.is_set():
            if it := next((s for s in self._seen[side] if s.at_ns >= since_ns and is_it(s)), None):
                return it
            left_s = until - time.monotonic()
            if left_s <= 0:
                return None
            self.read(left_s)
        return None

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
            is_own = at[2] == socket.PACKET_OUTGOING
            if not is_own and (seen := parsed(frame, time.monotonic_ns())):
                self._seen[side].append(seen)

    def _send(self, side: str, frame: bytes) -> int:
        at_ns = time.monotonic_ns()
        self._sockets[side].send(frame)
        return at_ns


SEQUENCE: Final[Mapping[str, int]] = {LAN: 0x10000000, WAN: 0x20000000}


def _far(side: str) -> str:
    return WAN if side == LAN else LAN


def _macs(wire: Wire) -> tuple[str, str]:
    return wire.source.mac, wire.next_hop.mac


def _opened(port: Port, stack: ExitStack) -> socket.socket:
    sock = opened(port, stack)
    sock.setblocking(False)
    return sock


def _segment(macs: packet.Ends, source: End, sink: End, data: bytes) -> bytes:
    return packet.tcp(macs, source, sink, Segment(SEQUENCE[LAN], 0, packet.SYN, data=data))


def parsed(frame: bytes, at_ns: int) -> Seen | None:
    """Return a frame's packet; None of what is no whole IPv4 packet of UDP, TCP or ICMP."""
    if frame[12:ETHERNET_BYTES] != packet.ETHERTYPE[4]:
        return None
    if (ends := _ends(frame[ETHERNET_BYTES:])) is None:
        return None
    protocol, source, sink, rest = ends
    if protocol == TCP:
        return Seen(at_ns, TCP, source, sink, flags=rest[13]) if len(rest) >= HEADER else None
    if protocol == UDP:
        return Seen(at_ns, UDP, source, sink)
    kind = rest[0]
    if kind in (ECHO, ANSWER):
        number = int.from_bytes(rest[4:6], "big")
        return Seen(at_ns, ICMP, (source[0], number), (sink[0], number), kind=kind)
    about = _ends(rest[8:])
    return Seen(at_ns, ICMP, source, sink, kind=kind, about=about and about[1:3])


def _ends(data: bytes) -> tuple[int, End, End, bytes] | None:
    """Protocol, source, sink and what follows the header, of the start of an IPv4 packet."""
    if len(data) < QUOTED or data[0] >> 4 != 4:
        return None
    length = (data[0] & 0xF) * 4
    protocol, offset = data[9], struct.unpack_from("!H", data, 6)[0] & 0x1FFF
    rest = data[length:]
    if length < HEADER or offset or len(rest) < 8 or protocol not in (ICMP, TCP, UDP):
        return None
    ports = struct.unpack_from("!HH", rest) if protocol != ICMP else (0, 0)
    addresses = (str(ip_address(data[12:16])), str(ip_address(data[16:20])))
    return protocol, (addresses[0], ports[0]), (addresses[1], ports[1]), rest
