# SPDX-License-Identifier: Apache-2.0
"""Messages of DHCPv6 as frames: what a router asks for a prefix, what a server says (RFC 8415)."""

import struct
from collections.abc import Iterator
from ipaddress import IPv6Address, IPv6Network
from typing import Final, NamedTuple

from gatemark.workload import packet

CLIENT_PORT, SERVER_PORT = 546, 547
SOLICIT, ADVERTISE, REQUEST, CONFIRM, RENEW, REBIND, REPLY, RELEASE = range(1, 9)
INFORMATION: Final = 11
ASKS: Final = (SOLICIT, REQUEST, CONFIRM, RENEW, REBIND, RELEASE, INFORMATION)
CLIENT_ID, SERVER_ID, IA_NA, PREFERENCE, STATUS, IA_PD, IA_PREFIX = 1, 2, 3, 7, 13, 25, 26
NO_ADDRESS: Final = 2  # a status: there is no address to be had, only a prefix
FIRST_ALONE: Final = 255  # a preference: the client waits for no other server (section 18.2.1)
ECHO, ECHO_REPLY = 128, 129
OWN: Final = "fe80::67"  # of the server
PREFIX: Final = IPv6Network("2001:2:0:ff00::/56")  # of the benchmarks' network (RFC 5180)
INSIDE: Final = str(PREFIX[1])  # the router's own address in the first network of the prefix
# T1, T2, preferred and valid lifetime, s: an hour of renewals takes a minute.
TIMES_S: Final = (3, 5, 6, 9)


class Asked(NamedTuple):
    """A message of a router, as it came."""

    at_ns: int
    kind: int  # SOLICIT, RENEW, ...
    xid: bytes  # the same where it asks again
    mac: bytes
    source: str
    options: tuple[tuple[int, bytes], ...]


def parsed(frame: bytes, at_ns: int) -> Asked | None:
    """Return a frame's message to a server; None of any other frame, and of a broken one."""
    data = packet.carried(frame, packet.UDP)
    if frame[12:14] != packet.ETHERTYPE[6] or len(data) < 12:
        return None
    if data[2:4] != SERVER_PORT.to_bytes(2, "big") or data[8] not in ASKS:
        return None
    source = str(IPv6Address(frame[22:38]))
    options = tuple(_options(data[12:]))
    return Asked(at_ns, data[8], data[9:12], frame[6:12], source, options)


def answer(asked: Asked, mac: str) -> bytes:
    """Return the server's answer: the prefix to each who asks for one, and no address."""
    kind = ADVERTISE if asked.kind == SOLICIT else REPLY
    client = b"".join(_option(CLIENT_ID, own) for code, own in asked.options if code == CLIENT_ID)
    server = _option(SERVER_ID, struct.pack("!HH", 3, 1) + bytes.fromhex(mac.replace(":", "")))
    wanted = b""
    if asked.kind not in (RELEASE, INFORMATION, CONFIRM):
        wanted = b"".join(_given(code, own[:4]) for code, own in asked.options if len(own) >= 12)
    message = bytes((kind,)) + asked.xid + client + server + _option(PREFERENCE, b"\xff") + wanted
    ends = (OWN, SERVER_PORT), (asked.source, CLIENT_PORT)
    return packet.udp((mac, asked.mac.hex(":")), *ends, message)


def echo(macs: packet.Ends, source: str, number: int) -> bytes:
    """Return a question to the router's own address in the prefix."""
    return packet.icmp6(macs, (source, INSIDE), ECHO, struct.pack("!HH", 0x676D, number % 2**16))


def echoed(frame: bytes) -> int | None:
    """Return the number of an answer to such a question; None of any other frame."""
    data = packet.carried(frame, packet.ICMPV6)
    if len(data) < 8 or data[0] != ECHO_REPLY or data[4:6] != b"\x67\x6d":
        return None
    return int.from_bytes(data[6:8], "big") if frame[22:38] == PREFIX[1].packed else None


def _given(code: int, name: bytes) -> bytes:
    first, second, preferred, valid = TIMES_S
    if code == IA_PD:
        prefix = struct.pack("!IIB", preferred, valid, PREFIX.prefixlen)
        inside = _option(IA_PREFIX, prefix + PREFIX.network_address.packed)
        return _option(IA_PD, name + struct.pack("!II", first, second) + inside)
    if code == IA_NA:
        status = _option(STATUS, struct.pack("!H", NO_ADDRESS))
        return _option(IA_NA, name + bytes(8) + status)
    return b""


def _option(code: int, data: bytes) -> bytes:
    return struct.pack("!HH", code, len(data)) + data


def _options(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each option up to the end, or to where it is cut."""
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("!HH", data, at)
        if at + 4 + length > len(data):
            return
        yield code, data[at + 4 : at + 4 + length]
        at += 4 + length
