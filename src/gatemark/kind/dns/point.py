# SPDX-License-Identifier: Apache-2.0
"""Faults of a gateway's names: queries that are lost, refused or late below its limit."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import by_share
from gatemark.kind.dns.plan import KIND as RULES

LOST: Final = 0.005  # our choice: half of what an application calls bad (kind/application, dns)
LATE_NS: Final = 200e6  # our choice, as bad as there: a page asks for several names
FULL: Final = 0.9  # of a CPU: from there on it is overload, and no fault
RATE: Final = "rate_pps"


def find(groups: Sequence[Group]) -> Iterator[Finding]:
    """Name what is lost, refused or late at any rate that the gateway is no limit at."""
    calm = [group for group in groups if not _is_full(group)]
    yield from _lost(calm)
    refused = [(group, share) for group in calm if (share := _of(group, "dns_refused")) >= LOST]
    if refused:
        group, share = max(refused, key=lambda pair: pair[1])
        yield Finding(
            shape="lookups-refused",
            fact=fact("dns.refused", share=share, codes=_codes(group), at=_at(group)),
            values={"share": share},
        )
    for sort in ("hit", "miss"):
        times = [(_of(group, f"dns_{sort}_p95_ns"), group) for group in calm]
        if (late := max(times, key=lambda pair: pair[0], default=None)) and late[0] > LATE_NS:
            ns, group = late
            yield Finding(
                shape="lookups-late",
                fact=fact("dns.late", what=fact(f"dns.{sort}"), ns=ns, at=_at(group)),
                values={"late_ns": ns},
            )
            return


def _lost(groups: Sequence[Group]) -> Iterator[Finding]:
    losing = [group for group in groups if _of(group, "dns_lost") >= LOST]
    if not losing:
        return
    group = max(losing, key=lambda each: _of(each, "dns_lost"))
    share, every = _of(group, "dns_lost"), _of(group, "dns_every")
    whole = [_rate(each) for each in groups if _of(each, "dns_lost") < LOST and _rate(each)]
    below = [rate for rate in whole if rate < (_rate(group) or float("inf"))]
    hit, miss = (_of(group, f"dns_{sort}_lost") for sort in ("hit", "miss"))
    sort = "hit" if hit > 2 * miss + LOST else "miss" if miss > 2 * hit + LOST else "both"
    seen = fact(
        "dns.lost",
        share=share,
        at=_at(group),
        what=fact(f"dns.{sort}"),
        every=fact("dns.every", number=every) if every else None,
        below=fact("dns.below", rate=max(below)) if below else None,
    )
    yield Finding(
        shape="lookups-lost",
        fact=seen,
        values={"share": share},
    )


def _is_full(group: Group) -> bool:
    return max(_of(group, "program_cpu"), _of(group, "cpu_busy")) >= FULL


def _of(group: Group, quantity: str) -> float:
    """The middle of a value; 0 where it was not measured."""
    return middle(readings(group.outside, quantity)) or 0.0


def _rate(group: Group) -> float:
    return float(group.point.get(RATE) or 0.0) or _of(group, "dns_per_s")


def _at(group: Group) -> float:
    """The rate that was asked, queries/s."""
    answered = _of(group, "dns_answered")
    return float(group.point.get(RATE) or 0.0) or _of(group, "dns_per_s") / (answered or 1.0)


def _codes(group: Group) -> str:
    named = {name for trial in group.outside for name in trial.evidence.service}
    return ", ".join(sorted(name.removeprefix("code ") for name in named))


KIND: Final = replace(by_share(RULES), find=find)
