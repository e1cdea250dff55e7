# SPDX-License-Identifier: Apache-2.0
"""A single packet of ours as bytes, UDP, TCP or ICMP, and how it is known again behind NAT."""

import struct
from collections.abc import Container
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
CHECKSUM_AT: Final = {TCP: 16, UDP: 6, ICMPV6: 2}
HOPS: Final = 64
ARP: Final = b"\x08\x06"
ARP_REQUEST: Final = bytes.fromhex("0001080006040001")  # of IPv4 on Ethernet (RFC 826)
ARP_ANSWER: Final = bytes.fromhex("0001080006040002")
ETHERTYPE: Final = {4: b"\x08\x00", 6: b"\x86\xdd"}
HEADER_BYTES: Final = {b"\x08\x00": 20, b"\x86\xdd": 40}
ADDRESS_BYTES: Final = {b"\x08\x00": 4, b"\x86\xdd": 16}  # the last two fields of a header
ETHERNET_BYTES: Final = 14
MAGIC: Final = b"gmwalk"  # and the number, in the last bytes of the payload

SYN, PUSH, ACK = 0x02, 0x08, 0x10  # RFC 9293, section 3.1
WINDOW: Final = 0xFFFF  # that every segment announces, before it is scaled

Ends = tuple[str, str]  # MAC addresses of the source and of the next hop; or IP addresses of both
End = tuple[str, int]  # address and port


@dataclass(frozen=True, slots=True)
class Segment:
    """The header of a TCP packet, without its ports and its window."""

    sequence: int
    acknowledged: int
    flags: int
    options: bytes = b""  # a multiple of 4
    data: bytes = b""


def mark(number: int) -> bytes:
    """Return the end of a packet with a number; numbers below zero are those of uncounted ones."""
    return MAGIC + struct.pack("!i", number)


def payload(number: int, size: int) -> bytes:
    """A payload of `size` bytes that ends with its mark."""
    return mark(number).rjust(size, b"\0")


def udp(macs: Ends, source: End, sink: End, data: bytes) -> bytes:
    """The frame, without FCS, with its checksums. Both addresses are of one family."""
    header = struct.pack("!HHHH", source[1], sink[1], 8 + len(data), 0)
    return _checked(macs, (source[0], sink[0]), UDP, header + data)


def tcp(macs: Ends, source: End, sink: End, segment: Segment) -> bytes:
    """The same of a segment."""
    words = (20 + len(segment.options)) // 4
    numbers = segment.sequence % 2**32, segment.acknowledged % 2**32
    fields = (*numbers, words << 4, segment.flags, WINDOW, 0, 0)
    header = struct.pack("!HHIIBBHHH", source[1], sink[1], *fields)
    return _checked(macs, (source[0], sink[0]), TCP, header + segment.options + segment.data)


def icmp(macs: Ends, addresses: Ends, kind: tuple[int, int], rest: int, data: bytes) -> bytes:
    """The same of an ICMP message of IPv4: its type and code, its second word, what it carries."""
    message = struct.pack("!BBHI", *kind, 0, rest) + data
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    return _frame(macs, addresses, ICMP, message)


def icmp6(macs: Ends, addresses: Ends, kind: int, data: bytes) -> bytes:
    """The same of IPv6: its type, and what stands behind the checksum."""
    return _checked(macs, addresses, ICMPV6, struct.pack("!BBH", kind, 0, 0) + data)


def arp_answer(frame: bytes, mac: str, owned: Container[str]) -> bytes:
    """The answer to a request of ARP for an address that is owned; nothing to any other."""
    asked = frame[ETHERNET_BYTES : ETHERNET_BYTES + 28]
    if len(asked) < 28 or asked[:8] != ARP_REQUEST or str(ip_address(asked[24:28])) not in owned:
        return b""
    own = bytes.fromhex(mac.replace(":", ""))
    return asked[8:14] + own + ARP + ARP_ANSWER + own + asked[24:28] + asked[8:18]


def arp_probe(mac: str, address: str) -> bytes:
    """A request of ARP by nobody, who is in no table afterwards (RFC 5227, section 2.1.1)."""
    own = bytes.fromhex(mac.replace(":", ""))
    asked = bytes(4) + bytes(6) + ip_address(address).packed
    return b"\xff" * 6 + own + ARP + ARP_REQUEST + own + asked


def is_arp_answer(frame: bytes) -> bool:
    """Return whether a frame is an answer of ARP."""
    return frame[12:ETHERNET_BYTES] == ARP and frame[ETHERNET_BYTES:22] == ARP_ANSWER


def number_of(data: bytes) -> int | None:
    """Return the number in the mark that a payload ends with; None: it has none."""
    size = len(mark(0))
    if data[-size:-4] != MAGIC:
        return None
    (number,) = struct.unpack("!i", data[-4:])
    return int(number)


def is_for(frame: bytes, port: int, ending: bytes | None) -> bool:
    """Return whether a frame is a UDP packet to a port, and ends as it should (None: anyhow)."""
    data = carried(frame, UDP)
    if int.from_bytes(data[2:4], "big") != port:
        return False
    return ending is None or data.endswith(ending)


def is_segment(frame: bytes, port: int, sequence: int) -> bool:
    """Return whether a frame is the TCP segment to a port with a sequence number."""
    data = carried(frame, TCP)
    return data[2:8] == struct.pack("!HI", port, sequence % 2**32)


def sender(frame: bytes) -> End:
    """The sender in a frame's headers: address and port."""
    kind = frame[12:ETHERNET_BYTES]
    at, length = ETHERNET_BYTES + HEADER_BYTES[kind], ADDRESS_BYTES[kind]
    address = ip_address(frame[at - 2 * length : at - length])
    return str(address), int.from_bytes(frame[at : at + 2], "big")


def _checked(macs: Ends, addresses: Ends, protocol: int, data: bytes) -> bytes:
    """The headers below UDP, TCP or ICMPv6, and its checksum put in."""
    both = b"".join(ip_address(address).packed for address in addresses)
    total = checksum(both + struct.pack("!II", len(data), protocol) + data)
    if protocol == UDP:
        total = total or 0xFFFF  # 0 means that there is none
    at = CHECKSUM_AT[protocol]
    data = data[:at] + struct.pack("!H", total) + data[at + 2 :]
    return _frame(macs, addresses, protocol, data)


def _frame(macs: Ends, addresses: Ends, protocol: int, data: bytes) -> bytes:
    source, sink = (ip_address(address) for address in addresses)
    both = source.packed + sink.packed
    if source.version == 6:
        header = struct.pack("!IHBB", 6 << 28, len(data), protocol, HOPS) + both
    else:
        start = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(data), 0, 0x4000, HOPS, protocol)
        header = start + struct.pack("!H", checksum(start + b"\0\0" + both)) + both
    link = b"".join(bytes.fromhex(mac.replace(":", "")) for mac in macs[::-1])
    return link + ETHERTYPE[source.version] + header + data


def with_class(frame: bytes, traffic_class: int) -> bytes:
    """The frame with a TOS byte or traffic class (RFC 2474, RFC 3168), its checksum made anew."""
    at = ETHERNET_BYTES
    if frame[12:at] == ETHERTYPE[6]:
        both = bytes((0x60 | traffic_class >> 4, (traffic_class & 15) << 4 | frame[at + 1] & 15))
        return frame[:at] + both + frame[at + 2 :]
    header = frame[at : at + 1] + bytes((traffic_class,)) + frame[at + 2 : at + 20]
    bare = header[:10] + b"\0\0" + header[12:]
    return (
        frame[:at]
        + header[:10]
        + struct.pack("!H", checksum(bare))
        + header[12:]
        + frame[at + 20 :]
    )


def class_of(frame: bytes) -> int:
    """The TOS byte or traffic class of a frame with an IP packet."""
    at = ETHERNET_BYTES
    if frame[12:at] == ETHERTYPE[6]:
        return (frame[at] & 15) << 4 | frame[at + 1] >> 4
    return frame[at + 1]


def carried(frame: bytes, protocol: int) -> bytes:
    """The UDP packet or TCP segment in a frame, without padding; nothing if it has another."""
    kind = frame[12:ETHERNET_BYTES]
    at = ETHERNET_BYTES + HEADER_BYTES.get(kind, 0)
    if kind not in HEADER_BYTES or len(frame) < at + 8:
        return b""
    if kind == ETHERTYPE[4]:
        length, transport = int.from_bytes(frame[16:18], "big") - HEADER_BYTES[kind], frame[23]
    else:
        length, transport = int.from_bytes(frame[18:20], "big"), frame[20]
    return frame[at : at + length] if transport == protocol else b""


def tagged(frame: bytes, tag: bytes) -> bytes:
    """Return a frame with a tag behind its two MAC addresses."""
    return frame[:12] + tag + frame[12:]


def vlan_tag(number: int) -> bytes:
    """The tag of a VLAN (IEEE 802.1Q)."""
    return b"\x81\x00" + number.to_bytes(2, "big")


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
