# SPDX-License-Identifier: Apache-2.0
"""The counters of one trial under the names of the table, and what they are a share of."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from gatemark.counter import VALUES
from gatemark.judge.cause.reconcile import beyond, name, once
from gatemark.store.drops import LINE, SOCKET, TESTER, Drop
from gatemark.store.record import Definition, Record
from gatemark.unit import ETHERNET_BYTES

MSS: Final = "mss_bytes"
TABLE: Final = ("drop", "early_drop", "insert_failed")
EVENTS: Final = ("early_drop",)  # that cost no packet
TCP_OPTIONS_BYTES: Final = 12  # time stamps (RFC 7323): both hosts are Linux, which asks for them
TCP_HEADERS_BYTES: Final[Mapping[str, int]] = {"ipv4": 20 + 20, "ipv6": 40 + 20}


@dataclass(frozen=True, slots=True)
class Count:
    """A counter that rose, and where: its rule, its queue, its port."""

    packets: int
    where: str = ""


def counts(record: Record) -> dict[str, Count]:
    """All counters of a trial that rose, each packet once."""
    drops = {_key(drop): Count(drop.packets, name(drop)) for drop in _drops(record)}
    # The instrumented pass reads the table by itself; older records have early_drop there alone.
    counted = {drop.cause for drop in record.evidence.drops.causes} if record.evidence.drops else ()
    alone = EVENTS if any(f"conntrack {which}" in counted for which in TABLE[::2]) else TABLE
    table = {
        f"{'event' if which in EVENTS else 'netfilter'}.conntrack {which}": Count(count)
        for which in alone
        if (count := record.evidence.conntrack.get(which, 0))
    }
    freed: dict[str, Count] = {}
    for row in record.evidence.freed:
        key = f"freed.{row.reason}"
        before = freed[key].packets if key in freed else 0
        freed[key] = Count(before + row.packets, row.place)
    risen = dict.fromkeys(VALUES, 0.0)
    for key, value in record.values.items():
        if (counter := key.rpartition(".")[2]) in risen:
            risen[counter] += value
    counters = {f"record.{name}": Count(int(total)) for name, total in risen.items() if int(total)}
    return table | drops | freed | counters


def matching(
    counted: Mapping[str, Count], names: Collection[str], without: Collection[str] = ()
) -> list[Count]:
    """The counters of the first names and of none of the others; `*` stands for any text."""
    return [
        count
        for key, count in counted.items()
        if any(is_named(key, name) for name in names)
        and not any(is_named(key, name) for name in without)
    ]


def is_named(key: str, name: str) -> bool:
    """Return True if a counter has this name, or fits it."""
    return fnmatchcase(key, name)


def sent(record: Record) -> float | None:
    """Packets that a trial sent through the gateway, about; None: not known.

    Of TCP those that came, and those that were sent again.
    """
    parts = [part.accounting for part in record.parts.values()]
    counts = [count.tried for count in (record.accounting, *parts) if count]
    segments = _segments(record)
    if counts or segments is not None:
        return sum(counts) + (segments or 0.0)
    values = record.values
    if (rate := values.get("connections_per_s")) is not None:
        return rate * record.definition.duration_s
    return values.get("connections", values.get("flows"))


def packet_bytes(record: Record) -> int | None:
    """The longest packets that a trial sends, IP; None: of several sizes, or not known.

    Of TCP those of the MSS that its sender had at the end: one that learnt the path's MTU sends
    shorter ones.
    """
    headers = TCP_HEADERS_BYTES[record.definition.family] + TCP_OPTIONS_BYTES
    sizes = [int(mss) + headers for mss in _each(record, MSS)]
    frames = [d.frame_bytes for d in _definitions(record) if d.frame_bytes]
    return max([*sizes, *(frame - ETHERNET_BYTES for frame in frames)], default=None)


def mark(record: Record) -> int | None:
    """The mark that all packets were sent with; None: they have several."""
    several = record.parts or record.definition.l4 == "replay"
    return None if several else record.definition.dscp


def _drops(record: Record) -> Sequence[Drop]:
    drops, accounting = record.evidence.drops, record.accounting
    if drops is None:
        return ()
    # Where the gateway itself is the receiver its own stack sees copies, and drops these.
    others = {TESTER, LINE} | ({SOCKET} if record.definition.path == "endpoint" else set())
    kept = [drop for drop in drops.causes if drop.stage not in others]
    return once(beyond(kept, accounting.refused if accounting else 0))


def _key(drop: Drop) -> str:
    return f"{drop.stage}.{drop.cause}"


def _segments(record: Record) -> float | None:
    goodput, mss = record.values.get("goodput_bps"), record.values.get(MSS)
    if record.definition.l4 != "tcp" or not mss:
        return None
    came = (goodput or 0.0) * record.definition.duration_s / 8 / mss
    return came + record.values.get("retransmits", 0.0)


def _each(record: Record, quantity: str) -> Iterator[float]:
    """A quantity of all workloads of a trial."""
    owned = f".{quantity}"
    for key, value in record.values.items():
        if key == quantity or key.endswith(owned):
            yield value


def _definitions(record: Record) -> Iterator[Definition]:
    yield record.definition
    yield from (part.definition for part in record.parts.values())
