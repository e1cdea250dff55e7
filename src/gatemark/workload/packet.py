# SPDX-License-Identifier: Apache-2.0
"""A single UDP packet of ours as bytes, and how it is known again behind NAT."""

import struct
from ipaddress import ip_address
from typing import Final

UDP: Final = 17
HOPS: Final = 64
ETHERTYPE: Final = {4: b"\x08\x00", 6: b"\x86\xdd"}
HEADER_BYTES: Final = {b"\x08\x00": 20, b"\x86\xdd": 40}
ETHERNET_BYTES: Final = 14
MAGIC: Final = b"gmwalk"  # and the number, in the last bytes of the payload

Ends = tuple[str, str]  # of the source and of the next hop
End = tuple[str, int]  # address and port


def mark(number: int) -> bytes:
    """How a packet with a number ends; numbers below zero are those of uncounted ones."""
    return MAGIC + struct.pack("!i", number)


def payload(number: int, size: int) -> bytes:
    """A payload of `size` bytes that ends with its mark."""
    return mark(number).rjust(size, b"\0")


def udp(macs: Ends, source: End, sink: End, data: bytes) -> bytes:
    """The frame, without FCS, with its checksums. Both addresses are of one family."""
    one, other = ip_address(source[0]), ip_address(sink[0])
    length = 8 + len(data)
    ports = struct.pack("!HHH", source[1], sink[1], length)
    pseudo = one.packed + other.packed + struct.pack("!II", length, UDP)
    checksum = _sum(pseudo + ports + b"\0\0" + data) or 0xFFFF
    datagram = ports + struct.pack("!H", checksum) + data
    addresses = one.packed + other.packed
    if one.version == 6:
        header = struct.pack("!IHBB", 6 << 28, length, UDP, HOPS) + addresses
    else:
        start = struct.pack("!BBHHHBB", 0x45, 0, 20 + length, 0, 0x4000, HOPS, UDP)
        header = start + struct.pack("!H", _sum(start + b"\0\0" + addresses)) + addresses
    link = b"".join(bytes.fromhex(mac.replace(":", "")) for mac in macs[::-1])
    return link + ETHERTYPE[one.version] + header + datagram


def is_for(frame: bytes, port: int, ending: bytes | None) -> bool:
    """Whether a frame is a UDP packet to a port, and ends as it should (None: anyhow)."""
    kind = frame[12:ETHERNET_BYTES]
    at = ETHERNET_BYTES + HEADER_BYTES.get(kind, 0)
    if kind not in HEADER_BYTES or len(frame) < at + 8:
        return False
    protocol = frame[ETHERNET_BYTES + (9 if kind == ETHERTYPE[4] else 6)]
    if protocol != UDP or int.from_bytes(frame[at + 2 : at + 4], "big") != port:
        return False
    end = at + int.from_bytes(frame[at + 4 : at + 6], "big")
    return ending is None or frame[at:end].endswith(ending)


def _sum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
