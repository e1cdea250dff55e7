# SPDX-License-Identifier: Apache-2.0
"""Faults of a gateway's leases: hosts without one, leases that end, addresses of two."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding, Shape
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import by_share
from gatemark.kind.dhcp.plan import KIND as RULES
from gatemark.kind.dhcp.plan import TRIES
from gatemark.store.record import Record

LATE_NS: Final = 4e9  # RFC 2131, section 4.1: a host asks again after four seconds
SHAPES: Final[dict[str, Shape]] = {
    "not leased": "not-leased",
    "not renewed": "not-renewed",
    "shared": "shared-lease",
}
OF: Final = {"not leased": "hosts", "not renewed": "leases", "shared": "leases"}


def find(groups: Sequence[Group]) -> Iterator[Finding]:
    """Name what most trials of a rate show; the worst trial of them says who."""
    for what, shape in SHAPES.items():
        shown = [trial for group in groups for trial in _showing(group, what)]
        if shown:
            worst = max(shown, key=lambda trial: _share(trial, what))
            share = _share(worst, what)
            yield Finding(shape=shape, fact=_fact(what, worst), values={"share": share})
    waits = [middle(readings(group.outside, "dhcp_lease_p95_ns")) or 0.0 for group in groups]
    if (ns := max(waits, default=0.0)) > LATE_NS:
        seen = fact("dhcp.late", ns=ns, limit=LATE_NS)
        yield Finding(shape="late-leases", fact=seen, values={"late_ns": ns})


def _showing(group: Group, what: str) -> list[Record]:
    shown = [trial for trial in group.outside if _count(trial, what)]
    return shown if 2 * len(shown) >= len(group.outside) else []


def _fact(what: str, trial: Record) -> Fact:
    seen = trial.evidence.service
    how = str(seen.get("not renewed, how") or "silent")
    return fact(
        f"dhcp.{SHAPES[what]}",
        count=float(_count(trial, what)),
        of=float(_of(trial, what)),
        who=str(seen.get(f"{what}, who", "")),
        how=fact(f"dhcp.{how}", asked=float(TRIES)),
    )


def _share(trial: Record, what: str) -> float:
    return _count(trial, what) / max(1, _of(trial, what))


def _count(trial: Record, what: str) -> int:
    return int(trial.evidence.service.get(what, 0) or 0)


def _of(trial: Record, what: str) -> int:
    return int(trial.evidence.service.get(OF[what], 0) or 0)


KIND: Final = replace(by_share(RULES), find=find)
