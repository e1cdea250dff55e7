# SPDX-License-Identifier: Apache-2.0
"""What a gateway executes for a packet at a rate, by function: batches and all, rest taken off."""

from collections.abc import Iterable
from typing import Final

from gatemark.store.record import AtRate, Record
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic
from gatemark.tell.words.table import NONE, Table

MOST: Final = 40  # functions of a point


def folds(records: Iterable[Record]) -> list[tuple[str, Table]]:
    """A table for each arm and point, of its first trial that counted, with its anchor."""
    tables: dict[str, Table] = {}
    for record in records:
        seen = record.evidence.at_rate
        if record.status == "ok" and seen and seen.packets:
            words = (record.plan, record.arm, *map(str, record.point.values()))
            tables.setdefault(sweep.plain("-".join(("at-rate", *words))), _table(record, seen))
    return list(tables.items())


def _table(record: Record, seen: AtRate) -> Table:
    rest = seen.lasts_s / seen.idle_s if seen.idle_s else 0.0
    none = (0, 0)
    rows = []
    for name, (count, calls) in seen.functions.items():
        idle, idle_calls = seen.idle_functions.get(name, none)
        own, entered = count - idle * rest, calls - idle_calls * rest
        rows.append((own / seen.packets, entered / seen.packets, name))
    rows.sort(reverse=True)
    body = tuple(
        (name, number.plain(own, 1), number.plain(entered, 2)) for own, entered, name in rows[:MOST]
    )
    if left := rows[MOST:]:
        own = sum(amount for amount, _, _ in left)
        body += ((f"{len(left)} others", number.plain(own, 1), NONE),)
    value = record.values.get("instructions_at_rate", 0.0)
    at = f", {traffic.point(record.point)}" if record.point else ""
    caption = f"{record.arm}{at}: {number.plain(value, 0)} instructions a packet at a rate"
    return Table(caption, ("function", "instructions", "calls"), body, frozenset({1, 2}))
