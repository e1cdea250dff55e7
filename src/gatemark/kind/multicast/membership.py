# SPDX-License-Identifier: Apache-2.0
"""Groups and their members: addresses, sockets that join and leave, and what is said of them.

Queries are seen at the member's port, where the bridge or the router asks who is a member still
(RFC 2236, RFC 3376; RFC 2710, RFC 3810).
"""

import socket
import struct
from ipaddress import ip_address
from typing import Final

from gatemark.station.wiring import Port
from gatemark.workload.packet import checksum

FIRST: Final = {"ipv4": "239.192.7.7", "ipv6": "ff18::7:7"}  # RFC 2365; of an organisation's own
PORT: Final = 5007
HOPS: Final = 16
EACH: Final = 20  # groups of a socket: the kernel's igmp_max_memberships
IPV4, IPV6 = b"\x08\x00", b"\x86\xdd"
KIND: Final = {"ipv4": IPV4, "ipv6": IPV6}
AT: Final = 14  # bytes of Ethernet
HEADER: Final = {IPV4: 20, IPV6: 40}
OURS: Final = {IPV4: bytes([239, 192]), IPV6: bytes.fromhex("ff18")}  # begin the groups
TO: Final = {IPV4: 30, IPV6: 38}  # where they stand in a frame
IGMP, HOP_BY_HOP = 2, 0
IGMP_QUERY, MLD_QUERY = 0x11, 130
IGMP_REPORT, IGMP_LEAVE = 0x16, 0x17  # of version 2
IGMP_REPORT_3: Final = 0x22
EXCLUDES: Final = (2, 4)  # records of it: all sources but these
ETH_P_IP: Final = 0x0800
ROUTERS: Final = "224.0.0.2"  # whom a leave is for
ROUTER_ALERT: Final = bytes.fromhex("94040000")  # RFC 2113
NEIGHBOUR_MAC: Final = bytes.fromhex("02474d4d4301")


def group(family: str, number: int) -> str:
    """Return the address of a group, from 0."""
    return str(ip_address(FIRST[family]) + number)


def source(port: Port, family: str, device: str) -> socket.socket:
    """A socket that sends to groups from a host's own address. `device`: of its host."""
    address = port.address(family)
    if family == "ipv4":
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, HOPS)
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        return made
    made = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    made.bind((address, 0))
    index = socket.if_nametoindex(device)
    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, HOPS)
    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 0)
    return made


class Member:
    """A socket that joins some groups and leaves them; what comes is read at the port."""

    def __init__(self, family: str, groups: list[str], port: Port) -> None:
        self.family = family
        self.groups = groups
        self._own = port.address("ipv4") if family == "ipv4" else ""
        self._index = 0
        self._socket: socket.socket | None = None

    def make(self, device: str) -> socket.socket:
        """Make its socket, in its host's network namespace."""
        inet = socket.AF_INET if self.family == "ipv4" else socket.AF_INET6
        self._socket = socket.socket(inet, socket.SOCK_DGRAM)
        self._index = socket.if_nametoindex(device)
        return self._socket

    def join(self) -> None:
        """Become a member of all its groups."""
        self._set(socket.IP_ADD_MEMBERSHIP, socket.IPV6_JOIN_GROUP)

    def leave(self) -> None:
        """Leave them."""
        self._set(socket.IP_DROP_MEMBERSHIP, socket.IPV6_LEAVE_GROUP)

    def _set(self, of_ipv4: int, of_ipv6: int) -> None:
        assert self._socket is not None
        for each in self.groups:
            packed = ip_address(each).packed
            if self.family == "ipv4":
                request = packed + socket.inet_aton(self._own)  # ip_mreq
                self._socket.setsockopt(socket.IPPROTO_IP, of_ipv4, request)
            else:
                request = packed + struct.pack("@I", self._index)  # ipv6_mreq
                self._socket.setsockopt(socket.IPPROTO_IPV6, of_ipv6, request)


def is_query(frame: bytes, family: str) -> bool:
    """Return whether a frame asks who is a member of any group of a family."""
    kind = frame[12:AT]
    if kind != KIND[family] or len(frame) < AT + HEADER[kind] + 8:
        return False
    if kind == IPV4:
        at = AT + 4 * (frame[AT] & 15)
        is_its = frame[AT + 9] == IGMP and frame[at : at + 1] == bytes([IGMP_QUERY])
        return is_its and not any(frame[at + 4 : at + 8])
    if kind == IPV6 and frame[AT + 6] == HOP_BY_HOP:
        at = AT + HEADER[IPV6] + 8 * (frame[AT + HEADER[IPV6] + 1] + 1)
        return frame[at : at + 1] == bytes([MLD_QUERY]) and not any(frame[at + 8 : at + 24])
    return False


def wanted(frame: bytes) -> dict[str, bool]:
    """Return the groups that a frame of IGMP joins (True) or leaves, by their address."""
    at = AT + 4 * (frame[AT] & 15) if len(frame) > AT else AT
    if frame[12:AT] != IPV4 or len(frame) < at + 8 or frame[AT + 9] != IGMP:
        return {}
    kind = frame[at]
    if kind in (IGMP_REPORT, IGMP_LEAVE):
        return {str(ip_address(frame[at + 4 : at + 8])): kind == IGMP_REPORT}
    if kind != IGMP_REPORT_3:
        return {}
    groups, (count,) = {}, struct.unpack_from("!H", frame, at + 6)
    at += 8
    for _ in range(count):
        if len(frame) < at + 8:
            return {}
        record, words, sources = struct.unpack_from("!BBH", frame, at)
        groups[str(ip_address(frame[at + 4 : at + 8]))] = record in EXCLUDES or sources > 0
        at += 8 + 4 * sources + 4 * words
    return groups


def listening(device: str) -> socket.socket:
    """A socket of what arrives at a port by IPv4, and not of what leaves."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP))
    made.bind((device, ETH_P_IP))
    made.setblocking(False)
    return made


def neighbour(kind: int, address: str, own: str) -> bytes:
    """A frame of IGMPv2 by which another host of the LAN, `own`, joins a group or leaves it."""
    packed = ip_address(address).packed
    to = ip_address(ROUTERS).packed if kind == IGMP_LEAVE else packed
    message = struct.pack("!BBH", kind, 0, 0) + packed
    message = message[:2] + struct.pack("!H", checksum(message)) + message[4:]
    start = struct.pack("!BBHHHBB", 0x46, 0xC0, 32, 0, 0x4000, 1, IGMP)
    rest = ip_address(own).packed + to + ROUTER_ALERT
    header = start + struct.pack("!H", checksum(start + b"\0\0" + rest)) + rest
    mac = b"\x01\x00\x5e" + bytes([to[1] & 0x7F]) + to[2:]
    return mac + NEIGHBOUR_MAC + IPV4 + header + message
