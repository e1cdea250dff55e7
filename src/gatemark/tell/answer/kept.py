# SPDX-License-Identifier: Apache-2.0
"""Packets that were kept of trials in which something was odd: files to open in Wireshark."""

from collections.abc import Sequence

from gatemark.store.record import Record
from gatemark.tell.words import traffic
from gatemark.tell.words.table import NONE, Table

ANCHOR = "packets"
CAPTION = "Kept packets, around what was lost, late or doubled: a comment names each"
HEAD = ("plan", "setup", "point", "repeat", "lost", "file")


def table(records: Sequence[Record]) -> Table:
    """One line for each trial that has some."""
    rows = tuple(_row(record) for record in records if record.packets)
    return Table(CAPTION, HEAD, rows, frozenset({3, 4}))


def _row(record: Record) -> tuple[str, ...]:
    books = record.accounting
    return (
        record.plan,
        record.arm,
        traffic.point(record.point) or NONE,
        str(record.repeat),
        str(books.lost) if books else NONE,
        f"packets/{record.packets}",
    )
