# SPDX-License-Identifier: Apache-2.0
"""What remains: rates that do worse than both their neighbours, and loss that nothing explains."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from gatemark.judge.finding import Finding
from gatemark.judge.point.core import carrier
from gatemark.judge.point.limit import HALF
from gatemark.judge.shape.overload import is_over
from gatemark.judge.shape.sight import Level, Sight, Sweep, in_most
from gatemark.judge.shape.words import percent, pps

MORE: Final = 0.01  # lost than at both neighbours
LESS: Final = 0.95  # of what is received at both neighbours
EXCESS: Final = 0.01
CALM: Final = 0.85  # of its CPU


def not_monotone(sweep: Sweep) -> Iterator[Finding]:
    """A rate between two others that loses more, or receives less, than both, in most repeats."""
    rows = [_by_repeat(level) for level in sweep.levels]
    worse = [
        level.offered_pps
        for level, before, own, after in zip(
            sweep.levels[1:], rows, rows[1:], rows[2:], strict=False
        )
        if _is_worse(before, own, after)
    ]
    if worse:
        rates = ", ".join(pps(rate) for rate in worse)
        yield Finding(
            shape="not-monotone",
            words=f"Does worse at {rates} than at the rates below and above.",
            clause=f"does worse at {rates} than below and above",
            values={"rate_pps": worse[0]},
        )


def _by_repeat(level: Level) -> dict[tuple[int, int], Sight]:
    return {(sight.record.boot, sight.record.repeat): sight for sight in level.sights}


def _is_worse(
    before: dict[tuple[int, int], Sight],
    own: dict[tuple[int, int], Sight],
    after: dict[tuple[int, int], Sight],
) -> bool:
    common = [repeat for repeat in own if repeat in before and repeat in after]
    if len(common) < 2:
        return False
    threes = [(before[repeat], own[repeat], after[repeat]) for repeat in common]
    loses = [min(_left(o) - _left(b), _left(o) - _left(a)) >= MORE for b, o, a in threes]
    lacks = [
        0 < o.arrived_pps() < LESS * min(b.arrived_pps(), a.arrived_pps()) for b, o, a in threes
    ]
    return in_most(loses) or in_most(lacks)


def _left(sight: Sight) -> float:
    """Lost and not explained, those refused as well."""
    tried, lost, refused = sight.counts()
    return (lost + refused) / tried if tried else 0.0


def _is_late(sight: Sight) -> bool:
    """Whether what carries frames to a virtual machine's cards was kept from it so long.

    The share of the time is that of a vCPU that waits (`point/limit.py`).
    """
    reading, (tried, _, refused) = carrier([sight.record]), sight.counts()
    return reading is not None and 0 < HALF * refused <= reading.waiting * tried


def unexplained(levels: Sequence[Level], share: float) -> Iterator[Finding]:
    """The lowest rate whose loss nothing explains, where the CPU is not full.

    What a queue refuses while it recovers from a stall is that stall's. What it refuses while a
    virtual machine's emulator has no time to take it is the tester's (`tester-limited`).
    """
    for level in levels:
        each = [
            sight.inside_share if sight.stalled or _is_late(sight) else _left(sight)
            for sight in level.sights
        ]
        left, busy = median(each), level.busy
        is_much = in_most([part > max(EXCESS, share / 4) for part in each])
        if not is_much or is_over(level):
            continue
        if busy is not None and busy >= CALM:
            continue
        cpu = "CPU not read" if busy is None else f"CPU {percent(busy)}"
        rises = ", rising with the rate" if len(levels) > 1 and level is not levels[0] else ""
        lower = "" if len(levels) > 1 else "; a lower rate would say whether it is load"
        yield Finding(
            shape="unexplained",
            words=f"{percent(left)} lost at {pps(level.offered_pps)}{rises}, {cpu}: "
            f"not explained{lower}.",
            clause=f"loses {percent(left)} at {pps(level.offered_pps)} without explanation",
            values={"share": left, "rate_pps": level.offered_pps},
        )
        return
