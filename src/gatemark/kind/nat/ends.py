# SPDX-License-Identifier: Apache-2.0
"""Packets that ask NAT: UDP, segments, echoes and ICMP errors, and their reading."""

import struct
from collections.abc import Mapping
from contextlib import ExitStack
from ipaddress import ip_address
from typing import Final, NamedTuple

from gatemark.station.wiring import Wire
from gatemark.workload import ends, packet
from gatemark.workload.ends import LAN, WAN
from gatemark.workload.packet import ETHERNET_BYTES, ICMP, TCP, UDP, End, Segment

ECHO, ANSWER, UNREACHABLE = 8, 0, 3  # ICMP types (RFC 792)
PORT_UNREACHABLE: Final = (UNREACHABLE, 3)
TIME_EXCEEDED: Final = (11, 0)
HEADER: Final = 20  # bytes of an IPv4 packet without options
QUOTED: Final = HEADER + 8  # of a packet in an ICMP error, at least
RST: Final = 0x04
SEQUENCE: Final[Mapping[str, int]] = {LAN: 0x10000000, WAN: 0x20000000}


class Seen(NamedTuple):
    """A packet as it arrived. Ports of an echo are its identifier."""

    at_ns: int  # CLOCK_MONOTONIC
    protocol: int  # of an ICMP error: ICMP
    source: End
    sink: End
    flags: int = 0  # of TCP
    kind: int = -1  # of ICMP
    about: tuple[End, End] | None = None  # of an ICMP error: source and sink of what it quotes


class Ends(ends.Ends[Seen]):
    """Both ends, and the gateway's address outside."""

    def __init__(self, up: Wire, down: Wire, stack: ExitStack) -> None:
        super().__init__(up, down, parsed, stack)
        self.outside = down.target.address("ipv4")  # until a packet shows another

    def say(self, side: str, protocol: int, source: End, sink: End, flags: int = 0) -> int:
        """Send a UDP packet, a segment or an echo from a side; returns when it was, ns."""
        macs = self.macs[side]
        if protocol == UDP:
            frame = packet.udp(macs, source, sink, packet.payload(0, 18))
        elif protocol == TCP:
            numbers = SEQUENCE[side], SEQUENCE[WAN if side == LAN else LAN]
            frame = packet.tcp(macs, source, sink, Segment(*numbers, flags))
        else:
            kind = ECHO if side == LAN else ANSWER
            addresses = source[0], sink[0]
            frame = packet.icmp(macs, addresses, (kind, 0), source[1] << 16 | 1, b"gatemark")
        return self.send(side, frame)

    def error(
        self,
        side: str,
        source: str,
        about: tuple[int, End, End],
        kind: tuple[int, int] = PORT_UNREACHABLE,
        *,
        is_sound: bool = True,
    ) -> int:
        """Send an ICMP error about a packet that the side has seen: that a port is not there.

        Or of another type and code; one that is not sound has a wrong checksum.
        """
        protocol, of, to = about
        inner = {UDP: packet.udp, TCP: _segment, ICMP: _echo}[protocol]
        quoted = inner(self.macs[side], of, to, b"")[ETHERNET_BYTES:][:QUOTED]
        frame = packet.icmp(self.macs[side], (source, of[0]), kind, 0, quoted)
        return self.send(side, frame if is_sound else _spoilt(frame))


def _spoilt(frame: bytes) -> bytes:
    """The frame of an ICMP message with a wrong checksum."""
    at = ETHERNET_BYTES + HEADER + 2
    return frame[:at] + bytes(255 - byte for byte in frame[at : at + 2]) + frame[at + 2 :]


def _echo(macs: packet.Ends, source: End, sink: End, data: bytes) -> bytes:
    return packet.icmp(macs, (source[0], sink[0]), (ECHO, 0), source[1] << 16 | 1, data)


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
        return Seen(at_ns, ICMP, source, sink, kind=kind)
    about = _ends(rest[8:])
    return Seen(at_ns, ICMP, source, sink, kind=kind, about=about and about[1:3])


def _identifier(message: bytes) -> int:
    return int.from_bytes(message[4:6], "big") if message[0] in (ECHO, ANSWER) else 0


def _ends(data: bytes) -> tuple[int, End, End, bytes] | None:
    """Protocol, source, sink and what follows the header, of the start of an IPv4 packet."""
    if len(data) < QUOTED or data[0] >> 4 != 4:
        return None
    length = (data[0] & 0xF) * 4
    protocol, offset = data[9], struct.unpack_from("!H", data, 6)[0] & 0x1FFF
    rest = data[length:]
    if length < HEADER or offset or len(rest) < 8 or protocol not in (ICMP, TCP, UDP):
        return None
    # An echo's port is its identifier, at both ends.
    ports = struct.unpack_from("!HH", rest) if protocol != ICMP else (_identifier(rest),) * 2
    addresses = (str(ip_address(data[12:16])), str(ip_address(data[16:20])))
    return protocol, (addresses[0], ports[0]), (addresses[1], ports[1]), rest
