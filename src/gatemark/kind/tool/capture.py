# SPDX-License-Identifier: Apache-2.0
"""A capture of test packets, for a tool that sends what a file holds (pcap, as libpcap reads it).

Each packet bears a test header (agent/PROTOCOL.md) with its flow and its number, and a checksum, so
that our sink accounts for it. Its time is 0: the tool decides when a packet is sent.
"""

import ipaddress
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.plan.driver import RECORD_BYTES
from gatemark.unit import (
    ETHERNET_BYTES,
    FCS_BYTES,
    IP_BYTES,
    TEST_HEADER_BYTES,
    UDP_BYTES,
    payload_bytes,
)

MAGIC: Final = 0xA1B2C3D4  # microseconds, of this machine's byte order
ETHERNET: Final = 1  # LINKTYPE_ETHERNET
HEADER_MAGIC: Final = 0xC7
UDP: Final = 17
TTL: Final = 64
ETHERTYPE: Final = {"ipv4": 0x0800, "ipv6": 0x86DD}


@dataclass(frozen=True, slots=True)
class Frames:
    """What the packets of a capture have in common, and how they go round robin over flows."""

    family: str
    src_mac: str
    dst_mac: str
    src: str
    dst: str
    src_ports: Sequence[int]  # of each flow
    dst_ports: Sequence[int]
    frame_bytes: int  # with FCS, which no capture holds
    run: int  # 0..255


def write(frames: Frames, packets: int) -> bytearray:
    """The whole file: packet i is of flow i mod flows, and its number there is i // flows."""
    flows = len(frames.src_ports)
    flow = [i % flows for i in range(packets)]
    number = [i // flows for i in range(packets)]
    record = _template(frames)
    size, udp = len(record), RECORD_BYTES + ETHERNET_BYTES - FCS_BYTES + IP_BYTES[frames.family]
    data = bytearray(record) * packets
    ports = [[port[f] for f in flow] for port in (frames.src_ports, frames.dst_ports)]
    sums = map(sum, zip(*ports, map(_words, flow, number), strict=True))
    constant = _sum(frames, record[udp:])
    _fill(data, udp, size, "H", ports[0])
    _fill(data, udp + 2, size, "H", ports[1])
    _fill(data, udp + 6, size, "H", (_checksum(constant + term) for term in sums))
    header = udp + UDP_BYTES
    _fill(data, header + 1, size, "I", (frames.run << 24 | f for f in flow))
    _fill(data, header + 5, size, "I", number)
    data[:0] = struct.pack("=IHHiIII", MAGIC, 2, 4, 0, 0, 1 << 16, ETHERNET)
    return data


def _template(frames: Frames) -> bytes:
    """A record whose ports, checksum and header are not filled in."""
    payload = int(payload_bytes(frames.frame_bytes, frames.family))
    macs = bytes.fromhex((frames.dst_mac + frames.src_mac).replace(":", ""))
    udp = struct.pack(">HHHHB", 0, 0, payload + UDP_BYTES, 0, HEADER_MAGIC) + bytes(payload - 1)
    frame = macs + struct.pack(">H", ETHERTYPE[frames.family]) + _ip(frames, len(udp)) + udp
    return struct.pack("=IIII", 0, 0, len(frame), len(frame)) + frame


def _ip(frames: Frames, length: int) -> bytes:
    addresses = _addresses(frames)
    if frames.family == "ipv6":
        return struct.pack(">IHBB", 6 << 28, length, UDP, TTL) + addresses
    total, dont_fragment = length + IP_BYTES["ipv4"], 0x4000
    head = struct.pack(">BBHHHBBH", 0x45, 0, total, 0, dont_fragment, TTL, UDP, 0) + addresses
    return head[:10] + struct.pack(">H", _checksum(_total(head))) + head[12:]


def _addresses(frames: Frames) -> bytes:
    return b"".join(ipaddress.ip_address(address).packed for address in (frames.src, frames.dst))


def _sum(frames: Frames, datagram: bytes) -> int:
    """What is the same in every packet of the checksum's sum: the pseudo header too (RFC 768)."""
    return _total(_addresses(frames)) + UDP + len(datagram) + _total(datagram) + frames.run


def _words(flow: int, number: int) -> int:
    """The 16-bit words of the test header that differ, summed."""
    words = (flow >> 8, (flow & 0xFF) << 8 | number >> 24, number >> 8 & 0xFFFF)
    return sum(words) + ((number & 0xFF) << 8)


def _total(data: bytes) -> int:
    """Its 16-bit words, summed."""
    even = data + bytes(len(data) % 2)
    return sum(struct.unpack(f">{len(even) // 2}H", even))


def _checksum(total: int) -> int:
    """RFC 1071; 0 is sent as 0xffff (RFC 768)."""
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF or 0xFFFF


def _fill(data: bytearray, at: int, step: int, code: str, values: Iterable[int]) -> None:
    """Put a field of every record in, big-endian, a byte of all of them at a time."""
    field = array(code, values)
    if sys.byteorder == "little":
        field.byteswap()
    raw = field.tobytes()
    for byte in range(field.itemsize):
        data[at + byte :: step] = raw[byte :: field.itemsize]


assert TEST_HEADER_BYTES == 14, "the fields above are placed by hand"
