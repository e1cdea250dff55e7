# SPDX-License-Identifier: Apache-2.0
"""What studies claim in words, tested on a run's own trials.

Of protocols: UDP carries less payload than TCP at the longest length; IPv6 may be faster than IPv4.
Of two levels of a factor: the same work in both, and more of a quantity in the second, or nothing
that counts. Claims on hardware and on the clock need several boxes (`gatemark cmp`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gatemark.plan.model import is_twin
from gatemark.stats.change.compare import compare
from gatemark.stats.math.interval import Interval
from gatemark.stats.point.group import Group, group, readings
from gatemark.stats.study import blocks
from gatemark.stats.study.blocks import Claim, Holds
from gatemark.store.record import Record, Scalar

UDP_LESS: Final = "UDP carries less payload than TCP, at the longest length"
IPV6_FASTER: Final = "IPv6 is faster than IPv4, at the longest length"
DIRECTIONS_ALIKE: Final = "both directions carry the same"
BUFFER_IDLE: Final = "a socket buffer of 256 KiB carries what a tuned one does"
SST_FASTER: Final = "a shape shifting trie looks up faster than a tree bitmap"
D2FA_PATTERNS: Final = "a delayed-input automaton is faster for patterns alone"
HFA_MIXED: Final = "a hybrid automaton is faster for patterns and expressions together"
ACTIVE_MORE: Final = "an active flow takes more memory than an idle one"
QUERY_FASTER: Final = "a Bloom filter is asked faster than it is filled"
# What a map of published values calls each.
NAMES: Final = {
    "udp-less": (UDP_LESS,),
    "ipv6-faster": (IPV6_FASTER,),
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

Samples = Mapping[tuple[str, str], Sequence[float]]  # protocol, family -> payload rates


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


def claims(records: Iterable[Record]) -> list[Claim]:
    """Each claim wherever both of its sides were measured at full speed."""
    lines: dict[tuple[str, str, str], dict[tuple[str, str], Group]] = {}
    groups = [g for g in group(records) if _counts(g)]
    for members in groups:
        definition = members.definition
        if not _is_sized(members):
            continue
        own = lines.setdefault((members.plan, members.arm, definition.direction), {})
        kind = definition.l4, definition.family
        own[kind] = max(own.get(kind, members), members, key=_length)
    protocols = [claim for where, own in lines.items() for claim in _tested(where, own)]
    levels = (claim for pair in PAIRS for claim in _pairs(pair, groups))
    return [*protocols, *levels, *_phases(groups)]


def _phases(groups: Iterable[Group]) -> Iterator[Claim]:
    """A filter's keys, asked for and put in, in the same trials."""
    for members in groups:
        if str(members.point.get("words.structure", "")).startswith("bf"):
            asked, put = (readings(members.outside, name) for name in ("query.ns", "insert.ns"))
            if asked and put:
                pair = Pair(QUERY_FASTER, "insert.ns", "phase", "query", "insert")
                yield _claim(pair, members, compare(asked, put).change)


def _counts(members: Group) -> bool:
    """Of a gateway, once, and as fast as it goes."""
    paced = any(members.point.get(name) for name in ("rate_pps", "rate_bps"))
    return members.definition.path != DIRECT and not is_twin(members.arm) and not paced


def _pairs(pair: Pair, groups: Iterable[Group]) -> Iterator[Claim]:
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
            first, second = (
                readings(own[at].outside, pair.quantity) for at in (pair.first, pair.second)
            )
            if first and second:
                yield _claim(pair, own[pair.second], compare(first, second).change)


def _claim(pair: Pair, members: Group, change: Interval) -> Claim:
    first = "tuned" if pair.first is None else pair.first
    return Claim(
        claim=pair.claim,
        plan=members.plan,
        arm=members.arm,
        direction=members.definition.direction,
        between=f"{pair.factor} {first} and {pair.second}",
        change=change,
        holds=_holds(change, pair.sign),
    )


def _holds(change: Interval, sign: int) -> Holds:
    if change.level < LEVEL:
        return "cannot be told"
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
    plan, arm, direction = where
    yield Claim(
        claim=text,
        plan=plan,
        arm=arm,
        direction=direction,
        between=between,
        change=change,
        holds=_holds(change, sign),
    )
