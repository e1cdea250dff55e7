# SPDX-License-Identifier: Apache-2.0
"""A packet of a walk as bytes: laid out as the RFCs say, and known again behind NAT."""

import struct

import pytest

from gatemark.workload import packet

MACS = "02:00:00:00:00:01", "02:00:00:00:00:02"
ENDS = {
    4: (("198.18.1.2", 20000), ("198.19.1.2", 9)),
    6: (("2001:2:0:1::2", 20000), ("2001:2:0:2::2", 9)),
}


def sum16(data: bytes) -> int:
    """The one's complement sum that is 0xffff over whatever holds its own checksum (RFC 1071)."""
    words = struct.unpack(f"!{len(data) // 2}H", data)
    total: int = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("size", [18, 400, 1450])
def test_its_checksum_holds(version: int, size: int) -> None:
    source, sink = ENDS[version]
    frame = packet.udp(MACS, source, sink, packet.payload(7, size))
    at = 14 + (20 if version == 4 else 40)
    addresses = frame[26:34] if version == 4 else frame[22:54]
    pseudo = addresses + struct.pack("!II", len(frame) - at, 17)
    assert sum16(pseudo + frame[at:]) == 0xFFFF


def test_the_header_of_ipv4_holds_its_checksum() -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(0, 18))
    assert sum16(frame[14:34]) == 0xFFFF


@pytest.mark.parametrize("version", [4, 6])
def test_it_is_as_long_as_asked(version: int) -> None:
    frame = packet.udp(MACS, *ENDS[version], packet.payload(0, 400))
    assert len(frame) == 14 + (20 if version == 4 else 40) + 8 + 400


def test_it_goes_to_the_next_hop() -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(0, 18))
    assert (frame[6:12].hex(":"), frame[:6].hex(":")) == MACS


@pytest.mark.parametrize("version", [4, 6])
def test_it_is_known_again(version: int) -> None:
    frame = packet.udp(MACS, *ENDS[version], packet.payload(-3, 18))
    assert packet.is_for(frame, 9, packet.mark(-3))


def test_padding_behind_it_is_no_part_of_it() -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(3, 10))
    assert packet.is_for(frame + b"\0" * 8, 9, packet.mark(3))


@pytest.mark.parametrize(
    ("port", "number"), [(10, 3), (9, 4)], ids=["of another port", "of another number"]
)
def test_another_is_not_taken_for_it(port: int, number: int) -> None:
    frame = packet.udp(MACS, *ENDS[4], packet.payload(3, 18))
    assert not packet.is_for(frame, port, packet.mark(number))


@pytest.mark.parametrize("frame", [b"", b"\0" * 14, b"\0" * 12 + b"\x08\x06" + b"\0" * 46])
def test_what_is_no_udp_is_let_go(frame: bytes) -> None:
    assert not packet.is_for(frame, 9, None)
