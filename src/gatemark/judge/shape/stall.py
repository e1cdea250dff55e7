# SPDX-License-Identifier: Apache-2.0
"""Stalls: loss and delay come in bursts, since the gateway stands still at times.

A silence of the sink is a stall if the sender did not pause meanwhile. Long ones are named by
themselves, short ones only beside the same tester without a gateway.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp, lgamma, log
from statistics import median
from typing import Final

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.sight import Sight, Sweep
from gatemark.store.record import Starved

LONG_MS, LONG_FEWEST, LONG_SHARE = 20.0, 3, 0.01
SHORT_MS, SHORT_FEWEST, SHORT_SHARE = 5.0, 10, 0.02
TIMES: Final = 3.0  # as many, and as long, as without a gateway
CHANCE: Final = 1e-4
GAPS: Final = 5.0  # mean gaps between arrivals: a silence is longer
WHOLE: Final = 0.9  # of a trial: that is no stall, nothing comes through
PERIODS: Final = 4  # intervals that a period needs
NEAR, MANY = 0.1, 0.8  # so near to a multiple, so many of the intervals

KEPT: Final = 0.05  # of the time it is ready to run and others have its CPU

NUMBER: Final = re.compile(r"pid \d+, ")  # each trial's program has another

Silence = tuple[float, float]


def find(sweep: Sweep) -> Iterator[Finding]:
    """Masks the time of each stall."""
    sights = sweep.sights
    least_ms = LONG_MS if _is_long(sights) else SHORT_MS
    is_seen = least_ms == LONG_MS or _is_short(sights, sweep.reference)
    if not is_seen and not _is_regular(sweep):
        yield from _kept_from_cpu(sights)
        return
    kept = {id(sight): [s for s in stalls(sight) if s[1] >= least_ms] for sight in sights}
    lengths = [length for silences in kept.values() for _, length in silences]
    is_dropping = _is_dropping(sights, kept)
    for sight in sights:
        for start, length in kept[id(sight)]:
            sight.mask(start, start + length)
            sight.stalled += 0.0 if is_dropping else length / 1000 / sight.seconds
    longest = [length for length in lengths if 2 * length >= max(lengths)]
    share = sum(lengths) / 1000 / sum(sight.seconds for sight in sights)
    period = period_ms(list(kept.values()))
    yield Finding(
        shape="stalls",
        fact=fact(
            "stalls.dropping" if is_dropping else "stalls",
            ms=median(longest),
            every=fact("every", ms=period) if period else None,
            share=share,
            longest=max(lengths),
            who=None if is_dropping else _who(sights),
        ),
        values={
            "stall_ms": median(longest),
            "longest_ms": max(lengths),
            "share": share,
            **({"period_ms": period} if period else {}),
        },
    )


def _kept_from_cpu(sights: Sequence[Sight]) -> Iterator[Finding]:
    """Find pieces too short for silences: who had the CPU while the gateway's thread was ready.

    The same program in nearly all trials: others come and go on a busy machine.
    """
    starved = [sight.record.evidence.starved for sight in sights]
    kept = [each for each in starved if each and each.who and each.share >= KEPT]
    shares = [each.share for each in kept]
    if max(Counter(map(_program, kept)).values(), default=0) < MANY * len(sights):
        return
    for sight, each in zip(sights, starved, strict=True):
        sight.stalled = each.share if each else 0.0
    yield Finding(
        shape="stalls",
        fact=fact("stalls.no-cpu", share=median(shares), who=_who(sights)),
        values={"share": median(shares)},
    )


def _is_dropping(sights: Sequence[Sight], kept: Mapping[int, Sequence[Silence]]) -> bool:
    """Return True if it took what was sent meanwhile, and dropped it.

    Where it stands still its queue is full, and refuses most. A card refuses nothing.
    """
    lost = refused = 0.0
    for sight in sights:
        loss, width = sight.loss, sight.loss.bin_ms
        for start, length in kept[id(sight)]:
            end = min(int((start + length) // width), len(loss.tried))
            whole = range(int(start // width) + 1, end)
            lost += sum(loss.lost[at] for at in whole)
            refused += sum(loss.refused[at] for at in whole)
    return lost > 0 and refused < lost / 2


def stalls(sight: Sight) -> list[Silence]:
    """Silences of the sink in the sending time, less those in which the sender paused."""
    loss, end_ms = sight.loss, sight.seconds * 1000
    # A limit of few packets a second is silent between them, and no stall.
    came_pps = (sight.tried - sight.lost) / sight.seconds
    least_ms = max(SHORT_MS, GAPS * 1000 / max(1.0, came_pps))
    first = 0 if 0 in sight.masked else -1  # what is lost until something is learnt is no stall
    silences = [(at, min(length, end_ms - at)) for at, length in loss.silences if at > first]
    silences += _last(sight)
    return [
        (start, length)
        for start, length in silences
        if length < WHOLE * end_ms and length - _paused(sight, start, start + length) >= least_ms
    ]


def _last(sight: Sight) -> Iterator[Silence]:
    """The silence that goes on until the end, if nothing explains it: no packet ends it."""
    loss = sight.loss
    after_ms = loss.bin_ms * (1 + max((at for at, n in enumerate(loss.arrived) if n), default=-1))
    if any(at * loss.bin_ms >= after_ms for at in sight.open):
        yield after_ms, sight.seconds * 1000 - after_ms


def _paused(sight: Sight, start: float, end: float) -> float:
    """How long the sender paused between two times, in ms."""
    spans = ((at, at + length) for at, length in sight.loss.pauses)
    return sum(max(0.0, min(end, to) - max(start, at)) for at, to in spans)


def _is_long(sights: Sequence[Sight]) -> bool:
    trials = [[s for s in stalls(sight) if s[1] >= LONG_MS] for sight in sights]
    total = sum(length for silences in trials for _, length in silences) / 1000
    return (
        sum(map(len, trials)) >= LONG_FEWEST
        and sum(map(bool, trials)) >= min(LONG_FEWEST, len(sights))
        and total >= LONG_SHARE * sum(sight.seconds for sight in sights)
    )


def _is_short(sights: Sequence[Sight], reference: Sequence[Sight]) -> bool:
    if not reference:
        return False
    count, total, seconds = _sums(sights)
    count0, total0, seconds0 = _sums(reference)
    if count < SHORT_FEWEST or total < SHORT_SHARE * seconds or not seconds0:
        return False
    often = count / seconds > TIMES * count0 / seconds0
    much = total / seconds > TIMES * total0 / seconds0
    return often and much and _tail(count, count + count0, seconds / (seconds + seconds0)) < CHANCE


def _is_regular(sweep: Sweep) -> bool:
    """Return True if short silences have a period, which those of a busy machine have not."""
    sights = [sight for level in sweep.levels if not level.is_full for sight in level.sights]
    trials = [stalls(sight) for sight in sights]
    count, total, seconds = _sums(sights)
    is_much = count >= SHORT_FEWEST and total >= SHORT_SHARE * seconds
    return is_much and 2 * sum(map(bool, trials)) >= len(trials) and period_ms(trials) is not None


def _sums(sights: Sequence[Sight]) -> tuple[int, float, float]:
    trials = [stalls(sight) for sight in sights]
    total = sum(length for silences in trials for _, length in silences) / 1000
    return sum(map(len, trials)), total, sum(sight.seconds for sight in sights)


def _tail(k: int, n: int, p: float) -> float:
    """That k or more of n silences fall into the share p of the time, by chance (binomial)."""
    return sum(
        exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) + (n - i) * log(1 - p))
        for i in range(k, n + 1)
    )


def period_ms(trials: Sequence[Sequence[Silence]]) -> float | None:
    """The period of stalls, by all trials in which one follows another; None: none."""
    intervals: list[float] = []
    for silences in trials:
        longest = max((length for _, length in silences), default=0.0)
        starts = [start for start, length in silences if 2 * length >= longest]
        intervals += [later - earlier for earlier, later in pairwise(starts)]
    if len(intervals) < PERIODS:
        return None
    period = median(intervals)
    near = [abs(gap - max(1, round(gap / period)) * period) <= NEAR * period for gap in intervals]
    return period if sum(near) >= MANY * len(near) else None


def _program(starved: Starved) -> str:
    return NUMBER.sub("", starved.who or "")


def _who(sights: Sequence[Sight]) -> Fact | None:
    """Who had the gateway's CPU meanwhile, by most of the trials that stood still."""
    starved = [sight.record.evidence.starved for sight in sights if sight.stalled]
    names = Counter(_program(each) for each in starved if each and each.who)
    name, count = next(iter(names.most_common(1)), ("", 0))
    return fact("stalls.who", name=name) if 2 * count > len(starved) else None
