# SPDX-License-Identifier: Apache-2.0
"""Interrupts of each queue, by the CPU that took them."""

from collections.abc import Iterable

from gatemark.judge.point.interrupts import queues
from gatemark.store.record import Record
from gatemark.tell.words import number
from gatemark.tell.words.table import NONE, Table

CAPTION = "Interrupts while packets were sent, by queue: how many, and which CPU took most"


def table(records: Iterable[Record]) -> Table:
    """A row for each queue of each setup."""
    rows = []
    for queue in queues(records):
        (cpu, most), total = queue.counts.most_common(1)[0], queue.counts.total()
        share = number.quantity(most / total, "ratio")
        rows.append((queue.arm, queue.name, f"{total}", cpu, share, queue.affinity or NONE))
    head = ("setup", "queue", "interrupts", "CPU", "its share", "may run on")
    return Table(CAPTION, head, tuple(rows), frozenset({2}))
