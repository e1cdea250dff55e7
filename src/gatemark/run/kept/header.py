# SPDX-License-Identifier: Apache-2.0
"""The test header of a captured packet (agent/PROTOCOL.md): of which flow it is, and its number."""

from typing import Final, NamedTuple

MAGIC: Final = 0xC7
BYTES: Final = 14
ETHERNET: Final = 1  # LINKTYPE_ETHERNET; of all others our engine keeps the IP packet alone
VLAN: Final = (b"\x81\x00", b"\x88\xa8", b"\x91\x00")
SESSION: Final = b"\x88\x64"  # PPPoE's, and PPP behind it (RFC 2516)
SESSION_BYTES: Final = 8
UDP: Final = 17


class Header(NamedTuple):
    """What a test packet says of itself."""

    flow: int
    number: int  # in its flow, from 0
    sent_ns: int  # by its sender's clock, modulo 2^39


def header(data: bytes, link: int, *, tagged: bool) -> Header | None:
    """Of a packet that may be cut; None where it is no test packet."""
    at = _payload(data, 14 + _tags(data) if link == ETHERNET else 0)
    if not at or len(data) < at + BYTES:
        return None
    if tagged:
        bits = int.from_bytes(data[at : at + BYTES], "big")
        return Header(bits >> 71 & 0x1FFFF, bits >> 39 & 0xFFFFFFFF, bits & (1 << 39) - 1)
    if data[at] != MAGIC:
        return None
    flow, number = data[at + 2 : at + 5], data[at + 5 : at + 9]
    sent_ns = int.from_bytes(data[at + 9 : at + 14], "big") & (1 << 39) - 1
    return Header(int.from_bytes(flow, "big"), int.from_bytes(number, "big"), sent_ns)


def _tags(data: bytes) -> int:
    """Bytes of VLAN tags and of a session's header."""
    bytes_ = 0
    while data[12 + bytes_ : 14 + bytes_] in VLAN:
        bytes_ += 4
    is_session = data[12 + bytes_ : 14 + bytes_] == SESSION
    return bytes_ + SESSION_BYTES * is_session


def _payload(data: bytes, at: int) -> int:
    """Where the payload of UDP begins; 0 where there is none."""
    if len(data) <= at:
        return 0
    match data[at] >> 4:
        case 4 if data[at + 9 : at + 10] == bytes([UDP]):
            return at + 4 * (data[at] & 15) + 8
        case 6 if data[at + 6 : at + 7] == bytes([UDP]):
            return at + 40 + 8
    return 0
