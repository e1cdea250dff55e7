# SPDX-License-Identifier: Apache-2.0
"""What a study claims of the blocks of a packet's path, tested on the paths of a run.

    socket API | UDP | IP and routing | buffer handling | driver
       400 B: the same as with 1450 B | less than with 1450 B

Instructions are exact; times are samples, of which only a larger change tells.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal

import msgspec

from gatemark.judge.judgement import Travel
from gatemark.judge.math.interval import Interval

LARGEST: Final = "block-largest"
FIXED: Final = "blocks-fixed"
GROWING: Final = "blocks-growing"
NAMES: Final = {
    "block-largest": (LARGEST,),
    "blocks-fixed": (FIXED,),
    "blocks-growing": (GROWING,),
}
PAYLOAD: Final = "payload_bytes"
BUFFERS: Final = ("buffer handling", "memory and copies")  # skb, user copy and checksum there
ALIKE: Final = ("socket API", "UDP", "IP and routing")
MORE: Final = (BUFFERS, ("driver",))
BLOCKS: Final = (*((name,) for name in ALIKE), ("bridge",), ("neighbour",), *MORE)
ABSENT: Final = "netfilter-absent"  # the study's image was built without it
EXACT: Final = 0.05  # a change of instructions within this is none
SAMPLED: Final = 0.25  # one of times

Holds = Literal["holds", "does not hold", "cannot be told"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim at one setup in one direction."""

    claim: str
    plan: str
    arm: str
    direction: str
    between: str  # what is compared: IPv4, or TCP
    change: Interval  # of the second over the first, less one
    holds: Holds
    why: str = ""  # it cannot be told; empty: the interval has both answers in it


def claims(travels: Iterable[Travel]) -> Iterator[Claim]:
    """Of each send without netfilter; of two sizes together what grows and what does not."""
    sizes: dict[tuple[object, ...], list[Travel]] = {}
    for travel in travels:
        definition = travel.definition
        if definition.direction != "send" or ABSENT not in definition.features:
            continue
        yield _largest(travel)
        others = {name: level for name, level in travel.point.items() if name != PAYLOAD}
        key = travel.plan, travel.arm, *sorted(others.items())
        sizes.setdefault(key, []).append(travel)
    for members in sizes.values():
        ordered = sorted(members, key=lambda t: float(t.point.get(PAYLOAD, 0)))
        if len(ordered) > 1:
            yield from _sizes(ordered[0], ordered[-1])


def _largest(travel: Travel) -> Claim:
    """Buffer handling over the largest of the others."""
    own = _amount(travel, BUFFERS)
    most = max(_amount(travel, block) for block in BLOCKS if block != BUFFERS)
    change = own / most - 1 if most else 0.0
    return _claim(travel, LARGEST, f"{travel.point.get(PAYLOAD)} B", [change], _more)


def _sizes(small: Travel, large: Travel) -> Iterator[Claim]:
    between = f"{small.point[PAYLOAD]} and {large.point[PAYLOAD]} B"
    fixed = _changes(small, large, [(name,) for name in ALIKE])
    if fixed:
        yield _claim(large, FIXED, between, fixed, _same)
    growing = _changes(small, large, MORE)
    if growing:
        yield _claim(large, GROWING, between, growing, _more)


def _changes(small: Travel, large: Travel, blocks: Sequence[Sequence[str]]) -> list[float]:
    """Of each block that is there."""
    pairs = [(_amount(small, block), _amount(large, block)) for block in blocks]
    return [after / before - 1 for before, after in pairs if before]


def _amount(travel: Travel, names: Sequence[str]) -> int:
    return sum(part.amount for name, part in travel.subsystems.items() if name in names)


def _more(change: float, bound: float) -> Holds:
    return "holds" if change > bound else "does not hold" if change < -bound else "cannot be told"


def _same(change: float, bound: float) -> Holds:
    return "holds" if abs(change) <= bound else "does not hold"


def _claim(
    travel: Travel,
    text: str,
    between: str,
    changes: Sequence[float],
    rule: Callable[[float, float], Holds],
) -> Claim:
    """The worst of several blocks decides; of samples a larger change tells."""
    bound = EXACT if travel.in_order else SAMPLED
    verdicts = [rule(change, bound) for change in changes]
    worst = next(v for v in ("does not hold", "cannot be told", "holds") if v in verdicts)
    interval = Interval(changes[verdicts.index(worst)], min(changes), max(changes), 1, 0.0)
    return Claim(
        claim=text,
        plan=travel.plan,
        arm=travel.arm,
        direction=travel.definition.direction,
        between=between,
        change=interval,
        holds=worst,
    )
