# SPDX-License-Identifier: Apache-2.0
"""Claims of studies in words, tested on a run's own trials.

Of protocols: UDP carries less payload than TCP at the longest length; IPv6 may be faster than IPv4.
Of two levels of a factor: the same work in both, and more of a quantity in the second, or nothing
that counts. Claims on hardware and on the clock need several boxes (`gatemark cmp`).
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gatemark.judge.change.compare import compare
from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.group import Group, group, readings
from gatemark.judge.study import blocks
from gatemark.judge.study.blocks import Claim, Holds
from gatemark.judge.subject import About
from gatemark.plan.model import is_twin
from gatemark.store.record import Record, Scalar

UDP_LESS: Final = "udp-less"
IPV6_FASTER: Final = "ipv6-faster"
RECEIVES_MORE: Final = "receives-more"
ENDPOINT_IPV6: Final = "endpoint-ipv6"
DIRECTIONS_ALIKE: Final = "directions-alike"
BUFFER_IDLE: Final = "buffer-idle"
SST_FASTER: Final = "sst-faster"
D2FA_PATTERNS: Final = "d2fa-patterns"
HFA_MIXED: Final = "hfa-mixed"
ACTIVE_MORE: Final = "active-more"
QUERY_FASTER: Final = "query-faster"
# By the name in a map of published values.
NAMES: Final = {
    "udp-less": (UDP_LESS,),
    "endpoint-ipv6": (ENDPOINT_IPV6,),
    "directions-alike": (DIRECTIONS_ALIKE,),
    "buffer-idle": (BUFFER_IDLE,),
    "sst-faster": (SST_FASTER,),
    "automata": (D2FA_PATTERNS, HFA_MIXED),
    "active-more": (ACTIVE_MORE,),
    "query-faster": (QUERY_FASTER,),
    **blocks.NAMES,
}
LEVEL: Final = 0.89  # of an interval that decides: three repeats of each side have 90 %
ALIKE: Final = 0.05  # a change within this is none, where a claim says that there is none
PAYLOAD: Final = {"tcp": "goodput_bps", "udp": "received_l4_bps"}
DIRECT: Final = "direct"
LIMITED: Final = "tester"
FEW: Final = "few"

Kind = tuple[str, str]  # protocol, family
Place = tuple[object, ...]  # plan, arm, and the levels of a point


class Verdict(NamedTuple):
    """The verdict on a claim: it holds or not, or why that cannot be told."""

    holds: Holds
    why: str


class Pair(NamedTuple):
    """A claim on two levels of a factor; all else of their points is the same."""

    claim: str
    quantity: str
    factor: str
    first: Scalar | None  # None: a point that lacks the factor
    second: Scalar
    sign: int = 1  # 1: the second has more; 0: the two are alike
    where: tuple[tuple[str, Scalar], ...] = ()  # other factors, with the level that they have


PAIRS: Final = (
    Pair(RECEIVES_MORE, PAYLOAD["tcp"], "direction", "send", "receive"),
    *(
        Pair(ENDPOINT_IPV6, PAYLOAD["udp"], "family", "ipv4", "ipv6", where=(("direction", way),))
        for way in ("send", "receive")
    ),
    Pair(DIRECTIONS_ALIKE, PAYLOAD["udp"], "direction", "up", "down", sign=0),
    Pair(BUFFER_IDLE, PAYLOAD["tcp"], "socket_buffer_bytes", None, 262144, sign=0),
    Pair(SST_FASTER, "ops_s", "words.structure", "tbm4", "sst7"),
    Pair(SST_FASTER, "ops_s", "words.structure", "tbm5", "sst15"),
    Pair(
        D2FA_PATTERNS, "ops_s", "words.engine", "hfa", "d2fa", where=(("words.patterns", "aut1"),)
    ),
    Pair(HFA_MIXED, "ops_s", "words.engine", "d2fa", "hfa", where=(("words.patterns", "aut2"),)),
    Pair(ACTIVE_MORE, "flow_bytes", "active_pps", 0, 5_000),
)


def claims(records: Iterable[Record], points: Iterable[PointResult] = ()) -> list[Claim]:
    """Each claim wherever both of its sides were measured at full speed.

    Where the tester was the bottleneck of a side, by these points, nothing can be told.
    """
    bounds = frozenset(_place(point) for point in points if point.at_least)
    lines: dict[tuple[str, str, str], dict[Kind, Group]] = {}
    groups = [g for g in group(records) if _counts(g)]
    for members in groups:
        definition = members.definition
        if not _is_sized(members):
            continue
        own = lines.setdefault((members.plan, members.arm, definition.direction), {})
        kind = definition.l4, definition.family
        own[kind] = max(own.get(kind, members), members, key=_length)
    protocols = [claim for own in lines.values() for claim in _tested(own, bounds)]
    levels = (claim for pair in PAIRS for claim in _pairs(pair, groups, bounds))
    return [*protocols, *levels, *_phases(groups)]


def _place(about: About) -> Place:
    return about.plan, about.arm, *sorted(about.point.items())


def _phases(groups: Iterable[Group]) -> Iterator[Claim]:
    """A filter's keys, asked for and put in, in the same trials."""
    for members in groups:
        if str(members.point.get("words.structure", "")).startswith("bf"):
            asked, put = (readings(members.outside, name) for name in ("query.ns", "insert.ns"))
            if asked and put:
                pair = Pair(QUERY_FASTER, "insert.ns", "phase", "query", "insert")
                change = compare(asked, put).change
                yield _claim(pair, members, change, _verdict(change, pair.sign))


def _counts(members: Group) -> bool:
    """Of a gateway, once, and as fast as it goes."""
    paced = any(members.point.get(name) for name in ("rate_pps", "rate_bps"))
    return members.definition.path != DIRECT and not is_twin(members.arm) and not paced


def _pairs(pair: Pair, groups: Iterable[Group], bounds: Container[Place]) -> Iterator[Claim]:
    """A claim at each two points that differ in its factor alone."""
    sides: dict[tuple[object, ...], dict[Scalar | None, Group]] = {}
    for members in groups:
        point = dict(members.point)
        level = point.pop(pair.factor, None)
        if dict(pair.where).items() <= point.items() and level in (pair.first, pair.second):
            key = members.plan, members.arm, tuple(sorted(point.items()))
            sides.setdefault(key, {})[level] = members
    for own in sides.values():
        if len(own) == 2:
            both = own[pair.first], own[pair.second]
            first, second = (readings(side.outside, pair.quantity) for side in both)
            if first and second:
                change = compare(first, second).change
                verdict = _judged(change, pair.sign, both, bounds)
                yield _claim(pair, own[pair.second], change, verdict)


def _claim(pair: Pair, members: Group, change: Interval, verdict: Verdict) -> Claim:
    first = "tuned" if pair.first is None else pair.first
    return Claim(
        claim=pair.claim,
        plan=members.plan,
        arm=members.arm,
        direction=members.definition.direction,
        between=f"{pair.factor} {first} and {pair.second}",
        change=change,
        holds=verdict.holds,
        why=verdict.why,
    )


def _judged(
    change: Interval, sign: int, sides: Iterable[Group], bounds: Container[Place]
) -> Verdict:
    if any(_place(side) in bounds for side in sides):
        return Verdict("cannot be told", LIMITED)
    return _verdict(change, sign)


def _verdict(change: Interval, sign: int) -> Verdict:
    if change.level < LEVEL:
        return Verdict("cannot be told", FEW)
    return Verdict(_holds(change, sign), "")


def _holds(change: Interval, sign: int) -> Holds:
    if not sign:
        inside = change.lo > -ALIKE and change.hi < ALIKE
        outside = change.hi < -ALIKE or change.lo > ALIKE
        return "holds" if inside else "does not hold" if outside else "cannot be told"
    low, high = sorted((sign * change.lo, sign * change.hi))
    return "holds" if low > 0 else "does not hold" if high < 0 else "cannot be told"


def _is_sized(members: Group) -> bool:
    """With a size that says how long a packet or a write is."""
    return members.definition.l4 in PAYLOAD and _length(members) > 0


def _length(members: Group) -> int:
    definition = members.definition
    return definition.write_bytes or definition.frame_bytes or 0


def _tested(own: Mapping[Kind, Group], bounds: Container[Place]) -> Iterator[Claim]:
    for family in ("ipv4", "ipv6"):
        sides = [own.get(("tcp", family)), own.get(("udp", family))]
        yield from _compared(UDP_LESS, family, sides, bounds, sign=-1)
    for l4 in PAYLOAD:
        sides = [own.get((l4, "ipv4")), own.get((l4, "ipv6"))]
        if len({_length(side) for side in sides if side}) == 1:
            yield from _compared(IPV6_FASTER, l4, sides, bounds, sign=1)


def _compared(
    text: str,
    between: str,
    sides: Sequence[Group | None],
    bounds: Container[Place],
    *,
    sign: int,
) -> Iterator[Claim]:
    members = [side for side in sides if side]
    first, second = ([] if side is None else _payload(side) for side in sides)
    if not first or not second:
        return
    change = compare(first, second).change
    verdict = _judged(change, sign, members, bounds)
    yield Claim(
        claim=text,
        plan=members[0].plan,
        arm=members[0].arm,
        direction=members[0].definition.direction,
        between=between,
        change=change,
        holds=verdict.holds,
        why=verdict.why,
    )


def _payload(members: Group) -> list[float]:
    return readings(members.outside, PAYLOAD[members.definition.l4])
