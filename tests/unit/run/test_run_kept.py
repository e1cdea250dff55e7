# SPDX-License-Identifier: Apache-2.0
"""Packets that are kept of odd trials: read, known by their test header, written with comments."""

import re
from contextlib import suppress
from itertools import product

from few import few
from hypothesis import example, given
from hypothesis import strategies as st

from gatemark.run.kept import pcapng
from gatemark.run.kept.header import Header, header
from gatemark.run.kept.moment import unseen
from gatemark.run.kept.pcapng import Interface, Packet

ETHERNET, RAW = 1, 101
TAGS = (b"", b"\x81\x00\x00\x07", b"\x88\xa8\x00\x07\x81\x00\x00\x08")  # of VLANs
SESSION = b"\x88\x64\x11\x00\x00\x01\x00\x50\x00\x21"  # PPPoE, and IPv4's number in PPP
HERE = Interface("gateway gw0", "received", ETHERNET)


def ours(flow: int, number: int, sent_ns: int) -> bytes:
    """The test header of PROTOCOL.md."""
    return bytes([0xC7, 5]) + flow.to_bytes(3) + number.to_bytes(4) + sent_ns.to_bytes(5)


def tagged(flow: int, number: int, sent_ns: int) -> bytes:
    """Its other form."""
    return (0xABCDEF << 88 | flow << 71 | number << 39 | sent_ns).to_bytes(14)


def ip(version: int, payload: bytes) -> bytes:
    if version == 4:
        return bytes([0x45]) + bytes(8) + bytes([17]) + bytes(10) + bytes(8) + payload
    return bytes([0x60]) + bytes(5) + bytes([17]) + bytes(33) + bytes(8) + payload


@few()
@given(
    flow=st.integers(0, (1 << 17) - 1),
    number=st.integers(0, (1 << 32) - 1),
    sent_ns=st.integers(0, (1 << 39) - 1),
)
def test_a_test_packet_is_known(flow: int, number: int, sent_ns: int) -> None:
    wanted = Header(flow, number, sent_ns)
    for version, (made, is_tagged) in product((4, 6), ((ours, False), (tagged, True))):
        packet = ip(version, made(flow, number, sent_ns))
        assert header(packet, RAW, tagged=is_tagged) == wanted
        for tags in TAGS:
            ether = bytes(12) + tags + b"\x08\x00" + packet
            assert header(ether, ETHERNET, tagged=is_tagged) == wanted
            session = bytes(12) + tags + SESSION + packet
            assert header(session, ETHERNET, tagged=is_tagged) == wanted


@few(50)
@given(data=st.binary(max_size=80), link=st.sampled_from([ETHERNET, RAW]), tag=st.booleans())
def test_any_bytes_are_a_test_packet_or_none(data: bytes, link: int, tag: bool) -> None:
    of = header(data, link, tagged=tag)
    assert of is None or 0 <= of.number < 1 << 32


@few()
@given(
    datas=st.lists(st.binary(min_size=1, max_size=130), max_size=5),
    comment=st.text(max_size=50),
)
def test_what_is_written_is_read(datas: list[bytes], comment: str) -> None:
    packets = [Packet(HERE, 1 << 60 | at, len(data) + 4, data) for at, data in enumerate(datas)]
    blocks = b"".join(pcapng.packet(0, packet, comment) for packet in packets)
    file = pcapng.section(comment, [HERE], 128) + blocks
    assert list(pcapng.read(file)) == packets
    assert list(pcapng.read(file[:-1])) == packets[:-1]


@few(50)
@given(st.binary(max_size=120))
@example(bytes([6, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0]))
@example(bytes([6, 0, 0, 0, 32, 0, 0, 0, 9]) + bytes(23))
def test_odd_captures_end_or_are_refused(data: bytes) -> None:
    packets = pcapng.read(pcapng.section("", [HERE], 128) + data)
    with suppress(ValueError):  # and nothing else is raised
        assert all(packet.interface for packet in packets)


def test_packets_that_no_place_saw_are_named_at_the_next_of_their_flow() -> None:
    there = [(0, 0), (1, 0), (0, 1), (0, 5), (1, 1)]
    lost = [(0, 2), (0, 3), (0, 4), (0, 6), (1, 9), (2, 0)]
    assert unseen(there, lost) == {
        (0, 5): "lost: flow 0 numbers 2 to 4, 6, seen nowhere",
        (1, 1): "lost: flow 1 number 9, seen nowhere",
        (0, 0): "lost: flow 2 number 0, seen nowhere",
    }


@few()
@given(
    there=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20)), min_size=1),
    keys=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 25))),
)
def test_each_of_them_is_named_once(
    there: list[tuple[int, int]], keys: set[tuple[int, int]]
) -> None:
    lost = sorted(keys - {*there})
    named = []
    for text in unseen(there, lost).values():
        for line in text.split("; "):
            flow, numbers = re.findall(r"flow (\d+) numbers? (.*), seen", line)[0]
            for run in numbers.split(", "):
                first, _, last = run.partition(" to ")
                named += [(int(flow), at) for at in range(int(first), int(last or first) + 1)]
    assert sorted(named) == lost


def test_a_comment_is_cut_to_what_an_option_can_hold() -> None:
    """As of many flows of which nothing was seen: all are told at one packet."""
    made = pcapng.packet(0, Packet(HERE, 0, 60, b"\0" * 60), "lost, " * 20_000)
    assert len(made) < 1 << 17
    assert b"lost, ...\0" in made
