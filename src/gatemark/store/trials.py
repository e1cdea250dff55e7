# SPDX-License-Identifier: Apache-2.0
"""`trials.jsonl`: a record as its line, and as it is read every whole record of the file.

JSON has no NaN and no infinity, and msgspec writes null for them, which no reader takes for a
number. What makes values refuses them where they come from; `written` is for what gets past.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec.structs import force_setattr, replace

from gatemark.store.record import RECORD_SCHEMA, Evidence, Record
from gatemark.store.schema import MOST, age, schema_of

NAME: Final = "trials.jsonl"
# No string inside a record can hold this: its quotes would be escaped.
MARK: Final = b'{"schema":"gatemark.record/'
BEGIN: Final = re.compile(b"(?=" + re.escape(MARK) + b")")
# Every number beyond MOST has one of these, once each digit is a 0. To look for a word is a
# hundred times as fast as a regular expression with as many beginnings. Behind a point so many are
# no large number.
DIGITS: Final = b"0" * 19
EXPONENTS: Final = (b"0e0", b"0e+0")
ZEROS: Final = bytes.maketrans(b"123456789E", b"000000000e")
SHOWN: Final = 5  # names of values in a reason
# Fields of a record that are as in many others of its run.
COMMON: Final = ("definition", "point", "plan", "arm", "placement", "ports", "port_reasons")
Parts = dict[tuple[str, bytes], object]  # field, its value encoded -> that value
_encoded = msgspec.msgpack.Encoder().encode


@dataclass(slots=True)
class Trials:
    """The records in the order of their writing, each trial once."""

    records: list[Record] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # lines that a trial may be lost in
    newer: Counter[str] = field(default_factory=Counter)  # schema -> lines that have it
    twice: list[str] = field(default_factory=list)
    is_cut: bool = False  # the last line has no end


def written(record: Record) -> tuple[Record, bytes]:
    """The record as it is kept, and its line. One that could not be read again becomes invalid.

    What was measured is left out of it then, and its reason names the values at fault.
    """
    line = msgspec.json.encode(record)
    try:
        _record(line)
    except (msgspec.ValidationError, ValueError) as error:
        names = _beyond(record)
        why = f"no finite numbers: {names}" if names else str(error)
        record = replace(
            record,
            status="invalid",
            reason=f"what it measured is not kept: {why}",
            values={},
            accounting=None,
            parts={},
            evidence=Evidence(),
        )
        line = msgspec.json.encode(record)
    return record, line + b"\n"


def _beyond(record: Record) -> str:
    """Return the place of a NaN, or of what is larger than anything measured: `values.power_w`."""
    return ", ".join([*_places(msgspec.to_builtins(record), "")][:SHOWN])


def _places(value: object, name: str) -> Iterator[str]:
    match value:
        case float() | int() if not -MOST <= value <= MOST:
            yield name
        case dict():
            for key, inner in value.items():
                yield from _places(inner, f"{name}.{key}".lstrip("."))
        case list() | tuple():
            for inner in value:
                yield from _places(inner, name)


def read(lines: Iterable[bytes]) -> Trials:
    """Every whole record of a file's lines. What cannot be read is reported; raises nothing else.

    Parts that records have in common are held once.
    """
    trials, seen, parts = Trials(), dict[str, int](), Parts()
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            trials.is_cut = True
            break
        for record in _of_line(trials, number, line):
            if (first := seen.setdefault(record.trial, number)) == number:
                share(record, COMMON, parts)
                trials.records.append(record)
            else:
                trials.twice.append(
                    f"line {number} of {NAME} is trial {record.trial} again: "
                    f"line {first} counts, this one does not"
                )
    return trials


def share(struct: msgspec.Struct, fields: Iterable[str], parts: Parts) -> None:
    """Hold each of these fields once, whatever structs have an equal one, to the type of a level.

    Only for a struct that nobody else has yet: to everyone it is frozen.
    """
    for name in fields:
        if part := getattr(struct, name):
            force_setattr(struct, name, parts.setdefault((name, _encoded(part)), part))


def _of_line(trials: Trials, number: int, line: bytes) -> Iterator[Record]:
    """The records of a line: one, or what is whole where a lost line end has joined several."""
    for part in _parts(line):
        try:
            record = _record(part)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            schema, why = schema_of(part), str(error)
        else:
            if record.schema == RECORD_SCHEMA:
                yield record
                continue
            schema, why = record.schema, f"its schema is {record.schema!r:.60}"
        other = age(schema, RECORD_SCHEMA)
        if other > 0:
            trials.newer[schema] += 1
        elif other < 0:
            trials.unread.append(f"line {number} of {NAME} has the former schema {schema}")
        else:
            trials.unread.append(f"line {number} of {NAME} cannot be read ({why})")


def _record(part: bytes) -> Record:
    """Raises DecodeError; ValueError where a number was not measured."""
    record = msgspec.json.decode(part, type=Record)
    zeros = part.translate(ZEROS)
    is_large = zeros.count(DIGITS) > zeros.count(b"." + DIGITS)
    if (is_large or any(word in zeros for word in EXPONENTS)) and (names := _beyond(record)):
        raise ValueError(f"nothing measured is so large: {names}")
    return record


def _parts(line: bytes) -> list[bytes]:
    if line.rfind(MARK) <= 0:
        return [line]
    return [part for part in BEGIN.split(line) if part]
