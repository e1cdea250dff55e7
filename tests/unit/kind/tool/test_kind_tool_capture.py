# SPDX-License-Identifier: Apache-2.0
"""A capture of test packets: read back with another reader, and summed the slow way."""

import ipaddress
import struct

import pytest

from gatemark.kind.tool.capture import Frames, write

PORTS = [20000, 65535, 1]


def frames(family: str, size: int) -> Frames:
    src, dst = ("198.18.1.2", "198.19.1.2") if family == "ipv4" else ("2001:2::2", "2001:2:0:2::2")
    macs = "02:00:00:00:00:01", "02:00:00:00:00:fe"
    return Frames(family, *macs, src, dst, PORTS, [9] * 3, size, run=201)


def records(data: bytearray) -> list[bytes]:
    magic, *_, link = struct.unpack_from("=IHHiIII", data)
    assert (magic, link) == (0xA1B2C3D4, 1)
    packets, at = [], 24
    while at < len(data):
        *_, kept, length = struct.unpack_from("=IIII", data, at)
        assert kept == length
        packets.append(bytes(data[at + 16 : at + 16 + kept]))
        at += 16 + kept
    return packets


def folded(data: bytes) -> int:
    """The ones' complement sum, as RFC 1071 section 1 has it."""
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@pytest.mark.parametrize(("family", "ip"), [("ipv4", 20), ("ipv6", 40)])
@pytest.mark.parametrize("size", [81, 1518])
def test_each_packet_has_its_flow_and_number_and_a_right_checksum(
    family: str, ip: int, size: int
) -> None:
    sent = frames(family, size)
    packets = records(write(sent, packets=700))
    for i, frame in enumerate(packets):
        datagram = frame[14 + ip :]
        source, target, length, _ = struct.unpack_from(">HHHH", datagram)
        header = datagram[8:]
        flow, number = int.from_bytes(header[2:5], "big"), int.from_bytes(header[5:9], "big")
        assert (len(frame), length) == (size - 4, len(datagram))
        assert (source, target) == (PORTS[i % 3], 9)
        assert (header[0], header[1], flow, number) == (0xC7, 201, i % 3, i // 3)
        addresses = b"".join(ipaddress.ip_address(host).packed for host in (sent.src, sent.dst))
        whole = addresses + struct.pack(">HH", 17, len(datagram)) + datagram
        assert folded(whole + bytes(len(whole) % 2)) == 0xFFFF


def test_the_ipv4_header_has_a_right_checksum() -> None:
    (frame,) = records(write(frames("ipv4", 64), packets=1))
    assert folded(frame[14:34]) == 0xFFFF
