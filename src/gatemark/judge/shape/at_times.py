# SPDX-License-Identifier: Apache-2.0
"""Loss that comes and goes within trials: a part is lost for a while, then nothing, and again.

What loses all is a stall (`stall`). Bins of trials fall into two classes, by what they lose; those
that lose follow each other. Low and high rates lose as much in them: behind a limiter they do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from math import sqrt
from statistics import median
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.over_run import in_order
from gatemark.judge.shape.sight import Sight, Sweep, in_most
from gatemark.judge.shape.stall import Silence, period_ms

FEWEST: Final = 25  # packets of a bin; smaller ones are put together
LEAST: Final = 0.1  # that the bins lose which lose
TENTH: Final = 0.1  # of that the others may
TIME: Final = (0.02, 0.8)  # of the time that they have
ROUNDS: Final = 10  # of the search for two classes
EPISODES: Final = 4  # of all trials, that begin or end within one
RECURS: Final = 3  # trials that lose as a whole, times that it begins over the run
WORTH: Final = 0.01  # of all packets
FEWER, SIGMAS = 0.7, 4.0  # than by chance
# Low and high rates by each other: what they lose in such bins, and how much of the time they have.
ALIKE, OFTEN = 1.5, 2.5
SAME: Final = 0.5  # of its length: so near is its begin in each trial


@dataclass(frozen=True, slots=True)
class Bin:
    """Neighbouring bins of a trial, put together."""

    first: int
    last: int
    tried: int
    lost: float

    @property
    def share(self) -> float:
        """The share that it loses."""
        return self.lost / self.tried


def find(sweep: Sweep) -> Iterator[Finding]:
    """Find it by all trials below a full CPU; mask the bins that lose."""
    calm = [level for level in sweep.levels if not level.is_full]
    trials = [[(sight, _bins(sight)) for sight in level.sights] for level in calm]
    levels = [[own for _, bins in level for own in bins] for level in trials]
    every = [own for level in levels for own in level]
    least = _between([own.share for own in every])
    lossy = [own for own in every if own.share >= least]
    others = [own for own in every if own.share < least]
    if not _are_two(lossy, others):
        return
    share, part = _share(lossy), len(lossy) / len(every)
    pairs = sorted(chain(*trials), key=lambda pair: pair[0].record.sequence)
    kinds = [[own.share >= least for own in bins] for _, bins in pairs]
    half, whole = len(levels) // 2, sum(map(all, kinds))
    low, high = ([*chain(*part)] for part in (levels[:half], levels[half:]))
    is_long = 2 * whole > len(kinds) * part
    shares = [[own.share for own in bins] for bins in levels if bins]
    both = sum(min(own) < least <= max(own) for own in shares)  # rates that have of both classes
    is_seen = both > 1 and (_recurs(sweep, kinds) if is_long else _follow(kinds, EPISODES))
    if part * share < WORTH or not is_seen or not _is_same(low, high, least):
        return
    spans: list[list[Silence]] = []
    for sight, bins in pairs:
        own = _episodes(bins, least)
        sight.masked |= {at for first, last in own for at in range(first, last)}
        width = sight.loss.bin_ms
        spans.append([(first * width, (last - first) * width) for first, last in own])
    yield _of_trials(share, whole, len(kinds)) if is_long else _finding(share, spans, part)


def _bins(sight: Sight) -> list[Bin]:
    made, first, tried, lost = [], -1, 0, 0.0
    for at in sight.open:
        first = at if first < 0 else first
        tried += sight.loss.tried[at] - sight.loss.refused[at]
        lost += sight.inside(at)
        if tried >= FEWEST:
            made.append(Bin(first, at + 1, tried, lost))
            first, tried, lost = -1, 0, 0.0
    return made


def _between(shares: Sequence[float]) -> float:
    """Half way between two classes, by their means (Lloyd 1982)."""
    low, high = min(shares, default=0.0), max(shares, default=0.0)
    for _ in range(ROUNDS):
        half = (low + high) / 2
        above = [share for share in shares if share >= half]
        below = [share for share in shares if share < half]
        if not above or not below:
            break
        low, high = sum(below) / len(below), sum(above) / len(above)
    return (low + high) / 2


def _are_two(lossy: Sequence[Bin], others: Sequence[Bin]) -> bool:
    """Return True if some bins lose much, and the others hardly anything."""
    if not lossy or not others:
        return False
    part = len(lossy) / (len(lossy) + len(others))
    is_much = _share(lossy) >= LEAST and _share(others) <= TENTH * _share(lossy)
    return is_much and TIME[0] <= part <= TIME[1]


def _share(bins: Sequence[Bin]) -> float:
    return sum(own.lost for own in bins) / sum(own.tried for own in bins)


def _episodes(bins: Sequence[Bin], least: float) -> list[tuple[int, int]]:
    """The first bin of each stretch that loses, and the bin after it."""
    stretches = [
        list(own) for is_lossy, own in groupby(bins, lambda b: b.share >= least) if is_lossy
    ]
    return [(own[0].first, own[-1].last) for own in stretches]


def _recurs(sweep: Sweep, trials: Sequence[Sequence[bool]]) -> bool:
    """Return True if several trials lose as a whole, several do not, and it begins anew."""
    least = min(sum(map(all, trials)), sum(not any(own) for own in trials))
    return bool(in_order(sweep)) and least >= RECURS and _follow([[*chain(*trials)]], RECURS)


def _follow(trials: Sequence[Sequence[bool]], least: int) -> bool:
    """Return True if bins that lose follow each other, and begin and end within trials.

    By chance so many of them would begin as lossy ones come after whole ones.
    """
    pairs = [pair for kinds in trials for pair in pairwise(kinds)]
    begun, ended = pairs.count((False, True)), pairs.count((True, False))
    part = sum(map(sum, trials)) / sum(map(len, trials))
    chance = part * (1 - part) * len(pairs)
    most = min(FEWER * chance, chance - SIGMAS * sqrt(chance))
    return min(begun, ended) >= least and max(begun, ended) <= most


def _is_same(low: Sequence[Bin], high: Sequence[Bin], least: float) -> bool:
    """Return True if low and high rates lose about as much in as much of the time."""
    lossy = [[own for own in bins if own.share >= least] for bins in (low, high)]
    if not all(lossy):
        return False
    parts = [len(own) / len(bins) for own, bins in zip(lossy, (low, high), strict=True)]
    shares = [_share(own) for own in lossy]
    return max(parts) <= OFTEN * min(parts) and max(shares) <= ALIKE * min(shares)


def _of_trials(share: float, lossy: int, trials: int) -> Finding:
    return Finding(
        shape="over-time",
        fact=fact("at-times.trials", share=share, lossy=lossy, trials=trials),
        values={"share": share},
    )


def _finding(share: float, trials: Sequence[Sequence[Silence]], part: float) -> Finding:
    longest = max(length for own in trials for _, length in own)
    spans = [[span for span in own if 2 * span[1] >= longest] for own in trials]
    starts = [start for own in spans for start, _ in own]
    lasts_ms = median(length for own in spans for _, length in own)
    when, values = fact("at-times.when"), {"share": share, "lasts_ms": lasts_ms}
    near = [abs(start - median(starts)) <= SAME * longest for start in starts]
    if in_most([len(own) == 1 for own in spans]) and in_most(near):
        when = fact("at-times.from", ms=median(starts))
        values["from_ms"] = median(starts)
    elif period := period_ms(trials):
        when = fact("every", ms=period)
        values["period_ms"] = period
    return Finding(
        shape="over-time",
        fact=fact("at-times", share=share, ms=lasts_ms, when=when, part=part),
        values=values,
    )
