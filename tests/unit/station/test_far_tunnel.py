# SPDX-License-Identifier: Apache-2.0
"""The far end's tunnels: what is put in is taken out by the other side, byte for byte."""

import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from hypothesis import given
from hypothesis import strategies as st

from gatemark.plan.line.tunnel import FAMILIES, HEADROOM_BYTES, KINDS
from gatemark.station.far import wire, wireguard
from gatemark.station.far.end import End
from gatemark.station.far.tunnel import (
    CLAT,
    ESP,
    FAR,
    NEAR,
    SPI,
    L2tp,
    Plain,
    Tunnel,
    key,
    tunnel,
)
from gatemark.station.far.wire import Address
from gatemark.station.far.wireguard import WireGuard, private, raw
from gatemark.workload import packet

MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")  # of the WAN host, of the gateway
HOME, HOST = "198.19.1.1", "198.19.1.2"
ENDS = {4: (HOST, HOME), 6: ("2001:db8::2", "2001:db8::1")}
GATEWAY = bytes.fromhex("020000000002")


def frame(version: int, data: bytes = b"x" * 40, tos: int = 0) -> bytes:
    """A frame of the WAN host to the gateway."""
    source, sink = ENDS[version]
    return packet.with_class(packet.udp(MACS, (source, 53), (sink, 4000), data), tos)


def gateways_end(kind: str) -> Tunnel:
    """The other end of a tunnel that is not encrypted."""
    made = tunnel(kind, HOME)
    assert isinstance(made, Plain | L2tp)
    made.near, made.far = made.far, made.near
    made._outer = wire.outer(made.far, made.near)
    return made


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        (kind, version)
        for kind in KINDS
        for version in FAMILIES[kind]
        if kind not in ("464xlat", "nat64", "esp-aes", "esp-chacha", "wireguard")
    ],
)
@given(data=st.binary(max_size=600))
def test_what_is_put_in_is_taken_out(kind: str, version: int, data: bytes) -> None:
    held, other = tunnel(kind, HOME), gateways_end(kind)
    sent = frame(version, data)
    inner = sent if isinstance(held, L2tp) else sent[14:]
    outer = held.put_in(inner)
    assert len(outer) - len(sent[14:]) <= HEADROOM_BYTES
    assert other.take_out(outer) == inner
    assert held.take_out(outer) is None  # it is for the gateway


@pytest.mark.parametrize(
    ("kind", "cipher"), [("esp-aes", AESGCM), ("esp-chacha", ChaCha20Poly1305)]
)
def test_what_is_encrypted_has_the_form_of_the_rfc(kind: str, cipher: type[Any]) -> None:
    held, sent = tunnel(kind), frame(4, b"secret")[14:]
    outer = held.put_in(sent)
    assert outer[9] == ESP
    head, initial, sealed = outer[20:28], outer[28:36], outer[36:]
    assert int.from_bytes(head[:4], "big") == SPI["down"]
    whole = key(kind, "down")
    plain = cipher(whole[:-4]).decrypt(whole[-4:] + initial, sealed, head)
    assert plain[: len(sent)] == sent
    assert plain[-1] == 4
    assert len(plain) % 4 == 0


@pytest.mark.parametrize("kind", ["esp-aes", "esp-chacha"])
def test_what_is_forged_is_not_taken_out(kind: str) -> None:
    held, whole = tunnel(kind), key(kind, "up")
    ciphers: dict[str, type[Any]] = {"esp-aes": AESGCM, "esp-chacha": ChaCha20Poly1305}
    cipher = ciphers[kind](whole[:-4])
    head, initial = SPI["up"].to_bytes(4, "big") + bytes(3) + b"\1", bytes(7) + b"\1"
    inner = frame(6)[14:]
    plain = inner + bytes(range(1, 1 + -(len(inner) + 2) % 4))
    plain += bytes((len(plain) - len(inner), 41))
    data = head + initial + cipher.encrypt(whole[-4:] + initial, plain, head)
    outer = wire.ipv4(Address("203.0.113.1"), Address("203.0.113.2"), ESP, data)
    assert held.take_out(outer) == inner
    assert held.take_out(outer[:-1] + bytes((outer[-1] ^ 1,))) is None


@given(data=st.binary(max_size=600), tos=st.integers(0, 255))
def test_a_translated_packet_has_good_checksums(data: bytes, tos: int) -> None:
    held, sent = tunnel("464xlat", HOME), frame(4, data, tos)[14:]
    outer = held.put_in(sent)
    assert wire.traffic_class(outer) == tos
    assert sums(outer) == 0
    answer = wire.ipv6(outer[24:40], outer[8:24], wire.UDP, outer[40:], tos)
    back = held.take_out(answer)
    assert back is not None
    assert sums(back) == 0
    assert back[20:26] == sent[20:26]
    assert back[28:] == sent[28:]
    assert held.take_out(wire.ipv6(outer[24:40], Address(CLAT), wire.UDP, outer[40:])) is None


@given(data=st.binary(max_size=600), tos=st.integers(0, 255))
def test_a_host_before_a_stateful_translator_speaks_ipv6(data: bytes, tos: int) -> None:
    held = tunnel("nat64")
    sent = packet.with_class(packet.udp(MACS, (HOME, 53), (HOST, 4000), data), tos)[14:]
    outer = held.put_in(sent)
    assert wire.traffic_class(outer) == tos
    assert sums(outer) == 0
    back = held.take_out(wire.ipv6(outer[24:40], outer[8:24], wire.UDP, outer[40:], tos))
    assert back is not None
    assert sums(back) == 0
    assert (back[12:16], back[16:20]) == (sent[16:20], sent[12:16])
    assert back[28:] == sent[28:]
    assert held.take_out(outer) is None  # it is for the gateway
    assert held.take_out(sent) is None


def sums(whole: bytes) -> int:
    """The checksum of UDP with its addresses: 0 where it is good."""
    if whole[0] >> 4 == 4:
        ends, data, protocol = whole[12:20], whole[20:], whole[9]
    else:
        ends, data, protocol = whole[8:40], whole[40:], whole[6]
    return wire.checksum(ends + len(data).to_bytes(4, "big") + protocol.to_bytes(4, "big") + data)


def test_congestion_outside_is_kept_inside_where_it_may_be() -> None:
    held = gateways_end("gre")
    for version in (4, 6):
        for sent, comes in ((0, 0), (1, 3), (2, 3), (3, 3)):
            outer = bytearray(tunnel("gre").put_in(frame(version, tos=sent)[14:]))
            outer[1] |= 3
            inner = held.take_out(bytes(outer))
            assert inner is not None
            assert wire.traffic_class(inner) == comes


def test_a_group_is_told_of_beside_a_tunnel_and_not_past_it() -> None:
    end = End(tunnel("gre"), GATEWAY, 1480)
    report = b"\x33\x33\0\0\0\x16" + frame(6)[6:]
    assert end.from_gateway(report) == report
    assert (end.count["bare"], end.count["passed"]) == (0, 1)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.binary(max_size=200))
def test_whatever_comes_is_taken_or_let_by(kind: str, data: bytes) -> None:
    held = tunnel(kind, HOME)
    udp = wireguard.PORT.to_bytes(2, "big") * 2 + bytes(4) + data
    end = End(held, GATEWAY, 1500)
    for packet_ in (data, wire.ipv4(Address(NEAR), Address(FAR), wire.UDP, udp)):
        for ethertype in (wire.IPV4, wire.IPV6):
            end.from_gateway(bytes(12) + ethertype + packet_)
            end.from_host(GATEWAY + bytes(6) + ethertype + packet_)


class Initiator:
    """The gateway's end of WireGuard: one session."""

    def __init__(self) -> None:
        self._noise = wireguard.Noise(raw(private("down").public_key()))
        self._once, self._own = X25519PrivateKey.generate(), private("up")

    def begin(self) -> bytes:
        noise, once = self._noise, raw(self._once.public_key())
        noise.hear(once)
        noise.mix(once)
        its = private("down").public_key()
        static = noise.seal(
            noise.mix(self._once.exchange(its), keys=2), raw(self._own.public_key())
        )
        stamp = noise.seal(noise.mix(self._own.exchange(its), keys=2), bytes(12))
        return self._around(wireguard.BEGIN + b"mine" + once + static + stamp + bytes(32))

    def end(self, packet: bytes) -> None:
        """Take the answer in. Raises InvalidTag where it is not sealed as it must be."""
        answer = packet[28:]
        assert (answer[:4], answer[8:12], len(answer)) == (wireguard.ANSWER, b"mine", 92)
        guard = hashlib.blake2s(b"mac1----" + raw(self._own.public_key())).digest()
        mac = hashlib.blake2s(answer[:60], digest_size=16, key=guard).digest()
        assert answer[60:76] == mac
        its = X25519PublicKey.from_public_bytes(answer[12:44])
        self._noise.hear(answer[12:44])
        self._noise.mix(answer[12:44], self._once.exchange(its), self._own.exchange(its))
        assert self._noise.unseal(self._noise.preshared(), answer[44:60]) == b""
        self.theirs, (self.up, self.down) = answer[4:8], self._noise.session()

    def put_in(self, number: int, packet: bytes) -> bytes:
        nonce = number.to_bytes(8, "little")
        padded = packet + bytes(-len(packet) % 16)
        sealed = self.up.encrypt(bytes(4) + nonce, padded, b"")
        return self._around(wireguard.DATA + self.theirs + nonce + sealed)

    def _around(self, message: bytes) -> bytes:
        ports = wireguard.PORT.to_bytes(2, "big") * 2
        udp = ports + (8 + len(message)).to_bytes(2, "big") + bytes(2) + message
        return wire.ipv4(Address(NEAR), Address(FAR), wire.UDP, udp)


@pytest.mark.parametrize("version", [4, 6])
def test_wireguard_begins_anew_as_often_as_the_gateway_does(version: int) -> None:
    held = WireGuard(NEAR, FAR)
    inner = frame(version, b"z" * 45)[14:]
    assert held.put_in(inner) == b""
    for _ in range(2):
        gateway = Initiator()
        assert held.take_out(gateway.begin()) == b""
        gateway.end(held.answers.pop())
        assert held.take_out(gateway.put_in(0, b"")) == b""  # a sign of life
        assert held.take_out(gateway.put_in(1, inner)) == inner
        data = held.put_in(inner)[28:]
        assert data[:16] == wireguard.DATA + b"mine" + bytes(8)
        plain = gateway.down.decrypt(bytes(4) + data[8:16], data[16:], b"")
        assert plain[: len(inner)] == inner
        forged = gateway.put_in(2, inner)
        assert held.take_out(forged[:-1] + bytes((forged[-1] ^ 1,))) is None


def test_the_far_end_answers_a_handshake_itself() -> None:
    end, gateway = End(tunnel("wireguard"), GATEWAY, 1500), Initiator()
    asked = frame(4)[:14] + gateway.begin()
    assert end.from_gateway(asked) is None
    (answer,) = end.owed(asked)
    assert (answer[:6], answer[6:12]) == (asked[6:12], asked[:6])
    gateway.end(answer[14:])
    assert end.from_host(frame(4)) is None  # before the gateway has shown that it has the answer
    assert end.count == {"out": 0, "in": 0, "bare": 0, "passed": 1, "long": 0}


def test_the_end_counts_what_it_sees() -> None:
    end = End(tunnel("gre"), GATEWAY, 1480)
    out = end.from_host(frame(4))
    assert out is not None
    assert end.from_host(frame(4, b"y" * 1440)) is None
    arp = bytes(12) + packet.ARP + bytes(28)
    assert end.from_gateway(arp) == end.from_host(arp) == arp
    assert end.from_gateway(frame(6)) == frame(6)
    assert end.count == {"out": 0, "in": 1, "bare": 1, "passed": 2, "long": 1}
