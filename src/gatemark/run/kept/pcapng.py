# SPDX-License-Identifier: Apache-2.0
"""pcapng (draft-ietf-opsawg-pcapng) as the engine writes it, read and written with comments."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.run.live.block import MAGIC, PACKET, SECTION

INTERFACE: Final = 1
LEAST: Final = {INTERFACE: 20, PACKET: 32}  # bytes of a block
COMMENT: Final = 1
LONGEST: Final = 0xFFFF  # bytes of an option
CUT: Final = b" ..."  # ends one that was longer
NAME: Final = 2
DESCRIPTION: Final = 3
RESOLUTION: Final = 9
NS: Final = bytes([9])  # resolution of times: 10^-9 s


@dataclass(frozen=True, slots=True)
class Interface:
    """Where packets were captured."""

    name: str
    description: str  # received, sent
    link: int  # LINKTYPE_...


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet at one place."""

    interface: Interface
    time_ns: int  # since 1970, by the clock of its host
    length: int  # bytes on the wire
    data: bytes  # as much of it as was kept


def read(data: bytes) -> Iterator[Packet]:
    """Packets of a capture by our engine, to the last whole block. Raises ValueError."""
    order = "<" if data[8:12] == struct.pack("<I", MAGIC) else ">"
    interfaces: list[Interface] = []
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if length < 12 or length % 4:
            raise ValueError(f"a block of {length} bytes at byte {at} of a capture")
        if at + length > len(data):
            return
        block = data[at : at + length]
        if kind in (INTERFACE, PACKET) and length < LEAST[kind]:
            raise ValueError(f"a block of {length} bytes at byte {at} of a capture")
        if kind == INTERFACE:
            interfaces.append(_interface(block, order))
        elif kind == PACKET:
            place, high, low, kept, whole = struct.unpack_from(f"{order}5I", block, 8)
            if place >= len(interfaces):
                raise ValueError(f"a packet of interface {place} at byte {at} of a capture")
            yield Packet(interfaces[place], high << 32 | low, whole, block[28 : 28 + kept])
        at += length


def _interface(block: bytes, order: str) -> Interface:
    (link,) = struct.unpack_from(f"{order}H", block, 8)
    options: dict[int, str] = {}
    at = 16
    while at + 4 <= len(block) - 4:
        code, length = struct.unpack_from(f"{order}HH", block, at)
        if not code:
            break
        options[code] = block[at + 4 : at + 4 + length].decode(errors="replace")
        at += 4 + length + -length % 4
    return Interface(options.get(NAME, ""), options.get(DESCRIPTION, ""), link)


def section(comment: str, interfaces: Sequence[Interface], snaplen: int) -> bytes:
    """The beginning of a file, with all of its interfaces."""
    body = struct.pack("<IHHq", MAGIC, 1, 0, -1)
    return _block(SECTION, body + _options({COMMENT: _cut(comment)})) + b"".join(
        _block(
            INTERFACE,
            struct.pack("<HHI", interface.link, 0, snaplen)
            + _options(
                {
                    NAME: interface.name.encode(),
                    DESCRIPTION: interface.description.encode(),
                    RESOLUTION: NS,
                }
            ),
        )
        for interface in interfaces
    )


def packet(place: int, packet: Packet, comment: str = "") -> bytes:
    """A packet of the interface at a place, with a comment where there is one."""
    high, low = packet.time_ns >> 32, packet.time_ns & 0xFFFFFFFF
    head = struct.pack("<5I", place, high, low, len(packet.data), packet.length)
    options = _options({COMMENT: _cut(comment)}) if comment else b""
    return _block(PACKET, head + _padded(packet.data) + options)


def _cut(comment: str) -> bytes:
    """As long as an option may be."""
    text = comment.encode()
    return text if len(text) <= LONGEST else text[: LONGEST - len(CUT)] + CUT


def _options(options: dict[int, bytes]) -> bytes:
    parts = [
        struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options.items()
    ]
    return b"".join((*parts, bytes(4)))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)
