# SPDX-License-Identifier: Apache-2.0
"""Sizes: frames in parts and their reading, and what is said of what vanishes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.kind.mtu.fragment import in_two, may_be_cut
from gatemark.kind.mtu.plan import KIND, MTU
from gatemark.kind.mtu.seen import parsed
from gatemark.plan.kind import faults
from gatemark.plan.model import Arm, Workload
from gatemark.store.record import Definition, Record
from gatemark.tell.sentence.answer import answer
from gatemark.workload import packet
from gatemark.workload.packet import SYN, Segment

MACS = "02:00:00:00:00:01", "02:00:00:00:00:02"
ENDS = {
    "ipv4": (("198.18.1.4", 31000), ("198.19.1.253", 4000)),
    "ipv6": (("2001:2:0:1::4", 31000), ("2001:2:0:2::fd", 4000)),
}


def udp(family: str, size: int = 1200) -> bytes:
    return packet.udp(MACS, *ENDS[family], bytes(size))


def record(arm: str = "NAT", **values: float) -> Record:
    definition = Definition(path="nat", quantity=MTU, direction="up", family="ipv4")
    return replace(Trial().record(), arm=arm, definition=definition, values=values)


def sentence(*trials: Record) -> str:
    return answer(run(list(trials)), trials, judge(run(list(trials)), list(trials)))


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_two_parts_hold_the_whole(family: str) -> None:
    first, last = (parsed(part, 0) for part in in_two(udp(family), 704, 7))
    assert first is not None
    assert last is not None
    assert (first.offset, first.is_last, first.number) == (0, False, 7)
    assert (last.offset, last.is_last, last.number) == (704, True, 7)
    assert first.data + last.data == 1200 + 8
    assert (first.port, last.port) == (31000, 0)


def test_what_may_be_cut_is_as_long_and_right() -> None:
    (frame,) = may_be_cut(udp("ipv4"))
    assert packet.checksum(frame[14:34]) == 0
    assert not frame[20] & 0x40
    assert len(frame) == len(udp("ipv4"))


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_the_size_of_a_segment_is_read(family: str) -> None:
    option = b"\x01\x01\x01\x01" + b"\x02\x04" + (1360).to_bytes(2, "big")
    seen = parsed(packet.tcp(MACS, *ENDS[family], Segment(1, 0, SYN, option)), 0)
    assert seen is not None
    assert seen.mss == 1360


def test_a_word_that_it_is_too_long_is_read() -> None:
    frame = packet.icmp(MACS, ("198.18.1.1", "198.18.1.4"), (3, 4), 1400, bytes(28))
    seen = parsed(frame, 0)
    assert seen is not None
    assert seen.limit == 1400


@given(st.sampled_from([b"\x08\x00\x45", b"\x86\xdd\x60"]), st.binary(max_size=90))
def test_no_frame_is_a_fault(start: bytes, data: bytes) -> None:
    parsed(bytes(12) + start + data, 0)


def test_the_sentence_names_what_vanishes() -> None:
    of_all = {"mtu_fragments": 1.0, "mtu_fragments_late": 1.0}
    narrow = of_all | {"mtu_bytes": 1400, "mtu_handled": 0.93, "mtu_told": 0.0}
    hangs = record("narrow", mtu_mss_bytes=1460, **narrow)
    clamped = record("clamped", mtu_mss_bytes=1360, **narrow)
    word = narrow | {"mtu_told": 1.0, "mtu_told_bytes": 1450}
    lied = record("lied", mtu_mss_bytes=1460, **word)
    assert "1401 to 1500 bytes vanish without a word, so TCP hangs there" in sentence(hangs)
    assert "Let its ICMP errors through, or clamp TCP's MSS." in sentence(hangs)
    assert "but TCP is clamped below (clamped, up, IPv4)" in sentence(clamped)
    assert "1401 to 1450 bytes vanish without a word" in sentence(lied)
    assert "ICMP" not in sentence(lied)


def test_the_sentence_names_lost_fragments() -> None:
    lost = record(mtu_bytes=1500, mtu_handled=1, mtu_fragments=1.0, mtu_fragments_late=0.0)
    assert "Fragments do not come through (NAT, up, IPv4)" in sentence(lost)


def test_it_is_of_routers_and_one_way() -> None:
    assert KIND.misfit(Arm(path="switch"), Workload(kind="mtu"))
    assert [*faults(Workload(kind="mtu", direction="both"))]
    assert not [*faults(Workload(kind="mtu"))]
