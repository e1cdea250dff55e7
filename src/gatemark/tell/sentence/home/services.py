# SPDX-License-Identifier: Apache-2.0
"""Does the gateway serve its own hosts: names and addresses?"""

from collections.abc import Callable, Sequence
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.kind.adverts.plan import ADVERTS
from gatemark.kind.delegation.plan import DELEGATION
from gatemark.kind.dhcp.plan import DHCP
from gatemark.kind.dns.plan import DNS
from gatemark.plan.feature import DIRECT
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number

MOST: Final = 4  # arms that it says it of


def applies(case: Case) -> bool:
    """Return True where names or addresses were asked for."""
    return any(_is_of(point, DNS, DHCP, ADVERTS, DELEGATION) for point in case.judgement.points)


def say(case: Case) -> str:
    """Say of each arm how many a second, and how soon."""
    parts = {DNS: _names, DHCP: _addresses, ADVERTS: _adverts, DELEGATION: _prefix}
    return " ".join(filter(None, (_all(case, about, words) for about, words in parts.items())))


def _all(case: Case, about: str, words: Callable[[Sequence[PointResult]], str]) -> str:
    arms: dict[str, list[PointResult]] = {}
    for point in case.judgement.points:
        if _is_of(point, about) and point.values:
            arms.setdefault(point.arm, []).append(point)
    texts = [f"{arm} {text}" for arm, points in arms.items() if (text := words(points))]
    return f"{'; '.join(texts[:MOST])}." if texts else ""


def _names(points: Sequence[PointResult]) -> str:
    """Return the rate of cached names and of new ones, or that of both together."""
    hits, misses = _of_sort(points, "hit", "miss"), _of_sort(points, "miss", "hit")
    if hits or misses:
        parts = (_rate(hits, "hit", " from its cache"), _rate(misses, "miss", " of new names"))
        return f"answers {' and '.join(filter(None, parts))}"
    best = max(points, key=lambda p: _value(p, "dns_per_s"))
    return (
        f"answers {_per_s(best, 'dns_per_s')}, cached names{_within(best, 'dns_hit_p95_ns')} "
        f"and new ones{_within(best, 'dns_miss_p95_ns')}"
    )


def _of_sort(points: Sequence[PointResult], sort: str, other: str) -> list[PointResult]:
    """Return the points at which names of this sort alone were asked for."""
    lost, others = f"dns_{sort}_lost", f"dns_{other}_lost"
    return [p for p in points if lost in p.values and others not in p.values]


def _rate(points: Sequence[PointResult], sort: str, what: str) -> str:
    """`22 k queries/s from its cache (95 of 100 within 9 ms)`, of the fastest point."""
    if not points:
        return ""
    best = max(points, key=lambda p: _value(p, "dns_per_s"))
    return f"{_per_s(best, 'dns_per_s')}{what}{_within(best, f'dns_{sort}_p95_ns')}"


def _addresses(points: Sequence[PointResult]) -> str:
    best = max(points, key=lambda p: _value(p, "dhcp_leases_per_s"))
    rate = _per_s(best, "dhcp_leases_per_s").replace(" leases/s", "")
    text = f"leases {rate} addresses a second{_within(best, 'dhcp_lease_p95_ns')}"
    asked = [p.values["dhcp_renewed"].value for p in points if "dhcp_renewed" in p.values]
    if not asked:
        return text
    return f"{text} and renews {'all' if min(asked) == 1 else f'{100 * min(asked):.3g} %'}"


def _adverts(points: Sequence[PointResult]) -> str:
    worst = min(points, key=lambda p: _value(p, "ra_kept"))
    every, lasts_s = _value(worst, "ra_every_ns"), _value(worst, "ra_router_s")
    often = f" each {number.quantity(every, 'ns')}" if every else ""
    return f"says{often} that it is a router, for {lasts_s:g} s"


def _prefix(points: Sequence[PointResult]) -> str:
    worst = min(points, key=lambda p: _value(p, "pd_held"))
    held, renewed = (100 * _value(worst, name) for name in ("pd_held", "pd_renewed"))
    return f"keeps its delegated prefix {held:.3g} % of the time, {renewed:.3g} % of renewals come"


def _within(point: PointResult, name: str) -> str:
    ns = _value(point, name)
    return f" (95 of 100 within {number.quantity(ns, 'ns')})" if ns else ""


def _per_s(point: PointResult, name: str) -> str:
    own = point.values[name]
    return number.measured(
        own.value, own.lo, own.hi, "leases/s" if "lease" in name else "queries/s"
    )


def _value(point: PointResult, name: str) -> float:
    return point.values[name].value if name in point.values else 0.0


def _is_of(point: PointResult, *about: str) -> bool:
    return point.definition.quantity in about and point.definition.path != DIRECT
