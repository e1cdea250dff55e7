# SPDX-License-Identifier: Apache-2.0
"""The parts of packets that a far end makes and reads: IPv4, IPv6, checksums. No I/O."""

import struct
from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

IPV4, IPV6 = b"\x08\x00", b"\x86\xdd"  # Ethernet's types
ETHERTYPE: Final = {4: IPV4, 6: IPV6}
TCP, UDP, ICMP, ICMPV6 = 6, 17, 1, 58
HOPS: Final = 64
V4: Final = struct.Struct("!BBHHHBBH4s4s")
V6: Final = struct.Struct("!IHBB16s16s")
CHECKSUM_AT: Final = {TCP: 16, UDP: 6}


class Address(bytes):
    """An address as it stands in a packet."""

    def __new__(cls, text: str) -> "Address":
        """Read it as people write it."""
        return super().__new__(cls, ip_address(text).packed)


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(source: bytes, sink: bytes, protocol: int, data: bytes, tos: int = 0) -> bytes:
    """A packet that may not be cut."""
    bare = V4.pack(0x45, tos, 20 + len(data), 0, 0x4000, HOPS, protocol, 0, source, sink)
    return bare[:10] + struct.pack("!H", checksum(bare)) + bare[12:] + data


def ipv6(source: bytes, sink: bytes, protocol: int, data: bytes, tos: int = 0) -> bytes:
    """The same of IPv6."""
    return V6.pack(6 << 28 | tos << 20, len(data), protocol, HOPS, source, sink) + data


def outer(source: bytes, sink: bytes) -> Callable[[int, bytes, int], bytes]:
    """Return what makes a packet around another: by protocol, data and traffic class."""
    make = ipv4 if len(source) == 4 else ipv6
    return lambda protocol, data, tos: make(source, sink, protocol, data, tos)


def version(packet: bytes) -> int:
    """4 or 6; 0 of what is no packet."""
    return packet[0] >> 4 if len(packet) >= 20 and packet[0] >> 4 in ETHERTYPE else 0


def unpadded(packet: bytes) -> bytes:
    """A packet without what fills a short frame, or a block."""
    size = int.from_bytes(packet[2:4], "big")
    size = size if packet[0] >> 4 == 4 else 40 + int.from_bytes(packet[4:6], "big")
    return packet[:size]


def traffic_class(packet: bytes) -> int:
    """The TOS byte or traffic class."""
    if packet[0] >> 4 == 4:
        return packet[1]
    return (packet[0] & 15) << 4 | packet[1] >> 4


def unwrapped(packet: bytes, source: bytes, sink: bytes, protocol: int) -> bytes | None:
    """The data of a packet between two addresses, of a protocol; None of any other."""
    if len(source) == 4:
        header, size = (packet[0] & 15) * 4, int.from_bytes(packet[2:4], "big")
        ends, its = packet[12:20], packet[9]
        is_whole = not int.from_bytes(packet[6:8], "big") & 0x3FFF
    else:
        header, size = 40, 40 + int.from_bytes(packet[4:6], "big")
        ends, its, is_whole = packet[8:40], packet[6], True
    is_its = ends == source + sink and its == protocol and is_whole
    return packet[header:size] if is_its and size <= len(packet) else None


def with_congestion(inner: bytes, outer_class: int) -> bytes:
    """The inner packet with the outer's mark of congestion (RFC 6040, section 4.2)."""
    tos = traffic_class(inner)
    if outer_class & 3 != 3 or tos & 3 in (0, 3):
        return inner
    if inner[0] >> 4 == 6:
        return inner[:1] + bytes((inner[1] | 0x30,)) + inner[2:]
    header = (inner[0] & 15) * 4
    bare = inner[:1] + bytes((tos | 3,)) + inner[2:10] + b"\0\0" + inner[12:header]
    return bare[:10] + struct.pack("!H", checksum(bare)) + bare[12:] + inner[header:]
