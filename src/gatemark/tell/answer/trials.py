# SPDX-License-Identifier: Apache-2.0
"""Tables straight from the trials: interrupts, memory, where packets went, which were kept."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from gatemark.judge.cause.reconcile import Reconciled, reconciled, together
from gatemark.judge.point.group import Group, middle
from gatemark.judge.point.interrupts import Queue, queues
from gatemark.plan.kind import ABOUT
from gatemark.store.record import Record
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.drop import name
from gatemark.tell.words.figure import grouped
from gatemark.tell.words.table import NONE, Table

KIB, MIB = 1 << 10, 1 << 20
MOST = 5  # causes of a setup; what is left is one row
FEW = 1e-4  # of what was lost: not worth a row

Part = tuple[str, str, int]  # stage, cause, packets
ODD: Final = "Kept packets, around what was lost, late or doubled: a comment names each"
WHOLE: Final = "Kept packets; packets/flows.csv says which flow is of what"
Lost = tuple[str, str, Reconciled, Part]  # plan, setup, all of its losses, one cause


def interrupts(records: Iterable[Record]) -> Table:
    """A row for each queue of each setup: how many, and the CPU that took most."""

    def share(queue: Queue) -> str:
        return number.quantity(queue.counts.most_common(1)[0][1] / queue.counts.total(), "ratio")

    return column.table(
        "Interrupts while packets were sent, by queue: how many, and which CPU took most",
        queues(records),
        Column("setup", lambda queue: queue.arm),
        Column("queue", lambda queue: queue.name),
        column.number("interrupts", lambda queue: f"{queue.counts.total()}"),
        Column("CPU", lambda queue: queue.counts.most_common(1)[0][0]),
        Column("its share", share),
        Column("may run on", lambda queue: queue.affinity or NONE),
    )


def memory(groups: Iterable[Group]) -> Table:
    """A row for each point whose memory was read, in the instrumented pass."""
    return column.table(
        "The gateway's memory while packets were sent: medians of the repeats",
        [members for members in groups if _memory(members, "available_bytes")],
        Column("setup", lambda members: f"{members.plan}: {members.arm}"),
        Column("point", lambda members: traffic.point(members.point)),
        column.number("least left, MiB", lambda m: _middle(_memory(m, "available_bytes"), MIB)),
        column.number("kernel's slabs, MiB", lambda m: _middle(_memory(m, "slab_bytes"), MIB)),
        column.number("its programs, KiB", lambda members: _middle(_programs(members), KIB)),
    )


def _memory(members: Group, name: str) -> list[int]:
    read = (record.evidence.memory for record in members.instrumented)
    return [memory[name] for memory in read if memory and name in memory]


def _programs(members: Group) -> list[int]:
    return [
        sum(program.memory_bytes for program in record.evidence.programs)
        for record in members.instrumented
        if record.evidence.programs
    ]


def _middle(counts: list[int], unit: int) -> str:
    value = middle(counts)
    return NONE if value is None else number.plain(value / unit, 1)


def kept(records: Sequence[Record]) -> Table:
    """A row for each trial whose packets are kept: a file to open in Wireshark."""
    captured = [record for record in records if record.packets]
    rules = [ABOUT.get(record.definition.quantity) for record in captured]
    is_whole = bool(captured) and all(each and each.is_captured for each in rules)
    return column.table(
        WHOLE if is_whole else ODD,
        captured,
        Column("plan", lambda record: record.plan),
        Column("setup", lambda record: record.arm),
        Column("point", lambda record: traffic.point(record.point) or NONE),
        column.number("repeat", lambda record: str(record.repeat)),
        column.number("lost", lambda r: str(r.accounting.lost) if r.accounting else NONE, None),
        Column("file", lambda record: f"packets/{record.packets}"),
    )


def drops(records: Iterable[Record]) -> Table:
    """A row for each cause of each setup that lost more than the tolerance."""
    return column.table(
        "Where the lost packets went",
        _lost(records),
        Column("plan", lambda row: row[0]),
        Column("setup", lambda row: row[1]),
        Column("stage", lambda row: row[3][0]),
        Column("cause", lambda row: row[3][1]),
        column.number("packets", lambda row: grouped(row[3][2])),
        Column("of those lost", lambda row: number.quantity(row[3][2] / row[2].lost, "ratio")),
    )


def _lost(records: Iterable[Record]) -> Iterator[Lost]:
    by_setup: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.status == "ok":
            by_setup.setdefault((record.plan, record.arm), []).append(record)
    for (plan, arm), trials in by_setup.items():
        whole = together(filter(None, map(reconciled, _best(trials))))
        if whole and whole.lost > whole.tolerance:
            parts = (part for part in _parts(whole) if abs(part[2]) > FEW * whole.lost)
            yield from ((plan, arm, whole, part) for part in parts)


def _best(records: list[Record]) -> list[Record]:
    """The trials with the kernel's reasons, where there are any."""
    reasoned = [record for record in records if record.evidence.freed]
    return reasoned or [record for record in records if record.pass_ == "outside"]


def _parts(whole: Reconciled) -> Iterator[Part]:
    """Refused, the tester's, the largest causes, and what is left."""
    yield "port in", "refused to the sender: the gateway's queue was full", whole.refused
    yield "tester", "the sink's own", whole.own
    for drop in whole.by_cause[:MOST]:
        yield drop.stage, name(drop), drop.packets
    yield "several", "other causes", sum(drop.packets for drop in whole.by_cause[MOST:])
    if not whole.agrees:
        words = "in no counter" if whole.remains > 0 else "counted, but not lost"
        yield "none", words, whole.remains
