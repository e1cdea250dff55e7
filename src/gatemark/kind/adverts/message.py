# SPDX-License-Identifier: Apache-2.0
"""Router solicitation and advertisement as frames (RFC 4861, sections 4.1, 4.2, 4.6.2)."""

import struct
from collections.abc import Iterator
from ipaddress import IPv6Address
from typing import Final, NamedTuple

from gatemark.workload import packet

SOLICIT, ADVERT = 133, 134
HOPS: Final = 255  # of any other number it came through a router, and is none
ALL_ROUTERS: Final = "ff02::2"
ALL_ROUTERS_MAC: Final = bytes.fromhex("333300000002")
PREFIX: Final = 3  # an option
AT: Final = 14 + 40  # Ethernet, IPv6
HEADER: Final = struct.Struct("!BBHBBHII")
INFORMATION: Final = struct.Struct("!BBBBII4x16s")


class Advert(NamedTuple):
    """A router advertisement, with the prefix that lasts shortest."""

    at_ns: int
    router_s: int
    prefixes: tuple[tuple[str, int, int], ...]  # prefix, valid and preferred lifetime, s


def solicitation(mac: bytes) -> bytes:
    """A question for routers of who has no address yet: it is answered to all."""
    source, sink = bytes(16), IPv6Address(ALL_ROUTERS).packed
    message = struct.pack("!BBHI", SOLICIT, 0, 0, 0)
    total = packet.checksum(
        source + sink + struct.pack("!II", len(message), packet.ICMPV6) + message
    )
    message = struct.pack("!BBHI", SOLICIT, 0, total, 0)
    header = struct.pack("!IHBB", 6 << 28, len(message), packet.ICMPV6, HOPS) + source + sink
    return ALL_ROUTERS_MAC + mac + packet.ETHERTYPE[6] + header + message


def parsed(frame: bytes, at_ns: int) -> Advert | None:
    """Return a frame's advertisement; None of any other frame, and of a broken one."""
    if frame[12:14] != packet.ETHERTYPE[6] or len(frame) < AT + HEADER.size:
        return None
    length = int.from_bytes(frame[18:20], "big")
    message = frame[AT : AT + length]
    if frame[20] != packet.ICMPV6 or frame[21] != HOPS or len(message) < HEADER.size:
        return None
    kind, code, _, _, _, router_s, _, _ = HEADER.unpack_from(message)
    if (kind, code) != (ADVERT, 0):
        return None
    prefixes = tuple(_prefixes(message[HEADER.size :]))
    return Advert(at_ns, router_s, prefixes)


def _prefixes(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Each prefix up to the end, or to where it is cut."""
    at = 0
    while at + 2 <= len(data) and data[at + 1]:
        size = 8 * data[at + 1]
        if data[at] == PREFIX and size == INFORMATION.size and at + size <= len(data):
            _, _, bits, _, valid_s, preferred_s, own = INFORMATION.unpack_from(data, at)
            yield f"{IPv6Address(own)}/{bits}", valid_s, preferred_s
        at += size
