# SPDX-License-Identifier: Apache-2.0
"""Readers of what captures and flow records are written as: pcapng, pcap and IPFIX."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
NAME, RESOLUTION = 2, 9
REVERSE = 29305  # RFC 5103

Record = dict[tuple[int, int], bytes]  # (enterprise, element) -> value


@dataclass(frozen=True)
class Packet:
    """One packet of a capture."""

    interface: int
    time_ns: int
    length: int
    data: bytes


def order_of(data: bytes) -> str:
    """The byte order of a pcapng section, as struct calls it."""
    return "<" if data[8:12] == b"\x4d\x3c\x2b\x1a" else ">"


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and body of each block; both lengths have to agree, and nothing may be left over."""
    order, at = order_of(data), 0
    while at < len(data):
        kind, length = struct.unpack_from(order + "II", data, at)
        (again,) = struct.unpack_from(order + "I", data, at + length - 4)
        assert length == again, (at, kind, length, again)
        assert length % 4 == 0, length
        yield kind, data[at + 8 : at + length - 4]
        at += length
    assert at == len(data), (at, len(data))


def packets(data: bytes) -> list[Packet]:
    """The packets of a pcapng file."""
    order, kept = order_of(data), []
    for kind, body in blocks(data):
        if kind != PACKET:
            continue
        interface, high, low, saved, length = struct.unpack_from(order + "IIIII", body)
        padding = body[20 + saved :]
        assert padding == bytes(-saved % 4), padding
        kept.append(Packet(interface, high << 32 | low, length, body[20 : 20 + saved]))
    return kept


def interfaces(data: bytes) -> list[tuple[str, int]]:
    """Name and link type of each interface; each has times in ns."""
    order, described = order_of(data), []
    for kind, body in blocks(data):
        if kind != INTERFACE:
            continue
        (link,) = struct.unpack_from(order + "H", body)
        options, at = {}, 8
        while at < len(body):
            code, length = struct.unpack_from(order + "HH", body, at)
            options[code] = body[at + 4 : at + 4 + length]
            at += 4 + length + -length % 4
        assert options[RESOLUTION] == b"\x09", options
        described.append((options[NAME].decode(), link))
    return described


def pcap(data: bytes) -> list[Packet]:
    """The packets of a pcap file with times in ns, of either byte order."""
    order = "<" if data[:4] == b"\x4d\x3c\xb2\xa1" else ">"
    (magic,) = struct.unpack_from(order + "I", data)
    assert magic == 0xA1B23C4D, hex(magic)
    kept, at = [], 24
    while at < len(data):
        seconds, ns, saved, length = struct.unpack_from(order + "IIII", data, at)
        kept.append(Packet(0, seconds * 10**9 + ns, length, data[at + 16 : at + 16 + saved]))
        at += 16 + saved
    assert at == len(data), (at, len(data))
    return kept


class Collector:
    """Reads IPFIX messages (RFC 7011): templates first, then records by them."""

    def __init__(self) -> None:
        self.templates: dict[int, list[tuple[int, int, int]]] = {}
        self.records: list[Record] = []

    def read(self, message: bytes) -> None:
        """One whole message."""
        version, length, _, sequence, _ = struct.unpack_from(">HHIII", message)
        assert (version, length) == (10, len(message)), (version, length, len(message))
        assert sequence == len(self.records), (sequence, len(self.records))
        at = 16
        while at < length:
            name, size = struct.unpack_from(">HH", message, at)
            body = message[at + 4 : at + size]
            if name == 2:
                self._read_templates(body)
            else:
                self._read_records(self.templates[name], body)
            at += size
        assert at == length, (at, length)

    def _read_templates(self, body: bytes) -> None:
        at = 0
        while at < len(body):
            name, count = struct.unpack_from(">HH", body, at)
            at, fields = at + 4, []
            for _ in range(count):
                element, size = struct.unpack_from(">HH", body, at)
                at, enterprise = at + 4, 0
                if element & 0x8000:
                    (enterprise,) = struct.unpack_from(">I", body, at)
                    at += 4
                fields.append((enterprise, element & 0x7FFF, size))
            self.templates[name] = fields

    def _read_records(self, fields: list[tuple[int, int, int]], body: bytes) -> None:
        size = sum(field[2] for field in fields)
        for begin in range(0, len(body) - size + 1, size):
            at, record = begin, {}
            for enterprise, element, width in fields:
                record[enterprise, element] = body[at : at + width]
                at += width
            self.records.append(record)

    def total(self, enterprise: int, element: int) -> int:
        """The sum of a counter over all records."""
        values = (record.get((enterprise, element), b"") for record in self.records)
        return sum(int.from_bytes(value) for value in values)
