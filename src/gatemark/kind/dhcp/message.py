# SPDX-License-Identifier: Apache-2.0
"""Messages of DHCP as frames (RFC 2131, 2132): what a host sends, and what a server answers."""

import struct
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from typing import Final, NamedTuple

from gatemark.workload import packet

CLIENT_PORT, SERVER_PORT = 68, 67
DISCOVER, OFFER, REQUEST, ACK, NAK, RELEASE = 1, 2, 3, 5, 6, 7
BROADCAST: Final = "ff:ff:ff:ff:ff:ff"
ALL: Final = ("255.255.255.255", SERVER_PORT)
NOBODY: Final = ("0.0.0.0", CLIENT_PORT)  # noqa: S104  the address of who has none
COOKIE: Final = b"\x63\x82\x53\x63"
FIXED: Final = struct.Struct("!BBBBIHH4s4s4s4s16s64x128x")  # up to the cookie
LEASE_TIME, TYPE, SERVER, WANTED, RENEWAL_TIME = 51, 53, 54, 50, 58
ASKED_FOR: Final = bytes((55, 6, 1, 3, 6, 51, 58, 59))  # mask, router, names, times
END, PAD = 255, 0
LEAST: Final = 300  # bytes of a message, as BOOTP had (RFC 1542, section 2.1)


class Answer(NamedTuple):
    """A server's answer to a host."""

    at_ns: int
    kind: int  # OFFER, ACK, NAK
    xid: int
    mac: bytes
    address: str
    server: str  # its identifier
    lease_s: int
    from_mac: bytes


def discover(mac: bytes, xid: int) -> bytes:
    """The first question of a host, to all."""
    return _to_all(mac, _message(mac, xid, DISCOVER, b""))


def request(mac: bytes, xid: int, offer: Answer) -> bytes:
    """Take an offer; to all, so that other servers see it."""
    options = _option(WANTED, offer.address) + _option(SERVER, offer.server)
    return _to_all(mac, _message(mac, xid, REQUEST, options))


def renew(mac: bytes, xid: int, lease: Answer) -> bytes:
    """Ask the server for more time, from the address that is leased (section 4.3.2)."""
    message = _message(mac, xid, REQUEST, b"", lease.address)
    macs = _text(mac), _text(lease.from_mac)
    source, sink = (lease.address, CLIENT_PORT), (lease.server, SERVER_PORT)
    return packet.udp(macs, source, sink, message)


def release(mac: bytes, xid: int, lease: Answer) -> bytes:
    """Give a lease back (section 4.4.6); nobody answers."""
    message = _message(mac, xid, RELEASE, _option(SERVER, lease.server), lease.address)
    source, sink = (lease.address, CLIENT_PORT), (lease.server, SERVER_PORT)
    return packet.udp((_text(mac), _text(lease.from_mac)), source, sink, message)


def parsed(frame: bytes, at_ns: int) -> Answer | None:
    """Return a frame's answer to a host; None of any other frame, and of a broken message."""
    data = packet.carried(frame, packet.UDP)
    if len(data) < 8 + FIXED.size + 4 or data[2:4] != CLIENT_PORT.to_bytes(2, "big"):
        return None
    message = data[8:]
    operation, _, _, _, xid, _, _, _, own, _, _, mac = FIXED.unpack_from(message)
    if operation != 2 or message[FIXED.size : FIXED.size + 4] != COOKIE:
        return None
    options = dict(_options(message[FIXED.size + 4 :]))
    kind = options.get(TYPE, b"")
    if len(kind) != 1 or kind[0] not in (OFFER, ACK, NAK):
        return None
    server = options.get(SERVER, b"")
    if len(server) != 4:
        return None
    lease_s = _number(options, LEASE_TIME)
    address = str(IPv4Address(own))
    return Answer(
        at_ns, kind[0], xid, mac[:6], address, str(IPv4Address(server)), lease_s, frame[6:12]
    )


def _options(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Each option up to the end, or to where it is cut."""
    at = 0
    while at < len(data) and data[at] != END:
        if data[at] == PAD:
            at += 1
            continue
        if at + 2 > len(data):
            return
        length = data[at + 1]
        if at + 2 + length > len(data):
            return
        yield data[at], data[at + 2 : at + 2 + length]
        at += 2 + length


def _number(options: Mapping[int, bytes], option: int) -> int:
    data = options.get(option, b"")
    return int.from_bytes(data, "big") if len(data) == 4 else 0


def _option(option: int, address: str) -> bytes:
    return bytes((option, 4)) + IPv4Address(address).packed


def _message(mac: bytes, xid: int, kind: int, options: bytes, own: str = NOBODY[0]) -> bytes:
    addresses = (IPv4Address(own).packed, bytes(4), bytes(4), bytes(4))
    fixed = FIXED.pack(1, 1, 6, 0, xid, 0, 0, *addresses, mac.ljust(16, b"\0"))
    data = fixed + COOKIE + bytes((TYPE, 1, kind)) + options + ASKED_FOR + bytes((END,))
    return data.ljust(LEAST, b"\0")


def _to_all(mac: bytes, message: bytes) -> bytes:
    return packet.udp((_text(mac), BROADCAST), NOBODY, ALL, message)


def _text(mac: bytes) -> str:
    return mac.hex(":")
