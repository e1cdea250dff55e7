# SPDX-License-Identifier: Apache-2.0
"""A gateway's memory under a load: what was left, and what its own programs held."""

from collections.abc import Iterable
from typing import Final

from gatemark.judge.point.group import Group, group, middle
from gatemark.store.record import Record
from gatemark.tell.words import number, traffic
from gatemark.tell.words.table import NONE, Table

ANCHOR: Final = "memory-left"
CAPTION: Final = "The gateway's memory while packets were sent: medians of the repeats"
HEAD: Final = ("setup", "point", "least left, MiB", "kernel's slabs, MiB", "its programs, KiB")
KIB, MIB = 1 << 10, 1 << 20


def table(records: Iterable[Record]) -> Table:
    """A row for each point whose memory was read, in the instrumented pass."""
    rows = tuple(_row(members) for members in group(records) if _readings(members))
    return Table(CAPTION, HEAD, rows, frozenset({2, 3, 4}))


def _readings(members: Group) -> list[dict[str, int]]:
    own = (record.evidence.memory for record in members.instrumented)
    return [memory for memory in own if memory]


def _row(members: Group) -> tuple[str, ...]:
    memory = _readings(members)
    held = [
        sum(program.memory_bytes for program in record.evidence.programs)
        for record in members.instrumented
        if record.evidence.programs
    ]
    return (
        f"{members.plan}: {members.arm}",
        traffic.point(members.point),
        _middle([reading["available_bytes"] for reading in memory], MIB),
        _middle([reading["slab_bytes"] for reading in memory if "slab_bytes" in reading], MIB),
        _middle(held, KIB),
    )


def _middle(counts: list[int], unit: int) -> str:
    value = middle(counts)
    return NONE if value is None else number.plain(value / unit, 1)
