# SPDX-License-Identifier: Apache-2.0
"""A closer look at a limit of length: which frame is the longest that comes, and what ICMP said.

The trials of a plan tell it between two of its sizes. Those of the pass `closer` send the sizes in
between (run/closer.py), so the two come closer to each other, until they are neighbours.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Diagnosis, Finding
from gatemark.judge.point.sweep import others
from gatemark.judge.shape.sizes import ALL, SOME
from gatemark.store.drops import ICMP, Drops
from gatemark.store.record import Record, Scalar
from gatemark.unit import ETHERNET_BYTES, SMALLEST_FRAME_BYTES

SIZED: Final = frozenset({"frame_bytes", "payload_bytes", "mix"})  # factors that are a size
TOO_LARGE: Final = frozenset({"FragFails", "Ip6InTooBigErrors"})  # RFC 4293: and not to be cut
REPORTS: Final = frozenset({"Icmp.OutDestUnreachs", "Icmp6OutPktTooBigs"})
UNREPORTED: Final = fact("size.unreported")


@dataclass(frozen=True, slots=True)
class Limit:
    """Frames of `most` bytes come through, those of `beyond` bytes do not; both with FCS."""

    most: int
    beyond: int

    @property
    def is_exact(self) -> bool:
        """Return whether no size is between them."""
        return self.beyond - self.most <= 1


@dataclass(frozen=True, slots=True)
class Looked:
    """A diagnosis with a limit of length, and the closer looks at it so far."""

    diagnosis: Diagnosis
    finding: Finding
    looks: tuple[Record, ...]

    @property
    def limit(self) -> Limit:
        """As all of them have it."""
        values = self.finding.values
        limit = Limit(int(values["frame_bytes"]), int(values["beyond_bytes"]))
        for look in self.looks:
            limit = _narrowed(limit, look, self.diagnosis.direction)
        return limit


def looked(diagnoses: Sequence[Diagnosis], records: Sequence[Record]) -> Iterator[Looked]:
    """Every diagnosis that has a limit of length."""
    for diagnosis in diagnoses:
        for finding in diagnosis.findings:
            if "beyond_bytes" in finding.values:
                looks = (r for r in _own(diagnosis, records) if r.pass_ == "closer")
                yield Looked(diagnosis, finding, tuple(looks))


def completed(diagnoses: Sequence[Diagnosis], records: Sequence[Record]) -> tuple[Diagnosis, ...]:
    """The diagnoses, with what the closer looks and the gateway's counters say of a limit."""
    renewed = {id(each.finding): _completed(each, records) for each in looked(diagnoses, records)}
    return tuple(
        replace(each, findings=tuple(renewed.get(id(f), f) for f in each.findings))
        for each in diagnoses
    )


def is_of(diagnosis: Diagnosis, plan: str, arm: str, point: Mapping[str, Scalar]) -> bool:
    """Whether a trial is of the same arm and the same factors, but rate and size."""
    same = (plan, arm) == (diagnosis.plan, diagnosis.arm)
    return same and _unsized(point) == _unsized(diagnosis.point)


def _own(diagnosis: Diagnosis, records: Sequence[Record]) -> Iterator[Record]:
    return (r for r in records if is_of(diagnosis, r.plan, r.arm, r.point))


def _unsized(point: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The factors of a point but its rate and its size."""
    return {name: level for name, level in others(point) if name not in SIZED}


def _narrowed(limit: Limit, look: Record, direction: str) -> Limit:
    """By the sizes of a trial; as it was where these contradict each other."""
    shares = {
        int(size): lost / tried
        for loss in look.evidence.loss
        if loss.direction == direction
        for size, (tried, lost) in loss.by_size.items()
        if tried
    }
    came = [size for size, share in shares.items() if share <= SOME]
    whole = [size for size, share in shares.items() if share >= ALL]
    narrowed = Limit(max([limit.most, *came]), min([limit.beyond, *whole]))
    return narrowed if narrowed.most < narrowed.beyond else limit


def _completed(each: Looked, records: Sequence[Record]) -> Finding:
    limit = each.limit
    own = each.looks or tuple(_own(each.diagnosis, records))
    report = _reported([drops for record in own if (drops := record.evidence.drops)])
    shape = each.finding.shape
    code, mtu = "size.reported", limit.most - ETHERNET_BYTES
    if limit.most < SMALLEST_FRAME_BYTES[each.diagnosis.definition.family]:
        report = None if report == UNREPORTED else report  # no size is suspected
        code = "size.none" if limit.is_exact else code
    elif limit.is_exact:
        shape, code = "some-sizes", "size.exact"
    elif shape == "nothing":
        shape, code = "some-sizes", "size.between"
    seen = fact(
        code,
        finding=each.finding.fact,
        most=limit.most,
        beyond=limit.beyond,
        mtu=mtu,
        report=report,
    )
    values = {"frame_bytes": float(limit.most), "beyond_bytes": float(limit.beyond)}
    return replace(each.finding, shape=shape, fact=seen, values=values)


def _reported(readings: Sequence[Drops]) -> Fact | None:
    """What the gateway's counters and its ICMP say of packets that are too large."""
    if not readings:
        return None
    causes = [cause for drops in readings for cause in drops.causes]
    large = sum(cause.packets for cause in causes if cause.cause in TOO_LARGE)
    sent = sum(c.packets for c in causes if c.stage == ICMP and c.cause in REPORTS)
    if not large:
        return UNREPORTED
    return fact("size.icmp" if sent else "size.no-icmp", large=large, sent=sent)
