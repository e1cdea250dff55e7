# SPDX-License-Identifier: Apache-2.0
"""The outcome of a trial of names: rate, loss and times, of known and of new names."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.judge.math.nearest import percentile
from gatemark.kind.dns.load import loads
from gatemark.kind.dns.names import Part, Report
from gatemark.kind.dns.plan import DNS
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way

SHARES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
HOSTS: Final = ("LAN host", "WAN host")


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of names alone."""
    del load
    return replace(both, l4="udp", quantity=DNS, rate_layer="")


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values. Raises InvalidTrialError where the tester itself lost some."""
    del spec
    seen = raw.ways[0].sender
    for host, count in zip(HOSTS, seen["unread"], strict=True):
        if count:
            raise InvalidTrialError(f"the {host}'s own socket was full {count} times: ask less")
    return values(seen[DNS]), None


def values(report: Report) -> dict[str, float]:
    """Rate, shares and times of a report. Raises InvalidTrialError where nothing was asked."""
    asked = sum(part.sent for part in report.parts)
    if not asked or not report.seconds:
        raise InvalidTrialError("dnsperf ended without a report")
    answered = sum(len(part.took_ns) for part in report.parts)
    lost = sum(len(part.lost) for part in report.parts)
    named = {"dns_hit": report.hits, "dns_miss": report.misses}
    return {
        "dns_answered": answered / asked,
        "dns_per_s": answered / report.seconds,
        "dns_lost": lost / asked,
        "dns_refused": (asked - answered - lost) / asked,
        **({"dns_every": float(every)} if (every := report.every) else {}),
        **{name: value for sort, part in named.items() for name, value in _of(sort, part)},
    }


def _of(sort: str, part: Part) -> Iterator[tuple[str, float]]:
    if part.sent:
        yield f"{sort}_lost", len(part.lost) / part.sent
    for name, share in SHARES.items() if part.took_ns else ():
        yield f"{sort}_{name}_ns", percentile(part.took_ns, share)


def evidence(raw: Raw) -> Mapping[str, Any]:
    """The codes of answers that are errors, and how many there were."""
    report: Report = raw.ways[0].sender[DNS]
    codes = sum((part.codes for part in report.parts), start=report.hits.codes.__class__())
    return {"service": {f"code {code}": count for code, count in codes.items()}}


def series(way: Way) -> Series:
    """The time of each answer, by its place among those of its sort."""
    report: Report = way.sender[DNS]
    named = {"hit": report.hits, "miss": report.misses}
    return {
        f"dns.{name}.ns": ([*range(len(part.took_ns))], part.took_ns)
        for name, part in named.items()
        if part.took_ns
    }


KIND: Final = Kind(loads, define, outcome, series=series, evidence=evidence)
