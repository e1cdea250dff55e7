# SPDX-License-Identifier: Apache-2.0
"""What the study of boards claims of protocols, tested on a run's own trials.

UDP carries less payload than TCP at the longest length; IPv6 may be faster than IPv4. Its claims
on hardware and on the clock need several boxes (`gatemark cmp`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from gatemark.plan.model import is_twin
from gatemark.stats.change.compare import compare
from gatemark.stats.math.interval import Interval
from gatemark.stats.point.group import Group, group, readings
from gatemark.store.record import Record

UDP_LESS: Final = "UDP carries less payload than TCP, at the longest length"
IPV6_FASTER: Final = "IPv6 is faster than IPv4, at the longest length"
PAYLOAD: Final = {"tcp": "goodput_bps", "udp": "received_l4_bps"}
DIRECT: Final = "direct"

Holds = Literal["holds", "does not hold", "cannot be told"]
Samples = Mapping[tuple[str, str], Sequence[float]]  # protocol, family -> payload rates


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim at one setup in one direction."""

    claim: str
    plan: str
    arm: str
    direction: str
    between: str  # what is compared: IPv4, or TCP
    change: Interval  # of the second over the first, less one
    holds: Holds


def claims(records: Iterable[Record]) -> list[Claim]:
    """Each claim wherever both of its sides were measured at full speed."""
    lines: dict[tuple[str, str, str], dict[tuple[str, str], Group]] = {}
    for members in group(records):
        definition = members.definition
        if definition.path == DIRECT or is_twin(members.arm) or not _is_full(members):
            continue
        own = lines.setdefault((members.plan, members.arm, definition.direction), {})
        kind = definition.l4, definition.family
        own[kind] = max(own.get(kind, members), members, key=_length)
    return [claim for where, own in lines.items() for claim in _tested(where, own)]


def _is_full(members: Group) -> bool:
    """As fast as it goes, with a size that says how long a packet or a write is."""
    paced = any(members.point.get(name) for name in ("rate_pps", "rate_bps"))
    return not paced and members.definition.l4 in PAYLOAD and _length(members) > 0


def _length(members: Group) -> int:
    definition = members.definition
    return definition.write_bytes or definition.frame_bytes or 0


def _tested(where: tuple[str, str, str], own: Mapping[tuple[str, str], Group]) -> Iterator[Claim]:
    rates = {kind: readings(point.outside, PAYLOAD[kind[0]]) for kind, point in own.items()}
    for family in ("ipv4", "ipv6"):
        pair = ("tcp", family), ("udp", family)
        yield from _compared(where, UDP_LESS, family, rates, pair, sign=-1)
    for l4 in PAYLOAD:
        lengths = {_length(own[l4, family]) for family in ("ipv4", "ipv6") if (l4, family) in own}
        if len(lengths) == 1:
            yield from _compared(
                where, IPV6_FASTER, l4, rates, ((l4, "ipv4"), (l4, "ipv6")), sign=1
            )


def _compared(
    where: tuple[str, str, str],
    text: str,
    between: str,
    rates: Samples,
    pair: tuple[tuple[str, str], tuple[str, str]],
    *,
    sign: int,
) -> Iterator[Claim]:
    first, second = (rates.get(kind) for kind in pair)
    if not first or not second:
        return
    change = compare(first, second).change
    low, high = sorted((sign * change.lo, sign * change.hi))
    plan, arm, direction = where
    yield Claim(
        claim=text,
        plan=plan,
        arm=arm,
        direction=direction,
        between=between,
        change=change,
        holds="holds" if low > 0 else "does not hold" if high < 0 else "cannot be told",
    )
