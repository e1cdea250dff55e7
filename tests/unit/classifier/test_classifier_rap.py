# SPDX-License-Identifier: Apache-2.0
"""RAP version 1: byte for byte as published, read again, and any bytes refused."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatemark.classifier.rap import ADD, HEADER, REMOVE, Message, Rule, Templates, read, write
from gatemark.error import GatemarkError

GAME = Rule(
    kind=ADD,
    src="192.0.2.1",
    dst="198.51.100.2",
    sport=27960,
    dport=27961,
    protocol=17,
    action="pipe",
    params="1",
    timeout_s=60,
    packets=20,
    kbytes=2,
    export="export1",
    classes=(("fpsgame", 1),),
)
# Put together by hand from the protocol's tables (FreeBSD's ip_diffuse_export.h).
PUBLISHED = bytes.fromhex(
    "0001 0082 00000007 00000009"
    "0001 002c 0100 0000 8002 0008 000c 0001 0002 0003 0004 0005 0010 0011 c000 000d 000e"
    "8000 0008 000f 8001 0010"
    "0100 004a 6578706f72743100 00 c0000201 c6336402 6d38 6d39 11 00000014 00000002"
    "0b 66707367616d6500 0001 01 003c 7069706500000000 0001 31000000000000000000000000000000"
)

texts = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=7)
shorts = st.integers(0, 0xFFFF)
addresses = st.ip_addresses(v=4).map(str)
rules = st.builds(
    Rule,
    kind=st.integers(0, 2),
    src=addresses,
    dst=addresses,
    sport=shorts,
    dport=shorts,
    protocol=st.integers(0, 255),
    action=texts,
    params=texts,
    flags=shorts,
    timeout_type=st.integers(0, 2),
    timeout_s=shorts,
    packets=st.integers(0, 2**32 - 1),
    kbytes=st.integers(0, 2**32 - 1),
    export=texts,
    classes=st.lists(st.tuples(texts, shorts), max_size=4).map(tuple),
)


def test_an_add_is_written_as_published() -> None:
    assert len(PUBLISHED) == 130
    assert write(Message(7, 9, (GAME,))) == PUBLISHED


def test_an_add_is_read_as_published() -> None:
    assert read(PUBLISHED, {}) == Message(7, 9, (GAME,))


@given(st.integers(0, 2**32 - 1), st.lists(rules, max_size=5).map(tuple))
def test_what_is_written_is_read(sequence: int, all_: tuple[Rule, ...]) -> None:
    message = Message(sequence, 1, all_)
    assert read(write(message), {}) == message


def test_a_template_is_kept_of_a_sender() -> None:
    templates: Templates = {}
    read(PUBLISHED, templates)
    records = PUBLISHED[56:]
    again = HEADER.pack(1, HEADER.size + len(records), 8, 10) + records
    assert read(again, templates).rules == (GAME,)
    assert read(again, {}).rules == ()


def test_a_remove_is_read() -> None:
    data = bytearray(PUBLISHED)
    data[68] = REMOVE
    assert read(bytes(data), {}).rules[0].kind == REMOVE


@pytest.mark.parametrize(
    ("at", "value", "why"),
    [
        (1, 2, "byte 0: version 2"),
        (3, 0x83, "byte 2: a length of 131, and 130 bytes came"),
        (3, 0x80, "a set of 74 bytes"),
        (15, 3, "byte 14: a set of 3 bytes"),
        (16, 0, "template 0"),
        (25, 99, "element 99: how long"),
        (23, 0, "of no bytes"),
        (90, 0xFF, "element 0xc000 does not fit"),
        (90, 0, "element 0xc000 does not fit"),
    ],
)
def test_a_malformed_message_is_refused_by_its_byte(at: int, value: int, why: str) -> None:
    data = bytearray(PUBLISHED)
    data[at] = value
    with pytest.raises(GatemarkError, match=why):
        read(bytes(data), {})


@given(st.binary(max_size=200), st.integers(0, 130))
@example(b"", 0)
def test_any_bytes_are_a_message_or_are_refused(tail: bytes, kept: int) -> None:
    templates: Templates = {}
    for data in (tail, PUBLISHED[:kept] + tail):
        with suppress(GatemarkError):
            read(data, templates)


@pytest.mark.parametrize(
    "rule", [replace(GAME, action="a" * 8), replace(GAME, export="a" * 8)], ids=["action", "export"]
)
def test_a_name_that_is_too_long_is_refused(rule: Rule) -> None:
    with pytest.raises(GatemarkError, match="longer than 7"):
        write(Message(1, 1, (rule,)))
