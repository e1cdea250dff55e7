# SPDX-License-Identifier: Apache-2.0
"""The far end's tunnels: what is put in is taken out by the other side, byte for byte."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from hypothesis import given
from hypothesis import strategies as st

from gatemark.plan.line.tunnel import FAMILIES, HEADROOM_BYTES, KINDS
from gatemark.station.far import wire
from gatemark.station.far.end import End
from gatemark.station.far.tunnel import CLAT, ESP, SPI, L2tp, Plain, Tunnel, key, tunnel
from gatemark.station.far.wire import Address
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
        if kind not in ("464xlat", "esp-aes", "esp-chacha")
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


def test_the_end_counts_what_it_sees() -> None:
    end = End(tunnel("gre"), GATEWAY, 1480)
    out = end.from_host(frame(4))
    assert out is not None
    assert end.from_host(frame(4, b"y" * 1440)) is None
    arp = bytes(12) + packet.ARP + bytes(28)
    assert end.from_gateway(arp) == end.from_host(arp) == arp
    assert end.from_gateway(frame(6)) == frame(6)
    assert end.count == {"out": 0, "in": 1, "bare": 1, "passed": 2, "long": 1}
