# SPDX-License-Identifier: Apache-2.0
"""DIFFUSE's Remote Action Protocol (RAP), version 1: what a classifier node tells an action node.

    header      version 1 (16 bits), length (16), sequence (32), time in s (32)
    sets        id (16), length with this header (16), then
      id 1      a template: its id (16), flags (16), elements (16; from 0x8000 on with a length)
      id >= 256 records by the template of this id

All is big-endian. There is IPv4 alone and no authentication: whoever can send can steer. Sets of
options (0) and commands (2) are passed over, as is a record whose template did not come.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

from gatemark.error import GatemarkError

VERSION: Final = 1
TEMPLATE: Final = 1  # id of a set
RECORDS: Final = 256  # lowest id of a set, and of our template
ADD, REMOVE, REQUEST = 0, 1, 2  # kinds of message; two later programs take 2 for "remove all"
TIMEOUT_NONE, TIMEOUT_RULE, TIMEOUT_FLOW = 0, 1, 2
BIDIRECTIONAL: Final = 1  # of the flags
MOST_ELEMENTS: Final = 64
MOST_TEMPLATES: Final = 64

HEADER: Final = struct.Struct("!HHII")
SET: Final = struct.Struct("!HH")
NAMED: Final = 0x8000  # text; the template says how long
DYNAMIC: Final = 0xC000  # a byte in the record says how long, itself included

# Bytes of each element whose length is its own.
LENGTHS: Final = dict(enumerate((4, 4, 2, 2, 1, 16, 16, 1, 3, 2, 1, 1, 1, 2, 2, 4, 4), 1))
SRC, DST, SPORT, DPORT, PROTO, KIND = 1, 2, 3, 4, 5, 12
TIMEOUT_TYPE, TIMEOUT, FLAGS, PACKETS, KBYTES = 13, 14, 15, 16, 17
ACTION, PARAMS, EXPORT, CLASSES = 0x8000, 0x8001, 0x8002, 0xC000

Element = tuple[int, int]  # its id and its bytes; 0: a byte in the record says it
Templates = dict[int, tuple[Element, ...]]  # of one sender
FIELDS: Final[tuple[Element, ...]] = (
    *((EXPORT, 8), (KIND, 1), (SRC, 4), (DST, 4), (SPORT, 2), (DPORT, 2), (PROTO, 1)),
    *((PACKETS, 4), (KBYTES, 4), (CLASSES, 0), (TIMEOUT_TYPE, 1), (TIMEOUT, 2)),
    *((ACTION, 8), (FLAGS, 2), (PARAMS, 16)),
)


@dataclass(frozen=True, slots=True)
class Rule:
    """What is to be done with a flow. `classes` are classifiers with the class each gave."""

    kind: int
    src: str
    dst: str
    sport: int
    dport: int
    protocol: int
    action: str = ""
    params: str = ""
    flags: int = BIDIRECTIONAL
    timeout_type: int = TIMEOUT_RULE
    timeout_s: int = 0
    packets: int = 0
    kbytes: int = 0
    export: str = ""
    classes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A datagram."""

    sequence: int
    time_s: int
    rules: tuple[Rule, ...]


def write(message: Message) -> bytes:
    """A message with its template, as each of the published sender has it."""
    elements = b"".join(
        struct.pack("!HH", element, length) if NAMED <= element < DYNAMIC else _short(element)
        for element, length in FIELDS
    )
    template = struct.pack("!HH", RECORDS, 0) + elements
    records = b"".join(map(_record, message.rules))
    sets = _set(TEMPLATE, template) + (_set(RECORDS, records) if records else b"")
    length = HEADER.size + len(sets)
    if length > 0xFFFF:
        raise GatemarkError(f"RAP: {len(message.rules)} rules in one message are too many")
    return HEADER.pack(VERSION, length, message.sequence, message.time_s) + sets


def read(data: bytes, templates: Templates) -> Message:
    """A message; `templates` are those of its sender so far, and are added to.

    Raises GatemarkError with the byte where it stops to be one.
    """
    if len(data) < HEADER.size:
        raise _fault(0, f"{len(data)} bytes are no header")
    version, length, sequence, time_s = HEADER.unpack_from(data)
    if version != VERSION:
        raise _fault(0, f"version {version}")
    if not HEADER.size <= length <= len(data):
        raise _fault(2, f"a length of {length}, and {len(data)} bytes came")
    rules: list[Rule] = []
    at = HEADER.size
    while at < length:
        number, end = _head(data, at, length)
        body = at + SET.size
        if number == TEMPLATE:
            _learn(data, body, end, templates)
        elif number in templates:
            rules += _rules(data, body, end, templates[number])
        at = end
    return Message(sequence, time_s, tuple(rules))


def _head(data: bytes, at: int, length: int) -> tuple[int, int]:
    """A set's id, and where it ends."""
    if at + SET.size > length:
        raise _fault(at, "no room for a set")
    number, size = SET.unpack_from(data, at)
    if size < SET.size or at + size > length:
        raise _fault(at + 2, f"a set of {size} bytes")
    return number, at + size


def _learn(data: bytes, at: int, end: int, templates: Templates) -> None:
    if end - at < SET.size:
        raise _fault(at, "no room for a template")
    number, _ = SET.unpack_from(data, at)
    elements = tuple(_elements(data, at + SET.size, end))
    if number < RECORDS or not 1 <= len(elements) <= MOST_ELEMENTS:
        raise _fault(at, f"template {number} of {len(elements)} elements")
    if number not in templates and len(templates) == MOST_TEMPLATES:
        raise _fault(at, f"more than {MOST_TEMPLATES} templates")
    templates[number] = elements


def _elements(data: bytes, at: int, end: int) -> Iterator[Element]:
    while at < end:
        if at + 2 > end:
            raise _fault(at, "half an element")
        (element,) = struct.unpack_from("!H", data, at)
        at += 2
        if element >= DYNAMIC:
            yield element, 0
        elif element < NAMED:
            if element not in LENGTHS:
                raise _fault(at - 2, f"element {element}: how long is it?")
            yield element, LENGTHS[element]
        else:
            if at + 2 > end:
                raise _fault(at, "an element without its length")
            (length,) = struct.unpack_from("!H", data, at)
            if not length:
                raise _fault(at, f"element {element:#x} of no bytes")
            at += 2
            yield element, length


def _rules(data: bytes, at: int, end: int, elements: Sequence[Element]) -> Iterator[Rule]:
    while at < end:
        values: dict[int, bytes] = {}
        for element, fixed in elements:
            length, lead = fixed, 0
            if not fixed:
                length, lead = (data[at] if at < end else 0), 1
            if length < lead or at + length > end:
                raise _fault(at, f"element {element:#x} does not fit into its set")
            values[element] = data[at + lead : at + length]
            at += length
        yield _rule(values, at)


def _rule(values: dict[int, bytes], at: int) -> Rule:
    missing = [
        element for element in (KIND, SRC, DST, SPORT, DPORT, PROTO) if element not in values
    ]
    if missing:
        raise _fault(at, f"a record without element {missing[0]}")
    number = {element: int.from_bytes(value) for element, value in values.items()}
    return Rule(
        kind=number[KIND],
        src=str(IPv4Address(values[SRC])),
        dst=str(IPv4Address(values[DST])),
        sport=number[SPORT],
        dport=number[DPORT],
        protocol=number[PROTO],
        action=_text(values.get(ACTION, b"")),
        params=_text(values.get(PARAMS, b"")),
        flags=number.get(FLAGS, 0),
        timeout_type=number.get(TIMEOUT_TYPE, TIMEOUT_NONE),
        timeout_s=number.get(TIMEOUT, 0),
        packets=number.get(PACKETS, 0),
        kbytes=number.get(KBYTES, 0),
        export=_text(values.get(EXPORT, b"")),
        classes=tuple(_classes(values.get(CLASSES, b""), at)),
    )


def _classes(value: bytes, at: int) -> Iterator[tuple[str, int]]:
    while value:
        name, zero, rest = value.partition(b"\0")
        if not zero or len(rest) < 2:
            raise _fault(at, "a class's name without its number")
        yield _text(name), int.from_bytes(rest[:2])
        value = rest[2:]


def _record(rule: Rule) -> bytes:
    classes = b"".join(_bytes(n, 0) + b"\0" + _short(class_) for n, class_ in rule.classes)
    if len(classes) > 0xFE:
        raise GatemarkError(f"RAP: the names of {len(rule.classes)} classes take over 254 bytes")
    ends = IPv4Address(rule.src).packed + IPv4Address(rule.dst).packed
    try:
        return b"".join(
            (
                _bytes(rule.export, 8) + bytes([rule.kind]) + ends,
                struct.pack(
                    "!HHBII", rule.sport, rule.dport, rule.protocol, rule.packets, rule.kbytes
                ),
                bytes([len(classes) + 1]) + classes,
                struct.pack("!BH", rule.timeout_type, rule.timeout_s),
                _bytes(rule.action, 8) + _short(rule.flags) + _bytes(rule.params, 16),
            )
        )
    except (struct.error, ValueError) as error:
        raise GatemarkError(f"RAP: {rule} does not fit into a record: {error}") from None


def _set(number: int, body: bytes) -> bytes:
    return SET.pack(number, SET.size + len(body)) + body


def _short(value: int) -> bytes:
    return struct.pack("!H", value)


def _bytes(text: str, room: int) -> bytes:
    """Text with a zero behind it, filled up; without room for it as it is."""
    value = text.encode("ascii", "replace").replace(b"\0", b"?")
    if room and len(value) >= room:
        raise GatemarkError(f"RAP: {text!r} is longer than {room - 1} characters")
    return value.ljust(room, b"\0")


def _text(value: bytes) -> str:
    return value.partition(b"\0")[0].decode("ascii", "replace")


def _fault(at: int, text: str) -> GatemarkError:
    return GatemarkError(f"RAP: byte {at}: {text}")
