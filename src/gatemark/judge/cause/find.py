# SPDX-License-Identifier: Apache-2.0
"""Which causes of the table apply to an arm: a counter rose by more than chance and the clean run.

A cause is named where most trials at one rate of sending show it. What overload, a shaper or a
line does as well is no fault there; and what a plan asked for is none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.judge.cause.count import (
    Count,
    counts,
    mark,
    matching,
    packet_bytes,
    sent,
)
from gatemark.judge.cause.table import CAUSES, Cause
from gatemark.judge.fact import fact
from gatemark.judge.finding import LOSSLESS, Diagnosis, Finding, Shape
from gatemark.judge.point.core import busiest, busiest_inside, carrier
from gatemark.judge.point.sweep import RATES, common
from gatemark.judge.subject import Subject
from gatemark.plan.feature import shaped_ways, writes_dscp
from gatemark.plan.kind import ABOUT
from gatemark.store.record import Record, Scalar

FEWEST: Final = 5  # packets: fewer are those of hosts that meet
UNKNOWN: Final = 100  # packets, where it is not known of how many
FLOOR: Final = 0.001  # of what was sent: as much as the lab's own hiccups
OF_LOAD: Final = 0.01  # of what a queue may drop in a short stall
OF_TCP: Final = 0.1  # of TCP: it fills every queue, and its losses are how it finds a rate
HALF: Final = 0.5  # of the trials, or of a loss
CALM: Final = 0.85  # of a CPU, and of what carries a virtual machine's frames
ALL: Final = 0.999
# What is sought there is what a gateway drops, or a table that is full.
SOUGHT: Final = ("burst", "held rate", "throughput", "concurrent flows", "reset time")
LIMITS: Final = {"policer", "shaper"}
TABLES: Final = {"no-entry", "full-table"}
# Shapes that say which packets are lost, and causes that say where.
WHICH: Final = {
    *("some-flows", "some-sizes", "over-time", "constant-share", "stalls", "triggered"),
    *("one-direction", "one-family", "one-level"),
}
WHERE: Final = {"rule", "queue", "ingress"}
# Shapes whose share is one of all packets, or can be made one; two shares of the same packets
# differ by no more than that factor.
OF_ALL: Final = {"some-flows", "constant-share", "stalls"}
SAME: Final = 1.4

Place = tuple[str, str, str, tuple[tuple[str, Scalar], ...]]


@dataclass(frozen=True, slots=True)
class Sight:
    """A cause in one trial."""

    record: Record
    packets: int
    share: float  # of what was sent
    where: str


def named(diagnoses: Sequence[Diagnosis], records: Iterable[Record]) -> tuple[Diagnosis, ...]:
    """The diagnoses, with what counters name; of arms without one, too."""
    made = list(diagnoses)
    for place, trials in _places(records).items():
        if not (findings := list(_findings(trials))):
            continue
        own = next((at for at, diagnosis in enumerate(made) if _of(diagnosis) == place), None)
        if own is not None:
            made[own] = _with(made[own], findings)
            continue
        again = {shape for each in made if _is_way(each, place) for shape in _told_by(each)}
        if more := tuple(finding for finding in findings if finding.shape not in again):
            subject = Subject.of(trials[0]).at(dict(place[3]))
            made.append(Diagnosis(subject=subject, direction=place[2], findings=more))
    return tuple(made)


def _of(diagnosis: Diagnosis) -> Place:
    return (diagnosis.plan, diagnosis.arm, diagnosis.direction, common(diagnosis.point))


def _places(records: Iterable[Record]) -> dict[Place, list[Record]]:
    """The valid trials of each arm through a gateway, by what they have in common but the rate."""
    places: dict[Place, list[Record]] = {}
    for record in records:
        own = record.definition
        if record.status != "ok" or own.path == "direct" or own.quantity in SOUGHT:
            continue
        place = (record.plan, record.arm, own.direction, common(record.point))
        places.setdefault(place, []).append(record)
    return places


def _with(diagnosis: Diagnosis, findings: Sequence[Finding]) -> Diagnosis:
    """The diagnosis with these, but what a limit has told, and without what these explain."""
    again = _told_by(diagnosis)
    more = [f for f in findings if f.shape not in again]
    if (flows := diagnosis.get("some-flows")) and (entry := _named("no-entry", more)):
        more = [f for f in more if f.shape not in TABLES]
        whole = _without_entry(flows, entry, diagnosis.definition.path)
        diagnosis = _renewed(diagnosis, flows, whole)
    which = [f for f in diagnosis.findings if f.shape in WHICH]
    which = which or [f for f in diagnosis.findings if f.shape in LIMITS]
    same = [(own, where) for own in which for where in more if _is_same(own, where)]
    if len(same) == 1:
        ((own, where),) = same
        more.remove(where)
        diagnosis = _renewed(
            diagnosis, own, replace(own, fact=fact("with", finding=own.fact, more=where.fact))
        )
    explained = sum(f.values["share"] for f in more if f.shape not in LOSSLESS)
    kept = [f for f in diagnosis.findings if not _is_explained(f, explained)]
    return replace(diagnosis, findings=(*kept, *more))


def _is_way(diagnosis: Diagnosis, place: Place) -> bool:
    """Return True if it is of one direction of trials that load both, which share counters."""
    plan, arm, direction, point = place
    key = (diagnosis.plan, diagnosis.arm, diagnosis.definition.direction, common(diagnosis.point))
    return direction == "both" and key == (plan, arm, direction, point)


def _told_by(diagnosis: Diagnosis) -> set[Shape]:
    """The counters that its shapes tell already."""
    shapes = {finding.shape for finding in diagnosis.findings}
    again: set[Shape] = {"queue"} if shapes & LIMITS else set()  # that the limit is made by
    if any("beyond_bytes" in finding.values for finding in diagnosis.findings):
        again.add("too-large")
    if diagnosis.get("corruption"):
        again |= {"checksum", "headers"}
    return again


def _is_same(which: Finding, counted: Finding) -> bool:
    """Return True if a counter has the packets that a shape tells of: as large a share of all."""
    if counted.shape in LOSSLESS:
        return False
    share = which.values.get("share", 0.0)
    if "of_flows" in which.values:
        share *= which.values["flows"] / which.values["of_flows"]
    low, high = sorted((share, counted.values["share"]))
    is_as_large = which.shape in OF_ALL and high <= SAME * low
    return is_as_large or (counted.shape in WHERE and which.shape != "stalls")


def _renewed(diagnosis: Diagnosis, old: Finding, new: Finding) -> Diagnosis:
    findings = tuple(new if finding is old else finding for finding in diagnosis.findings)
    return replace(diagnosis, findings=findings)


def _named(shape: Shape, findings: Sequence[Finding]) -> Finding | None:
    return next((finding for finding in findings if finding.shape == shape), None)


def _without_entry(flows: Finding, entry: Finding, path: str) -> Finding:
    """Flows that lose all, with why: one fault, one row."""
    code = "flows.no-port" if path == "nat" else "flows.no-entry"
    seen = fact(code, finding=flows.fact, packets=entry.values["packets"])
    return replace(flows, fact=seen)


def _is_explained(finding: Finding, share: float) -> bool:
    """Return True if a shape says no more than that share of loss: all, or without explanation."""
    if finding.shape == "nothing":
        return share >= ALL
    return finding.shape == "unexplained" and share >= HALF * finding.values["share"]


def _findings(trials: Sequence[Record]) -> Iterator[Finding]:
    levels: dict[tuple[Scalar, ...], list[tuple[Record, dict[str, Count]]]] = {}
    for record in trials:
        rate = tuple(level for name, level in record.point.items() if name in RATES)
        levels.setdefault(rate, []).append((record, counts(record)))
    risen = [level for level in levels.values() if any(counted for _, counted in level)]
    shapes: set[Shape] = set()
    for cause in CAUSES:
        seen = [sight for level in risen if (sight := _seen(cause, level))]
        if seen and cause.shape not in shapes:
            shapes.add(cause.shape)
            yield _finding(cause, max(seen, key=lambda sight: sight.share))


def _seen(cause: Cause, level: Sequence[tuple[Record, dict[str, Count]]]) -> Sight | None:
    """The middle one of the trials that show it; None: less than half do, of those that read it."""
    read = [(record, counted) for record, counted in level if _reads(cause, record, counted)]
    shown = [sight for record, counted in read if (sight := _sight(cause, record, counted))]
    if not shown or len(shown) < HALF * len(read):
        return None
    middle = median(sight.packets for sight in shown)
    return min(shown, key=lambda sight: abs(sight.packets - middle))


def _reads(cause: Cause, record: Record, counted: Mapping[str, Count]) -> bool:
    """Return True if a trial read a cause's counters; older ones read the table in one pass."""
    if cause.shape == "full-table":
        return bool(record.evidence.conntrack or matching(counted, cause.counters))
    return record.evidence.drops is not None or cause.shape == "changed-marks"


def _sight(cause: Cause, record: Record, counted: Mapping[str, Count]) -> Sight | None:
    rows = matching(counted, cause.counters, cause.without)
    whole, less = sum(row.packets for row in rows), matching(counted, cause.less)
    packets = whole - sum(row.packets for row in less)
    if packets <= _chance(record) or not _applies(cause, record, counted):
        return None
    of = sent(record)
    where = max(rows, key=lambda row: row.packets).where
    if of is None:  # of HTTP, which fills queues as TCP does
        rules = ABOUT.get(record.definition.quantity)
        if cause.shape == "no-route" and rules and rules.asks_besides:
            return None
        is_many = packets >= UNKNOWN and not cause.by_load
        return Sight(record, packets, 0.0, where) if is_many else None
    share = packets / max(of, packets) if record.accounting else packets / (packets + of)
    if share <= _floor(cause, record) or (cause.shape == "too-large" and _passes(record, share)):
        return None
    return Sight(record, packets, share, where)


def _chance(record: Record) -> float:
    """The most packets that say nothing: a few, and what is dropped at rest as well."""
    drops = record.evidence.drops
    return FEWEST + (2 * drops.background_pps * drops.lasts_s if drops else 0.0)


def _applies(cause: Cause, record: Record, counted: Mapping[str, Count]) -> bool:
    if cause.needs and not matching(counted, cause.needs):
        return False
    if matching(counted, cause.lacks):
        return False
    if cause.shape == "changed-marks" and writes_dscp(record.definition.features):
        return False
    return not cause.by_load or _is_calm(record)


def _is_calm(record: Record) -> bool:
    """Return True if no overload, shaper or line that a plan asks for makes a queue drop."""
    own = record.definition
    if own.packets or own.line or shaped_ways(own.features):
        return False
    core = busiest([record]) or busiest_inside([record])
    carried = carrier([record])
    if core is None or core.busy >= CALM:
        return False
    return carried is None or carried.busy + carried.waiting < CALM


def _floor(cause: Cause, record: Record) -> float:
    if not cause.by_load:
        return FLOOR
    return OF_LOAD if record.accounting else OF_TCP


def _passes(record: Record, share: float) -> bool:
    """Return True if the sender of packets that were too large learnt it: they became shorter."""
    size, mtu = packet_bytes(record), _least_mtu(record)
    if size is not None and mtu is not None and mtu < size:
        return False
    return share < OF_TCP


def _least_mtu(record: Record) -> int | None:
    drops = record.evidence.drops
    return min(drops.mtu.values(), default=None) if drops else None


def _finding(cause: Cause, sight: Sight) -> Finding:
    record, size = sight.record, packet_bytes(sight.record)
    port, mtu = _narrow(record)
    return Finding(
        shape=cause.shape,
        fact=fact(
            f"counter.{cause.code or cause.shape}",
            packets=sight.packets,
            share=sight.share,
            where=sight.where,
            mark=mark(record),
            tcp=record.definition.l4 == "tcp",
            bytes=size,
            port=port if size and mtu < size else None,
            mtu=mtu,
        ),
        values={"share": sight.share, "packets": float(sight.packets)},
    )


def _narrow(record: Record) -> tuple[str, int]:
    """Return the port that takes the least, and its MTU."""
    drops = record.evidence.drops
    mtu = drops.mtu if drops else {}
    port = min(mtu, key=lambda name: mtu[name], default="")
    return port, mtu.get(port, 0)
