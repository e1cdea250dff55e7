# SPDX-License-Identifier: Apache-2.0
"""Loss over the trial's time: from the same time into most trials on more is lost, or less.

A timer, a quota, a table that fills, heat. A policer whose bucket is empty, and a queue that is
full, begin at a time as well; but what they let through is the same at every rate.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import pairwise
from math import log, sqrt
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.limiter import FLAT, RISES, is_of_bytes
from gatemark.judge.shape.sight import Level, Sight, Sweep, in_most

BLOCKS: Final = 20  # of a trial
EDGE: Final = 2  # blocks that either part has at least
MORE, SIGMAS = 0.01, 6.0  # that one part loses, of what it sent, and beyond chance
STEADY: Final = 0.8  # of the blocks of the part that loses lose at least half of its mean
CLEAN: Final = 0.1  # of the blocks of the other part may
FEWEST: Final = 10.0  # losses that a block of the part that loses has in the mean
AGAIN: Final = 0.1  # of a trial: as far apart are two rates' times at most
UNLIKE: Final = 1.3  # ratio of the times that a bucket or a queue would have at two rates
EARLIEST: Final = 0.2  # of a trial: times before are too coarse to be held against each other
ALL: Final = 0.99
RISING: Final = 0.2  # of the rise from the first quarter to the last, each next quarter has

Counts = tuple[float, float]  # tried, lost


@dataclass(frozen=True, slots=True)
class Split:
    """A level's trials, put together, in two parts by time."""

    level: Level
    at: float  # share of the trial
    before: float  # share lost
    after: float

    @property
    def share(self) -> float:
        """What the part that loses more does."""
        return max(self.before, self.after)

    @property
    def left_pps(self) -> float:
        """What comes through in the part that loses more."""
        return self.level.offered_pps * (1 - self.share)

    @property
    def seconds(self) -> float:
        """When, from the beginning of a trial."""
        return self.at * self.level.sights[0].seconds

    @property
    def packets(self) -> float:
        """How many were sent until then."""
        return self.seconds * self.level.offered_pps

    @property
    def packets_of_block(self) -> float:
        """So exactly are they known."""
        return self.packets / (self.at * BLOCKS)


def find(sweep: Sweep, least: float = 0.0) -> Iterator[Finding]:
    """Masks the part of each trial that loses; named if it loses so much at least.

    What stalls explain is no such loss, but where nothing comes from a time on it is no stall.
    """
    silent = [] if _splits(sweep, least) else _silent(sweep)
    splits = _splits(_without(sweep, silent), least)
    if not splits or is_of_bytes(sweep):
        return
    if gradual := _gradual(splits):
        for sight in sweep.sights:
            sight.mask(0.0, sight.seconds * 1000)
        yield gradual
        return
    finding = _finding(splits)
    for sight in sweep.sights:
        _mask(sight, splits, finding.values.get("packets"))
    for sight in silent:
        sight.mask(0.0, sight.seconds * 1000)
    if silent:
        trials = {"silent": len(silent), "trials": len(sweep.sights)}
        finding = replace(finding, fact=fact("outlasts", finding=finding.fact, **trials))
    yield finding


def _silent(sweep: Sweep) -> list[Sight]:
    """Trials of which nothing came, where a third came in part: what ended those lasts on."""
    silent = [sight for sight in sweep.sights if sight.inside_share >= ALL]
    return silent if len(sweep.sights) - len(silent) >= len(sweep.sights) / 3 else []


def _without(sweep: Sweep, silent: Sequence[Sight]) -> Sweep:
    out = {id(sight) for sight in silent}
    kept = (tuple(s for s in level.sights if id(s) not in out) for level in sweep.levels)
    pairs = zip(sweep.levels, kept, strict=True)
    return changed(sweep, levels=tuple(changed(lvl, sights=own) for lvl, own in pairs if own))


def _splits(sweep: Sweep, least: float) -> list[Split]:
    """Split the rates below a full CPU; where these tell nothing, those that fill it, too.

    A CPU becomes slower by heat, or is another's from a time on. Its queue fills before.
    """
    every = [(lvl, split) for lvl in sweep.levels if (split := _split(lvl))]
    every = [(lvl, split) for lvl, split in every if split.share >= least]
    calm = [split for lvl, split in every if not lvl.is_full]
    late = [split for _, split in every if split.at >= EARLIEST]
    several = late if len(late) == len(every) > 1 else []
    return next((s for s in (calm, several) if s and _is_of_time(s, len(sweep.levels))), [])


def _gradual(splits: Sequence[Split]) -> Finding | None:
    """Find loss without a time at which it begins or ends: each quarter of a trial differs."""
    sights = (sight for split in splits for sight in split.level.sights)
    quarters = _shares(_pooled([_blocks(sight) for sight in sights]), 4)
    more = quarters[-1] - quarters[0]
    least = RISING * abs(more)
    steps = [(after - before) * (1 if more > 0 else -1) for before, after in pairwise(quarters)]
    if least < RISING * MORE or any(step < least for step in steps):
        return None
    how = "over-time.more" if more > 0 else "over-time.less"
    return Finding(
        shape="over-time",
        fact=fact(how, first=quarters[0], last=quarters[-1]),
        values={"share": max(quarters)},
    )


def _finding(splits: Sequence[Split]) -> Finding:
    first = splits[0]
    worse, better = first.share, min(first.before, first.after)
    when_ms = median(split.seconds for split in splits) * 1000
    values = {"share": worse, "from_ms": when_ms}
    usual = usual_loss(better, MORE / 3)
    if first.after < first.before:
        return Finding(
            shape="over-time",
            fact=fact("over-time.until", ms=when_ms, share=worse, usual=usual),
            values=values,
        )
    seen = fact("over-time.from", ms=when_ms, share=worse, usual=usual)
    if _is_by_packets(splits):
        count = first.packets  # the lowest rate tells it best
        seen = fact("over-time.after", packets=count, share=worse, usual=usual)
        values |= {"packets": count}
    return Finding(
        shape="over-time",
        fact=seen,
        values=values,
    )


def usual_loss(share: float, least: float) -> Fact:
    """Return what is lost besides; less than the least is nothing."""
    return fact("usual", share=share) if share > least else fact("usual.nothing")


def _is_of_time(splits: Sequence[Split], levels: int) -> bool:
    """Return True if no bucket or queue with a rate explains the times."""
    low, high = splits[0], splits[-1]
    rise = high.level.offered_pps / low.level.offered_pps
    if low.share >= ALL:  # a stall may be at the end of all repeats of a rate, by chance
        return len(splits) > 1 or levels < 3
    if rise < RISES:
        return low.after < low.before or levels == 1
    if (high.left_pps / low.left_pps - 1) / (rise - 1) > FLAT:
        return True
    beyond = [split.level.offered_pps - low.left_pps for split in (low, high)]
    if beyond[0] <= 0 or beyond[1] < UNLIKE * beyond[0] or low.at < EARLIEST:
        return False
    # Nearer to the same time than to the one at which the same bucket is empty.
    return abs(log(high.at / low.at)) < log(beyond[1] / beyond[0]) / 2


def _is_by_packets(splits: Sequence[Split]) -> bool:
    """Return True if the number of packets tells when, and the time does not."""
    low, high = splits[0], splits[-1]
    if high.level.offered_pps < UNLIKE * low.level.offered_pps:
        return False
    near = max(2 * AGAIN * high.packets, low.packets_of_block + high.packets_of_block)
    return abs(low.at - high.at) > AGAIN and abs(low.packets - high.packets) <= near


def _split(level: Level) -> Split | None:
    """Of all trials together, where most trials agree with it."""
    blocks = _pooled([_blocks(sight) for sight in level.sights])
    if len(blocks) < BLOCKS or not all(tried for tried, _ in blocks):
        return None
    at = max(range(EDGE, BLOCKS - EDGE + 1), key=lambda place: _fit(blocks, place))
    before, after = _share(blocks[: at - 1]), _share(blocks[at + 1 :])  # one is of both parts
    worse, better = (blocks[at:], blocks[:at]) if after > before else (blocks[:at], blocks[at:])
    more, chance = abs(after - before), _deviation(worse, better)
    if more < max(MORE, SIGMAS * chance) or _mean_lost(worse) < FEWEST:
        return None
    half = (after + before) / 2
    if _over(worse, half) < STEADY or _over(better, half) > CLEAN:
        return None
    is_later = after > before
    if not in_most([_agrees(_blocks(sight), at, half, is_later) for sight in level.sights]):
        return None
    return Split(level, at / BLOCKS, before, after)


def _agrees(blocks: Sequence[Counts], at: int, half: float, is_later: bool) -> bool:
    """Whether one trial loses in all of the one part, and in no half of the other."""
    parts = (blocks[: at - 1], blocks[at + 1 :])
    better, worse = parts if is_later else parts[::-1]
    return min(_shares(worse, 3)) > half / 2 and max(_shares(better, 2)) < half


def _shares(blocks: Sequence[Counts], count: int) -> list[float]:
    """Of so many pieces of a part, or of each block where it has fewer."""
    count = min(count, len(blocks))
    ends = [len(blocks) * at // count for at in range(count + 1)]
    return [_share(blocks[first:last]) for first, last in pairwise(ends)]


def _blocks(sight: Sight) -> list[Counts]:
    """Tried and lost without explanation, in equal parts of the trial; masked bins have none."""
    count = int(sight.seconds / sight.bin_s + 1e-6)
    open_ = set(sight.open)
    blocks = [(0.0, 0.0)] * BLOCKS
    for at in range(min(count, len(sight.loss.tried))):
        if at in open_:
            place = at * BLOCKS // count
            lost = sight.inside(at) + sight.loss.refused[at]
            blocks[place] = blocks[place][0] + sight.loss.tried[at], blocks[place][1] + lost
    return blocks


def _pooled(trials: Sequence[Sequence[Counts]]) -> list[Counts]:
    parts = zip(*trials, strict=True)
    return [(sum(n for n, _ in part), sum(x for _, x in part)) for part in parts]


def _share(blocks: Sequence[Counts]) -> float:
    tried = sum(n for n, _ in blocks)
    return max(0.0, sum(x for _, x in blocks)) / tried if tried else 0.0


def _mean_lost(blocks: Sequence[Counts]) -> float:
    return sum(x for _, x in blocks) / len(blocks)


def _deviation(some: Sequence[Counts], others: Sequence[Counts]) -> float:
    """The deviation by chance between two parts that lose the same share."""
    p = min(1.0, _share([*some, *others]))
    return sqrt(p * (1 - p) * sum(1 / sum(n for n, _ in part) for part in (some, others)))


def _over(blocks: Sequence[Counts], share: float) -> float:
    """The share of these blocks that lose more than that."""
    return sum(x > share * n for n, x in blocks) / len(blocks)


def _fit(blocks: Sequence[Counts], place: int) -> float:
    """The logarithm of the likelihood of two shares."""
    return _likelihood(blocks[:place]) + _likelihood(blocks[place:])


def _likelihood(blocks: Sequence[Counts]) -> float:
    tried, p = sum(n for n, _ in blocks), min(1.0, _share(blocks))
    if not 0 < p < 1:
        return 0.0
    return tried * (p * log(p) + (1 - p) * log(1 - p))


def _mask(sight: Sight, splits: Sequence[Split], packets: float | None) -> None:
    """The part that loses; of a rate that fills the CPU from the same time, or packet, on."""
    own = next((split for split in splits if sight in split.level.sights), None)
    seconds = own.seconds if own else median(split.seconds for split in splits)
    if own is None and packets is not None:
        seconds = packets / sight.offered_pps
    at_ms, end_ms = seconds * 1000, sight.seconds * 1000
    both_ms = end_ms / BLOCKS  # of which a part is lossy
    is_later = splits[0].after > splits[0].before
    sight.mask(*((at_ms - both_ms, end_ms) if is_later else (0.0, at_ms + both_ms)))
