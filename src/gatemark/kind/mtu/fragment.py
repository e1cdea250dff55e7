# SPDX-License-Identifier: Apache-2.0
"""Frames that may be cut, and frames in two parts (RFC 791, section 3.2; RFC 8200, section 4.5)."""

import struct
from typing import Final

from gatemark.kind.mtu.seen import FRAGMENT
from gatemark.workload.packet import ETHERNET_BYTES, ETHERTYPE, checksum

NUMBER: Final = 0x6D75  # of our datagrams in parts
MORE: Final = 0x2000


def may_be_cut(frame: bytes) -> list[bytes]:
    """The one IPv4 frame, without *don't fragment*."""
    return [_placed(frame, NUMBER, 0)]


def in_two(frame: bytes, first: int, number: int) -> list[bytes]:
    """Both parts of a frame; `first`: bytes of data in the first, a multiple of 8."""
    if frame[12:ETHERNET_BYTES] == ETHERTYPE[4]:
        at = ETHERNET_BYTES + 20
        return [
            _placed(frame[: at + first], number, MORE),
            _placed(frame[:at] + frame[at + first :], number, first // 8),
        ]
    at = ETHERNET_BYTES + 40
    parts = ((frame[at : at + first], 1), (frame[at + first :], first))
    return [
        frame[: ETHERNET_BYTES + 4]
        + struct.pack("!HB", 8 + len(part), FRAGMENT)
        + frame[ETHERNET_BYTES + 7 : at]
        + struct.pack("!BBHI", frame[ETHERNET_BYTES + 6], 0, place, number)
        + part
        for part, place in parts
    ]


def _placed(frame: bytes, number: int, place: int) -> bytes:
    """An IPv4 frame with a number, a place, and a length and checksum that fit."""
    header = bytearray(frame[ETHERNET_BYTES : ETHERNET_BYTES + 20])
    struct.pack_into("!HHH", header, 2, len(frame) - ETHERNET_BYTES, number, place)
    header[10:12] = b"\0\0"
    header[10:12] = struct.pack("!H", checksum(bytes(header)))
    return frame[:ETHERNET_BYTES] + bytes(header) + frame[ETHERNET_BYTES + 20 :]
