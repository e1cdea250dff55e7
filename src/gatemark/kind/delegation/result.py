# SPDX-License-Identifier: Apache-2.0
"""The outcome of serving a prefix: when it was in use, and which renewals came through."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from statistics import median
from typing import Any, Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.kind.delegation.load import Served, loads
from gatemark.kind.delegation.message import REBIND, RENEW, REQUEST, SOLICIT, TIMES_S
from gatemark.kind.delegation.plan import DELEGATION
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition, Scalar

NS: Final = 1_000_000_000
LEASES: Final = (SOLICIT, REQUEST, RENEW, REBIND)
EARLY_NS, LATE_NS = 200_000_000, 500_000_000  # before and behind T2 it is T2 still


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of prefix delegation alone."""
    del load
    return replace(both, l4="", family="ipv6", quantity=DELEGATION, rate_layer="")


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values. Raises InvalidTrialError where nobody asks for a prefix."""
    served = _served(raw)
    if not served.asked:
        raise InvalidTrialError(
            f"nobody asks for a prefix on {spec.arm.setup}: write a feature such as pd:dhcpcd"
        )
    return dict(values(served)), None


def values(served: Served) -> Iterator[tuple[str, float]]:
    """Yield how long it was in use, and what became of the renewals."""
    up = min(served.answered, default=None)
    if up is None:
        yield "pd_held", 0.0
    else:
        yield "pd_up_ns", float(max(0, served.answered[up] - served.asked[0].at_ns))
        since = served.pings_ns[up:-1]  # the last one may be on its way
        held = sum(number in served.answered for number in range(up, up + len(since)))
        yield "pd_held", held / max(1, len(since))
        yield "pd_gap_ns", float(_gap_ns(served, up))
    fates = [*renewals(served)]
    if fates:
        yield "pd_renewed", sum(fate == "" for fate, _ in fates) / len(fates)
    if after_ns := [ns for fate, ns in fates if not fate]:
        yield "pd_renew_ns", float(median(after_ns))


def _gap_ns(served: Served, up: int) -> int:
    """Return for how long no question was answered, at the longest."""
    answered = [served.pings_ns[number] for number in sorted(served.answered) if number >= up]
    ends = [*answered, served.pings_ns[-1]]
    usual = (served.pings_ns[-1] - served.pings_ns[0]) // max(1, len(served.pings_ns) - 1)
    longest = max((after - before for before, after in pairwise(ends)), default=0)
    return longest if longest > 2 * usual else 0


def renewals(served: Served) -> Iterator[tuple[str, int]]:
    """Yield what became of each answer, "" of one that came through, and when that was seen, ns.

    A client that has its prefix is silent until it asks anew, by a Renew and before T2.
    """
    second_ns = round(TIMES_S[1] * NS)
    asked = [each for each in served.asked if each.kind in LEASES]
    for answered, then in pairwise(asked):
        if answered.kind == SOLICIT:
            continue
        after_ns = then.at_ns - answered.at_ns
        if then.kind == RENEW and then.xid != answered.xid:
            yield "", after_ns
        else:
            yield "unheard" if after_ns < second_ns - EARLY_NS else "unasked", after_ns
    if asked and served.end_ns - asked[-1].at_ns > second_ns + LATE_NS:
        yield "unasked", served.end_ns - asked[-1].at_ns


def evidence(raw: Raw) -> Mapping[str, Any]:
    """Return what became of the renewals."""
    return {"service": named(_served(raw))}


def named(served: Served) -> dict[str, Scalar]:
    """Return how many answers could be judged, how many were lost, and how most of these."""
    fates = [fate for fate, _ in renewals(served)]
    lost = Counter(fate for fate in fates if fate)
    return {
        "renewals": len(fates),
        "renewals lost": lost.total(),
        "renewals lost, how": lost.most_common(1)[0][0] if lost else "",
    }


def _served(raw: Raw) -> Served:
    served: Served = raw.ways[0].sender[DELEGATION]
    return served


KIND: Final = Kind(loads, define, outcome, evidence=evidence)
