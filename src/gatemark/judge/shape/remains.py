# SPDX-License-Identifier: Apache-2.0
"""What remains: loss that a rate triggers, rates that do worse than both their neighbours, and loss
that nothing explains.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from math import comb
from statistics import median
from typing import Final

from gatemark.judge.fact import fact, several
from gatemark.judge.finding import Finding
from gatemark.judge.point.core import carrier
from gatemark.judge.point.limit import HALF
from gatemark.judge.shape.limiter import is_limited, is_of_bytes
from gatemark.judge.shape.over_run import in_order
from gatemark.judge.shape.overload import is_over
from gatemark.judge.shape.sight import MOST, Level, Sight, Sweep, in_most

MORE: Final = 0.01  # lost than at both neighbours
LESS: Final = 0.95  # of what is received at both neighbours
EXCESS: Final = 0.01
CALM: Final = 0.85  # of its CPU
MUCH: Final = 0.03  # lost by what a rate triggers
TENTH: Final = 0.1  # of it may be lost before
LIKE: Final = 0.25  # of it two rates differ by
AFTER: Final = 2  # trials after such a rate, and as many others
WAYS: Final = 15  # to choose as many trials: by chance they are the soonest so rarely


def triggered(sweep: Sweep, *, is_outlasting: bool = False) -> Iterator[Finding]:
    """Find loss from a rate on that is the same share at all rates beyond; explains it.

    It may outlast such a trial (with `is_outlasting` it does): then lower rates lose as well, soon
    after it. Of a rate in between some trials may lose.
    """
    if is_limited(sweep, 0.0) or is_of_bytes(sweep):
        return
    places = ((at - gap, at) for at in range(1, len(sweep.levels)) for gap in (0, 1) if at > gap)
    for below, place in places:
        low, between, high = (
            [*sweep.levels[:below]],
            [sight for level in sweep.levels[below:place] for sight in level.sights],
            [*sweep.levels[place:]],
        )
        share = median(sight.inside_share for level in high for sight in level.sights)
        if share < MUCH or not all(_loses(level, share) for level in high):
            continue
        is_before = all(level.inside_share <= TENTH * share for level in low)
        lossy = [] if is_before else _after(sweep, low, share)
        is_clear = is_before and not is_outlasting and sum(not lvl.is_full for lvl in high) > 1
        if not lossy and not is_clear:
            continue
        for sight in [*(s for level in high for s in level.sights), *lossy]:
            sight.explained += share
        for sight in between:
            sight.explained += sight.inside_share
        yield _triggered(share, low[-1].offered_pps, high[0].offered_pps, is_after=bool(lossy))
        return


def _loses(level: Level, share: float) -> bool:
    """Return True if most trials do; those with a full CPU vary, so half of them."""
    near = [abs(sight.inside_share - share) <= LIKE * share for sight in level.sights]
    return in_most(near, HALF if level.is_full else MOST)


def _after(sweep: Sweep, low: Sequence[Level], share: float) -> list[Sight]:
    """The trials at these lower rates that lose, if it is those that ran after a higher one."""
    own = {id(sight) for level in low for sight in level.sights}
    since, ages = float("-inf"), []
    for sight in (s for s in in_order(sweep) if s.record.started):
        begun_s = datetime.fromisoformat(sight.record.started).timestamp()
        if id(sight) in own:
            ages.append((begun_s - since, sight))
        else:
            since = begun_s + sight.seconds
    lossy = [age for age, sight in ages if sight.inside_share >= TENTH * share]
    if min(len(lossy), len(ages) - len(lossy)) < AFTER or comb(len(ages), len(lossy)) < WAYS:
        return []
    # Those that lose come after the higher rate, the sooner ones.
    soon = [sight for age, sight in ages if age <= max(lossy)]
    is_most = in_most([sight.inside_share >= TENTH * share for sight in soon])
    return soon if is_most and max(lossy) < float("inf") else []


def _triggered(share: float, below: float, beyond: float, *, is_after: bool) -> Finding:
    code = "triggered.after" if is_after else "triggered"
    return Finding(
        shape="triggered",
        fact=fact(code, share=share, rate=beyond, below=below),
        values={"share": share, "rate_pps": beyond},
    )


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
        yield Finding(
            shape="not-monotone",
            fact=fact("not-monotone", rates=several(fact("rate", rate=rate) for rate in worse)),
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
        is_rising = len(levels) > 1 and level is not levels[0]
        yield Finding(
            shape="unexplained",
            fact=fact(
                "unexplained",
                share=left,
                rate=level.offered_pps,
                rises=fact("unexplained.rises") if is_rising else None,
                cpu=fact("cpu.unread") if busy is None else fact("cpu", busy=busy),
                lower=None if len(levels) > 1 else fact("unexplained.lower"),
            ),
            values={"share": left, "rate_pps": level.offered_pps},
        )
        return
