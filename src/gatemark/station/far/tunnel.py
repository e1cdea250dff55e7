# SPDX-License-Identifier: Apache-2.0
"""Tunnels as their far end has them: packets put in and taken out. No I/O.

    gre        RFC 2784, without key and checksum        6in4     RFC 4213
    ds-lite    RFC 6333: IPv4 in IPv6 (RFC 2473)         l2tp     RFC 3931, Ethernet over UDP
    esp-aes    RFC 4303 in tunnel mode, RFC 4106         esp-chacha    RFC 7634
    wireguard  station/far/wireguard.py
    nat64      RFC 6146: the far end is the translator of an IPv6 host with programs for IPv4
    464xlat    RFC 6877: the far end is the translator of the provider (RFC 7915)

This is not the gateway's code: what both ends agree on is not one program's mistake.
"""

import hashlib
import struct
from collections.abc import Callable
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from gatemark.station.far import wire
from gatemark.station.far.wire import Address
from gatemark.station.far.wireguard import WireGuard

# The ends: RFC 5737, RFC 3849. The first is the gateway's.
NEAR, FAR = "203.0.113.1", "203.0.113.2"
NEAR6, FAR6 = "2001:db8:77::1", "2001:db8:77::2"
# Of the translator, /96 (RFC 6052). Not 64:ff9b::, by which tayga reaches no network of tests.
PREFIX: Final = "2001:db8:64::"
CLAT: Final = "2001:db8:77:1::464"  # the home's address behind its own translator
HOSTS: Final = "2001:db8:77:4::"  # of hosts behind a NAT64, /96
NETWORK: Final = Address(PREFIX)[:12]
IPIP, IPV6_IN, GRE, ESP = 4, 41, 47, 50
L2TP_PORT: Final = 1701
L2TP_SESSION: Final = 1
SPI: Final = {"up": 0x101, "down": 0x102}
ESP_BLOCK: Final = 4


class Tunnel(Protocol):
    """One tunnel."""

    @property
    def families(self) -> tuple[int, ...]:
        """Return the versions of IP that it carries."""

    def put_in(self, packet: bytes) -> bytes:
        """Return the outer packet of an IP packet, or of a frame where it carries these."""

    def take_out(self, packet: bytes) -> bytes | None:
        """Return what an outer packet carries: nothing where it is the tunnel's own.

        None of what is none of this tunnel.
        """


class Plain:
    """IP in IP, with a few bytes between for GRE."""

    def __init__(self, ends: tuple[str, str], protocols: dict[int, tuple[int, bytes]]) -> None:
        self.near, self.far = Address(ends[0]), Address(ends[1])
        self.families = tuple(protocols)
        self._protocols = protocols  # inner version -> protocol, header
        self._outer = wire.outer(self.far, self.near)

    def put_in(self, packet: bytes) -> bytes:
        """Put a header before it, which has its traffic class."""
        protocol, header = self._protocols[packet[0] >> 4]
        return self._outer(protocol, header + packet, wire.traffic_class(packet))

    def take_out(self, packet: bytes) -> bytes | None:
        """Take it away, and keep its mark of congestion."""
        for protocol, header in self._protocols.values():
            data = wire.unwrapped(packet, self.near, self.far, protocol)
            if data is not None and data.startswith(header):
                inner = data[len(header) :]
                is_one = wire.version(inner) in self.families
                return wire.with_congestion(inner, wire.traffic_class(packet)) if is_one else None
        return None


class L2tp:
    """Whole Ethernet frames, over UDP, in version 3, without a cookie and a sublayer."""

    families = (4, 6)
    HEAD: Final = struct.pack("!HHI", 3, 0, L2TP_SESSION)

    def __init__(self) -> None:
        self.near, self.far = Address(NEAR), Address(FAR)
        self._outer = wire.outer(self.far, self.near)

    def put_in(self, frame: bytes) -> bytes:
        """Put it into UDP, without a checksum, as RFC 3931 lets it."""
        data = self.HEAD + frame
        udp = struct.pack("!HHHH", L2TP_PORT, L2TP_PORT, 8 + len(data), 0)
        return self._outer(wire.UDP, udp + data, wire.traffic_class(frame[14:]))

    def take_out(self, packet: bytes) -> bytes | None:
        """Return the frame."""
        data = wire.unwrapped(packet, self.near, self.far, wire.UDP)
        head = struct.pack("!HH", L2TP_PORT, L2TP_PORT)
        if data is None or data[:4] != head or data[8:16] != self.HEAD:
            return None
        return data[16:]


class Esp:
    """Encrypted, in tunnel mode. Each direction has a key, a salt and numbers of its own."""

    families = (4, 6)

    def __init__(self, cipher: type[AESGCM] | type[ChaCha20Poly1305], name: str) -> None:
        self.near, self.far = Address(NEAR), Address(FAR)
        self._outer = wire.outer(self.far, self.near)
        keys = {way: key(name, way) for way in SPI}
        self._ciphers = {way: cipher(each[:-4]) for way, each in keys.items()}
        self._salts = {way: each[-4:] for way, each in keys.items()}
        self._sent = 0

    def put_in(self, packet: bytes) -> bytes:
        """Encrypt it as the next of its numbers."""
        self._sent += 1
        head = struct.pack("!II", SPI["down"], self._sent)
        initial = struct.pack("!Q", self._sent)
        pad = -(len(packet) + 2) % ESP_BLOCK
        inner = IPIP if packet[0] >> 4 == 4 else IPV6_IN
        plain = packet + bytes(range(1, pad + 1)) + bytes((pad, inner))
        sealed = self._ciphers["down"].encrypt(self._salts["down"] + initial, plain, head)
        return self._outer(ESP, head + initial + sealed, wire.traffic_class(packet))

    def take_out(self, packet: bytes) -> bytes | None:
        """Decrypt it; None of what is forged, or not for us."""
        data = wire.unwrapped(packet, self.near, self.far, ESP)
        if data is None or len(data) < 34 or int.from_bytes(data[:4], "big") != SPI["up"]:
            return None
        try:
            nonce = self._salts["up"] + data[8:16]
            plain = self._ciphers["up"].decrypt(nonce, data[16:], data[:8])
        except InvalidTag:
            return None
        inner = plain[: len(plain) - 2 - plain[-2]]
        is_one = wire.version(inner) in self.families
        return wire.with_congestion(inner, wire.traffic_class(packet)) if is_one else None


class Translated:
    """IPv4 as IPv6, header for header (RFC 7915); `home` is the IPv4 address outside."""

    families = (4,)

    def __init__(self, home: str) -> None:
        self._home, self._clat = Address(home), Address(CLAT)

    def put_in(self, packet: bytes) -> bytes:
        """From IPv4 to IPv6."""
        return _to_ipv6(packet, _mapped(PREFIX, packet[12:16]), self._clat)

    def take_out(self, packet: bytes) -> bytes | None:
        """From IPv6 to IPv4; None of what is not for the translator."""
        if packet[8:24] != self._clat:
            return None
        return _to_ipv4(packet, self._home, packet[36:40], packet[24:36] == NETWORK)


class Hosts:
    """The same for each host before a stateful translator."""

    families = (4,)

    def put_in(self, packet: bytes) -> bytes:
        """From IPv4 to IPv6."""
        return _to_ipv6(packet, _mapped(HOSTS, packet[12:16]), _mapped(PREFIX, packet[16:20]))

    def take_out(self, packet: bytes) -> bytes | None:
        """From IPv6 to IPv4; None of what is for no host here."""
        is_ours = packet[8:20] == NETWORK and packet[24:36] == Address(HOSTS)[:12]
        return _to_ipv4(packet, packet[20:24], packet[36:40], is_ours)


def _mapped(prefix: str, address: bytes) -> bytes:
    """An IPv4 address in a prefix of 96 bits (RFC 6052)."""
    return Address(prefix)[:12] + address


def _to_ipv6(packet: bytes, source: bytes, sink: bytes) -> bytes:
    """A packet with other addresses (RFC 7915, section 4)."""
    header, size = (packet[0] & 15) * 4, int.from_bytes(packet[2:4], "big")
    data = _summed(packet[9], packet[header:size], packet[12:20], source + sink)
    return wire.ipv6(source, sink, packet[9], data, packet[1])


def _to_ipv4(packet: bytes, source: bytes, sink: bytes, is_ours: bool) -> bytes | None:
    """The other way (section 5), of what is ours."""
    if wire.version(packet) != 6 or not is_ours or packet[6] not in wire.CHECKSUM_AT:
        return None
    size = 40 + int.from_bytes(packet[4:6], "big")
    data = _summed(packet[6], packet[40:size], packet[8:40], source + sink)
    return wire.ipv4(source, sink, packet[6], data, wire.traffic_class(packet))


def _summed(protocol: int, data: bytes, before: bytes, after: bytes) -> bytes:
    """TCP or UDP with a checksum for other addresses (RFC 1624); anything else as it is."""
    at = wire.CHECKSUM_AT.get(protocol)
    if at is None or len(data) < at + 2:
        return data
    old = int.from_bytes(data[at : at + 2], "big")
    inverse = bytes(byte ^ 0xFF for byte in before)
    total = wire.checksum(struct.pack("!H", ~old & 0xFFFF) + inverse + after)
    if protocol == wire.UDP:
        total = total or 0xFFFF  # 0 means that there is none
    return data[:at] + struct.pack("!H", total) + data[at + 2 :]


def key(name: str, way: str) -> bytes:
    """The key and salt of one direction, for both ends: they guard packets of tests alone."""
    size = {"esp-aes": 16, "esp-chacha": 32}[name] + 4
    return hashlib.sha512(f"gatemark {name} {way}".encode()).digest()[:size]


def tunnel(name: str, home: str = "") -> Tunnel:
    """The tunnel of a name; `home`: the address that the WAN host knows the gateway by."""
    ciphers: dict[str, type[AESGCM] | type[ChaCha20Poly1305]] = {
        "esp-aes": AESGCM,
        "esp-chacha": ChaCha20Poly1305,
    }
    if name in ciphers:
        return Esp(ciphers[name], name)
    made: dict[str, Callable[[], Tunnel]] = {
        "gre": lambda: Plain(
            (NEAR, FAR), {4: (GRE, b"\0\0" + wire.IPV4), 6: (GRE, b"\0\0" + wire.IPV6)}
        ),
        "6in4": lambda: Plain((NEAR, FAR), {6: (IPV6_IN, b"")}),
        "ds-lite": lambda: Plain((NEAR6, FAR6), {4: (IPIP, b"")}),
        "l2tp": L2tp,
        "wireguard": lambda: WireGuard(NEAR, FAR),
        "464xlat": lambda: Translated(home),
        "nat64": Hosts,
    }
    return made[name]()
