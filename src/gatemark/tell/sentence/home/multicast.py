# SPDX-License-Identifier: Apache-2.0
"""The times at which groups come and stop, and who gets them besides."""

from collections.abc import Iterator

from gatemark.judge.judgement import PointResult
from gatemark.kind.multicast.plan import MULTICAST
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number, traffic
from gatemark.tell.words.figure import upper

WHOLE, NONE, FLOODED = 0.999, 0.001, 0.01


def applies(case: Case) -> bool:
    """Return True where groups were joined."""
    return any(point.definition.quantity == MULTICAST for point in case.judgement.points)


def say(case: Case) -> str:
    """Say of each setup when groups come and stop; the same of several once."""
    points = [point for point in case.judgement.points if "forwarded_share" in point.values]
    texts: dict[str, list[str]] = {}
    for point in points:
        texts.setdefault(", ".join(_words(point)), []).append(_who(point))
    parts = [f"{' and '.join(dict.fromkeys(names))}: {words}" for words, names in texts.items()]
    return f"{upper('; '.join(parts))}." if parts else ""


def _who(point: PointResult) -> str:
    """`listens, IPv6`, `proxy, 20 groups`."""
    its = point.definition
    many = f", {its.flows} groups" if its.flows > 1 else ""
    return f"{point.arm}{f', {traffic.FAMILY[its.family]}' if its.family != 'ipv4' else ''}{many}"


def _words(point: PointResult) -> Iterator[str]:
    values = {name: interval.value for name, interval in point.values.items()}
    if (share := values["forwarded_share"]) < NONE:
        yield "no packet comes to the member"
        return
    if share < WHOLE:
        yield f"{number.quantity(share, 'ratio')} of the packets come"
    if values["flooded_share"] > FLOODED:
        yield "a group comes to everybody"
    if "join_ns" in values:
        yield f"comes {_time(values['join_ns'])} after a member joins"
    if "leave_ns" in values:
        yield f"stops {_time(values['leave_ns'])} after it left"


def _time(ns: float) -> str:
    return number.quantity(ns, "ns")
