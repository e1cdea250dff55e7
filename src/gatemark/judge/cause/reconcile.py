# SPDX-License-Identifier: Apache-2.0
"""What the tester saw lost beside what the gateway's counters say that it dropped.

    tried = unique + refused + tester's own + drops of each stage and of the line + remains
    tolerance = 2 + b T + 3 sqrt(b T)     b: drops/s at rest; T: s between both readings

A packet that two counters have is counted once: at the earlier stage, which names the cause.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gatemark.store.drops import (
    BACKLOG,
    INGRESS,
    IP,
    LINE,
    NEIGHBOUR,
    NETFILTER,
    NO_LOSS,
    QDISC,
    REFUSED,
    SOCKET,
    TESTER,
    Drop,
    Drops,
    Freed,
    Line,
)
from gatemark.store.record import Accounting, Record

LEAST: Final = 2  # packets that may be on their way or of others
SIGMAS: Final = 3
UNCOUNTED: Final = "uncounted"  # the cause of what a rule or policy without a counter dropped

# The kernel's reasons (include/net/dropreason-core.h), by the stage whose counters have the same.
REASONS: Final[Mapping[str, str]] = {
    "NETFILTER_DROP": NETFILTER,
    "XDP": INGRESS,
    "TC_INGRESS": INGRESS,
    "TC_EGRESS": INGRESS,
    "CPU_BACKLOG": BACKLOG,
    "QDISC_DROP": QDISC,
    "NEIGH_CREATEFAIL": NEIGHBOUR,
    "NEIGH_FAILED": NEIGHBOUR,
    "NEIGH_QUEUEFULL": NEIGHBOUR,
    "NEIGH_DEAD": NEIGHBOUR,
    "IP_INHDR": IP,
    "IP_RPFILTER": IP,
    "IP_OUTNOROUTES": IP,
    "IP_INNOROUTES": IP,
    "IP_INADDRERRORS": IP,
    "PKT_TOO_BIG": IP,
}
# Functions that free packets without a reason on some kernels.
UNNAMED: Final = ("", "NOT_SPECIFIED")
PLACES: Final[Mapping[str, str]] = {
    "ip_error": IP,  # no route, or one that says blackhole or unreachable
    "ip6_pkt_discard": IP,
    "nf_hook_slow": NETFILTER,
    "nft_do_chain": NETFILTER,
}


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What became of the packets that one trial, or several of one arm, lost."""

    tried: int
    lost: int  # tried less those delivered
    refused: int  # by the port that the tester sends from: with veth the gateway's queue was full
    own: int  # the tester's own: the sink's ring was full
    by_cause: tuple[Drop, ...]  # most packets first; each packet once
    remains: int  # in no counter; below zero: counted twice
    tolerance: float

    @property
    def agrees(self) -> bool:
        """Whether the counters explain the loss, and no more than it."""
        return abs(self.remains) <= self.tolerance


def name(drop: Drop) -> str:
    """What people call a cause: `nft rule "udp dport 5001 drop"`, `tbf at gw1`."""
    return f"{drop.cause} at {drop.where}" if drop.where and drop.stage != NETFILTER else drop.cause


def reconciled(record: Record) -> Reconciled | None:
    """One trial; nothing where packets or drops were not counted, or those of others with them."""
    accounting, drops = record.accounting, record.evidence.drops
    if accounting is None or drops is None or record.definition.beside:
        return None
    # Where the gateway itself is the receiver its own stack sees copies, and drops these.
    ignored = {SOCKET} if record.definition.path == "endpoint" else set()
    if line := record.evidence.line:  # what the gateway's port did not take from it
        accounting = replace(accounting, refused=accounting.refused + line.down.refused)
        drops = _with_line(drops, line)
    return reconcile(accounting, drops, record.evidence.freed, ignored)


def _with_line(drops: Drops, line: Line) -> Drops:
    """The gateway's counters, and the books of the emulated line. What it could not hand to the WAN
    host is the tester's own.
    """
    rows = [
        *(
            Drop(stage=LINE, cause="queue", where=f"the line, {way}", packets=books.dropped)
            for way, books in line.ways.items()
        ),
        *(
            Drop(stage=LINE, cause="chance", where=f"the line, {way}", packets=books.lost)
            for way, books in line.ways.items()
        ),
        Drop(stage=TESTER, cause="refused to the line", packets=line.up.refused),
    ]
    return replace(drops, causes=(*drops.causes, *(row for row in rows if row.packets)))


def reconcile(
    accounting: Accounting,
    drops: Drops,
    freed: Iterable[Freed] = (),
    ignored: Iterable[str] = (),
) -> Reconciled:
    """The equation above; `freed` are the kernel's reasons, where they were read."""
    left_out = {*NO_LOSS, *ignored}
    refused = max(accounting.refused, _tx_dropped(accounting))
    kept = [drop for drop in drops.causes if drop.stage not in left_out]
    counted = once(beyond(kept, refused))
    causes = [drop for drop in counted if drop.stage != TESTER]
    causes += uncounted(causes, freed)
    own = accounting.ring_dropped + _sum(drop for drop in counted if drop.stage == TESTER)
    expected = drops.background_pps * drops.lasts_s
    return Reconciled(
        tried=accounting.tried,
        lost=accounting.lost,
        refused=refused,
        own=own,
        by_cause=tuple(sorted(causes, key=lambda drop: -drop.packets)),
        remains=accounting.lost - refused - own - _sum(causes),
        tolerance=LEAST + expected + SIGMAS * math.sqrt(expected),
    )


def beyond(drops: Iterable[Drop], refused: int) -> list[Drop]:
    """Each counter less what the sender was refused, where it counts that again."""
    left, kept = refused, []
    for drop in drops:
        twice = min(drop.packets, left) if drop.counted_in == REFUSED else 0
        left -= twice
        if drop.packets > twice:
            kept.append(replace(drop, packets=drop.packets - twice))
    return kept


def once(drops: list[Drop]) -> list[Drop]:
    """Each counter less what others have that say it counts theirs again."""
    again: Counter[str] = Counter()
    for drop in drops:
        for cause in filter(None, drop.counted_in.split(",")):
            again[cause.strip()] += drop.packets
    single = []
    for drop in drops:
        twice = min(drop.packets, again[drop.cause])
        again[drop.cause] -= twice
        if drop.packets > twice:
            single.append(replace(drop, packets=drop.packets - twice))
    return single


def uncounted(drops: Iterable[Drop], freed: Iterable[Freed]) -> list[Drop]:
    """What the kernel freed for a stage's reasons beyond that stage's counters."""
    counted: Counter[str] = Counter()
    for drop in drops:
        counted[drop.stage] += drop.packets
    by_stage: dict[str, list[Freed]] = {}
    for row in freed:
        places = PLACES if row.reason in UNNAMED else {}
        if stage := REASONS.get(row.reason) or places.get(row.place):
            by_stage.setdefault(stage, []).append(row)
    gaps = []
    for stage, rows in by_stage.items():
        reasons = sorted({row.place if row.reason in UNNAMED else row.reason for row in rows})
        cause = UNCOUNTED if stage == NETFILTER else f"the kernel's {', '.join(reasons)}"
        gap = sum(row.packets for row in rows) - counted[stage]
        if gap > 0:
            gaps.append(Drop(stage=stage, cause=cause, packets=gap))
    return gaps


def together(trials: Iterable[Reconciled]) -> Reconciled | None:
    """Several trials as one; their tolerances add up."""
    several = list(trials)
    if not several:
        return None
    sums: dict[tuple[str, str, str], Drop] = {}
    for drop in (drop for trial in several for drop in trial.by_cause):
        key = drop.stage, drop.cause, drop.where
        packets = drop.packets + (sums[key].packets if key in sums else 0)
        sums[key] = replace(drop, packets=packets)
    return Reconciled(
        tried=sum(trial.tried for trial in several),
        lost=sum(trial.lost for trial in several),
        refused=sum(trial.refused for trial in several),
        own=sum(trial.own for trial in several),
        by_cause=tuple(sorted(sums.values(), key=lambda drop: -drop.packets)),
        remains=sum(trial.remains for trial in several),
        tolerance=sum(trial.tolerance for trial in several),
    )


def _tx_dropped(accounting: Accounting) -> int:
    """What the sending port dropped; a tap drops what it has taken, without refusing it."""
    rises = accounting.interfaces.items()
    return sum(count for counter, count in rises if counter.endswith(".tx_dropped"))


def _sum(drops: Iterable[Drop]) -> int:
    return sum(drop.packets for drop in drops)
