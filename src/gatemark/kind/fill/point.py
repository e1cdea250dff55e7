# SPDX-License-Identifier: Apache-2.0
"""The end of the fill of a gateway's table of flows: ordered rules."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from gatemark.judge.judgement import Limit
from gatemark.judge.point.group import Group
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import LOW_MEMORY, Verdict
from gatemark.kind.fill.plan import FILL
from gatemark.store.record import Record, Scalar

FULL: Final = 0.99  # of the table: entries come and go while it is read
THERE: Final = 0.99  # of the flows that were let through, those that still have an entry
# Ports that a masquerade may take for its one address to one destination and port, as the sources
# of our flows lie above 1023 (net/netfilter/nf_nat_core.c, get_unique_tuple()).
MASQUERADED: Final = 64_512
# Of these ports: the kernel tries some hundred for a flow, so the first failed at 88 % of them.
SPENT: Final = 0.8


@dataclass(frozen=True, slots=True)
class End:
    """The end of the shortest fill of a point."""

    asked: int
    came: int  # flows whose packet came through, in the order in which they were opened
    lost: int  # of the step in which it ended
    own_memory: bool
    killed: bool  # the gateway's kernel had to kill a process: the ballast
    servers: int
    table: dict[str, int]
    memory: dict[str, int]


def decide(trials: Group) -> Verdict:
    """Return what broke first."""
    if not trials.outside:
        return Verdict("unknown", "no valid trial")
    end = _end(min(trials.outside, key=lambda record: record.values.get("flows", 0.0)))
    for limit, rule in RULES:
        if why := rule(end):
            return Verdict(limit, why)
    return Verdict("unknown", f"flow {end.came + 1} did not come through")


def _end(record: Record) -> End:
    seen = record.evidence.fill

    def number(name: str) -> int:
        value: Scalar = seen.get(name, 0)
        return int(value)

    return End(
        asked=number("asked"),
        came=number("came"),
        lost=number("lost"),
        own_memory=bool(seen.get("own_memory", False)),
        killed=bool(seen.get("killed", False)),
        servers=number("servers"),
        table=record.evidence.conntrack,
        memory=record.evidence.memory,
    )


def _full(end: End) -> str | None:
    entries, most = end.table.get("entries", 0), end.table.get("max", 0)
    if not most or entries < FULL * most or (entries >= THERE * end.asked and not end.lost):
        return None
    evicted, dropped = end.table.get("early_drop", 0), end.table.get("drop", 0)
    return (
        f"the table was full: {entries} of at most {most} entries (nf_conntrack_max); "
        f"{evicted} older ones made room (early_drop), {dropped} packets were dropped"
    )


def _memory(end: End) -> str | None:
    total, available = end.memory.get("total_bytes", 0), end.memory.get("available_bytes", 0)
    left = f"memory: {available >> 10} KiB of {total >> 10} were available"
    if end.killed:
        return f"{left}, and the kernel killed a process for more, after {end.came} flows"
    if not end.own_memory or not end.lost or not total or available > LOW_MEMORY * total:
        return None
    return f"{left} when flow {end.came + 1} did not come through"


def _chains(end: End) -> str | None:
    if not (number := end.table.get("chainlength", 0)):
        return None
    text = f"{number} entries found their hash chain too long (chainlength): "
    return text + "raise nf_conntrack_buckets"


def _ports(end: End) -> str | None:
    if not (failed := end.table.get("insert_failed", 0)):
        return None
    room = MASQUERADED * max(1, end.servers)
    ports = f": out of ports, of which there are {room}" if end.came >= SPENT * room else ""
    return f"{failed} flows found no free address and port (insert_failed){ports}"


def _dropped(end: End) -> str | None:
    dropped = end.table.get("drop", 0)
    return f"conntrack dropped {dropped} packets" if end.lost and dropped else None


def _gone(end: End) -> str | None:
    """Entries that timed out before the end, or were thrown out."""
    entries = end.table.get("entries", 0)
    if not end.table or entries >= THERE * end.came:
        return None
    evicted = end.table.get("early_drop", 0)
    how = f"{evicted} were thrown out (early_drop)" if evicted else "the others had timed out"
    return f"only {entries} of {end.came} flows had an entry at once: {how}"


def _nothing(end: End) -> str | None:
    if end.lost or end.killed:
        return None
    room = f", of at most {end.table['max']} (nf_conntrack_max)" if "max" in end.table else ""
    return f"all {end.asked} that were asked for were held{room}"


RULES: Final[tuple[tuple[Limit, Callable[[End], str | None]], ...]] = (
    ("flow-table", _full),
    ("memory", _memory),
    ("flow-table", _chains),
    ("flow-table", _ports),
    ("flow-table", _dropped),
    ("flow-table", _gone),
    ("none", _nothing),
)


KIND: Final = Judge(
    quantities={FILL: "flows at once"},
    decide=lambda trials, _: decide(trials),
    is_rate=False,
    is_bounded=False,
)
