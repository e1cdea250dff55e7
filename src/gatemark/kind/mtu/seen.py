# SPDX-License-Identifier: Apache-2.0
"""A packet or fragment as it arrived: its size, its place, and what it says of sizes."""

import struct
from ipaddress import ip_address
from typing import Final, NamedTuple

from gatemark.workload.packet import ETHERNET_BYTES, ETHERTYPE, ICMP, ICMPV6, TCP, UDP

FRAGMENT: Final = 44  # IPv6's extension header (RFC 8200, section 4.5)
TOO_LONG: Final = {ICMP: (3, 4), ICMPV6: (2, 0)}  # type and code (RFC 1191, RFC 4443)
MSS: Final = 2  # TCP's option (RFC 9293, section 3.2)


class Seen(NamedTuple):
    """A packet of IPv4 or IPv6."""

    at_ns: int  # CLOCK_MONOTONIC
    size: int  # bytes with IP's header
    protocol: int
    source: str
    sink: str
    number: int = 0  # of the whole that a fragment is of
    offset: int = 0  # bytes
    is_last: bool = True
    data: int = 0  # bytes behind all headers of IP
    port: int = 0  # source, where it has ports; 0: of a later fragment
    limit: int = 0  # of an ICMP error: the longest that goes
    mss: int = 0  # of a segment that opens TCP


def parsed(frame: bytes, at_ns: int) -> Seen | None:
    """Return a frame's packet; None of what is none, or is cut."""
    kind, data = frame[12:ETHERNET_BYTES], frame[ETHERNET_BYTES:]
    if kind == ETHERTYPE[4] and len(data) >= 20:
        return _ipv4(data, at_ns)
    return _ipv6(data, at_ns) if kind == ETHERTYPE[6] and len(data) >= 40 else None


def _ipv4(data: bytes, at_ns: int) -> Seen | None:
    header, size = (data[0] & 0xF) * 4, int.from_bytes(data[2:4], "big")
    number, place = struct.unpack_from("!HH", data, 4)
    if header < 20 or not header <= size <= len(data):
        return None
    source, sink = (str(ip_address(data[at : at + 4])) for at in (12, 16))
    offset, is_last = (place & 0x1FFF) * 8, not place & 0x2000
    seen = Seen(at_ns, size, data[9], source, sink, number, offset, is_last)
    return _with_content(seen, data[header:size])


def _ipv6(data: bytes, at_ns: int) -> Seen | None:
    size = 40 + int.from_bytes(data[4:6], "big")
    if size > len(data):
        return None
    protocol, rest, place = data[6], data[40:size], (0, 0, True)
    if protocol == FRAGMENT:
        if len(rest) < 8:
            return None
        protocol, _, offset, number = struct.unpack_from("!BBHI", rest)
        place, rest = (number, offset & 0xFFF8, not offset & 1), rest[8:]
    source, sink = (str(ip_address(data[at : at + 16])) for at in (8, 24))
    return _with_content(Seen(at_ns, size, protocol, source, sink, *place), rest)


def _with_content(seen: Seen, rest: bytes) -> Seen:
    seen = seen._replace(data=len(rest))
    if seen.offset or len(rest) < 8:
        return seen
    if seen.protocol in (TCP, UDP):
        mss = _mss(rest) if seen.protocol == TCP and len(rest) >= 20 else 0
        return seen._replace(port=int.from_bytes(rest[:2], "big"), mss=mss)
    if tuple(rest[:2]) == TOO_LONG.get(seen.protocol):
        return seen._replace(limit=int.from_bytes(rest[6:8], "big"))
    return seen


def _mss(segment: bytes) -> int:
    """The option of a segment; 0: it has none."""
    options = segment[20 : (segment[12] >> 4) * 4]
    while options and options[0]:
        if options[0] == 1:
            options = options[1:]
            continue
        if len(options) < 2 or options[1] < 2:
            return 0
        if options[0] == MSS and len(options) >= 4:
            return int.from_bytes(options[2:4], "big")
        options = options[options[1] :]
    return 0
