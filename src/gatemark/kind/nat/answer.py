# SPDX-License-Identifier: Apache-2.0
"""NAT's behaviour: each requirement, how long mappings live, and the packets that show it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from gatemark.kind.nat.plan import NAT
from gatemark.kind.nat.requirement import (
    NS,
    REQUIREMENTS,
    Requirement,
    Tally,
    has_died,
    tallies,
)
from gatemark.quantity import UNITS, words
from gatemark.store.record import Record
from gatemark.tell.answer.answer import Answer, Text
from gatemark.tell.group.source import Source
from gatemark.tell.words import column
from gatemark.tell.words.column import Column
from gatemark.tell.words.table import NONE, Table

ANCHOR: Final = "nat"
SUMMARY: Final = "Requirements for NAT, by RFC and number; recommended ones in brackets"
CAPTION: Final = "What is required of NAT; should: recommended alone"
LIVES: Final = "How long a mapping is alive while nothing comes; ≥: to the last look"
UNASKED: Final = "What is not asked of NAT, and why"
SHOWN: Final = "The packets that show it, of each setup's first trial"
TIMES: Final = tuple(name for name, unit in UNITS.items() if name[:4] == "nat_" and unit == "ns")


def tables(source: Source) -> list[tuple[str, Table]]:
    """Tables of those that were asked, of the times, and of those that were not asked."""
    records = _records(source)
    made = tallies(source.judgement.points, records)
    asked = [each for each in REQUIREMENTS if each.judge] if records else []
    unasked = [each for each in REQUIREMENTS if not each.judge] if records else []
    return [
        (ANCHOR, _summary(made)),
        (f"{ANCHOR}-each", _required(asked, records, list(made))),
        (f"{ANCHOR}-lives", _lives(records, list(made))),
        (f"{ANCHOR}-unasked", _unasked(unasked)),
    ]


def _records(source: Source) -> list[Record]:
    return [
        record
        for record in source.records
        if record.definition.quantity == NAT and record.status == "ok"
    ]


def _summary(made: Mapping[str, Tally]) -> Table:
    return column.table(
        SUMMARY,
        made.items(),
        Column("setup", lambda row: row[0]),
        Column("met", lambda row: row[1].words),
        Column("not met", lambda row: _listed(row[1].missed)),
    )


def _listed(missed: Sequence[Requirement]) -> str:
    """`4787: 5, (8), 9; 5382: 4`."""
    by_rfc: dict[int, list[str]] = {}
    for each in missed:
        by_rfc.setdefault(each.rfc, []).append(
            f"{each.number}" if each.is_must else f"({each.number})"
        )
    return "; ".join(f"{rfc}: {', '.join(numbers)}" for rfc, numbers in by_rfc.items()) or NONE


def _required(
    asked: Sequence[Requirement], records: Sequence[Record], arms: Sequence[str]
) -> Table:
    return column.table(
        CAPTION,
        asked,
        Column("requirement", lambda each: each.name),
        Column("what", lambda each: each.words),
        Column("", lambda each: "must" if each.is_must else "should"),
        *(Column(arm, partial(_met, records, arm)) for arm in arms),
    )


def _met(records: Sequence[Record], arm: str, required: Requirement) -> str:
    """`met`, `not met`, `met in 2 of 3`, or `idle too short`."""
    of_arm = [record for record in records if record.arm == arm]
    every = [required.met(record.values, record.definition.duration_s) for record in of_arm]
    judged = [met for met in every if met is not None]
    if not judged:
        there = all(name in record.values for record in of_arm for name in required.read)
        return "idle too short" if there else "cannot be told"
    if len(set(judged)) == 1:
        return "met" if judged[0] else "not met"
    return f"met in {sum(judged)} of {len(judged)}"


def _lives(records: Sequence[Record], arms: Sequence[str]) -> Table:
    there = [name for name in TIMES if any(name in record.values for record in records)]
    return column.table(
        LIVES,
        there,
        Column(
            "mapping", lambda name: words(name).removeprefix("time that ").replace("was alive ", "")
        ),
        *(Column(arm, partial(_alive, records, arm), is_number=True) for arm in arms),
    )


def _alive(records: Sequence[Record], arm: str, name: str) -> str:
    of_arm = [record for record in records if record.arm == arm and name in record.values]
    if not of_arm:
        return NONE
    record = min(of_arm, key=lambda record: record.values[name])
    alive_s = record.values[name] / NS
    least = "" if has_died(alive_s, record.definition.duration_s) else "≥ "
    return f"{least}{alive_s:.3g} s"


def _unasked(every: Sequence[Requirement]) -> Table:
    return column.table(
        UNASKED,
        every,
        Column("requirement", lambda each: each.name),
        Column("what", lambda each: each.words),
        Column("why", lambda each: each.reason),
    )


def _texts(source: Source) -> Iterator[Text]:
    """The packets behind each judgement, by setup."""
    first = {record.arm: record for record in reversed(_records(source))}
    lines = [
        f"{record.arm}, {each.name}: {record.evidence.nat[name]}"
        for record in first.values()
        for each in REQUIREMENTS
        for name in each.read
        if name in record.evidence.nat and name not in TIMES
    ]
    if lines:
        yield SHOWN, lines


KIND: Final = Answer(tables, texts=_texts)
