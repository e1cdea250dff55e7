# SPDX-License-Identifier: Apache-2.0
"""`trials.jsonl` as it is read: every whole record, and what is said of each line that is none."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from gatemark.store import former
from gatemark.store.record import RECORD_SCHEMA, Record
from gatemark.store.schema import is_newer, schema_of

NAME: Final = "trials.jsonl"
# No string inside a record can hold this: its quotes would be escaped.
MARK: Final = b'{"schema":"gatemark.record/'
FORMER: Final = f'{{"schema":"{former.RECORD}"'.encode()
BEGIN: Final = re.compile(b"(?=" + re.escape(MARK) + b")")


@dataclass(slots=True)
class Trials:
    """The records in the order of their writing, each trial once."""

    records: list[Record] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # lines that a trial may be lost in
    newer: Counter[str] = field(default_factory=Counter)  # schema -> lines that have it
    twice: list[str] = field(default_factory=list)
    is_cut: bool = False  # the last line has no end


def read(data: bytes) -> Trials:
    """Every whole record of the file. Raises nothing: what cannot be read is told."""
    trials, seen = Trials(), dict[str, int]()
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.endswith(b"\n"):
            trials.is_cut = True
            break
        for record in _of_line(trials, number, line):
            if (first := seen.setdefault(record.trial, number)) == number:
                trials.records.append(record)
            else:
                trials.twice.append(
                    f"line {number} of {NAME} is trial {record.trial} again: "
                    f"line {first} counts, this one does not"
                )
    return trials


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
        if is_newer(schema, RECORD_SCHEMA):
            trials.newer[schema] += 1
        else:
            trials.unread.append(f"line {number} of {NAME} cannot be read ({why})")


def _record(part: bytes) -> Record:
    """Raises DecodeError, or ValueError where an older record has a key that is not known."""
    if part.startswith(FORMER):
        return former.record(msgspec.json.decode(part))
    return msgspec.json.decode(part, type=Record)


def _parts(line: bytes) -> list[bytes]:
    if line.rfind(MARK) <= 0:
        return [line]
    return [part for part in BEGIN.split(line) if part]
