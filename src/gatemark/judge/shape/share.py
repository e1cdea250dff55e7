# SPDX-License-Identifier: Apache-2.0
"""A constant share: the same share is lost at every rate, down to the least.

p is the share in bins that a burst did not touch: by the bins without a loss (Poisson), or by the
median where too few of them are. It is constant if the next higher rate loses as much.
"""

from collections.abc import Iterator, Sequence
from math import log, sqrt
from statistics import median
from typing import Final, NamedTuple

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.limiter import is_limited
from gatemark.judge.shape.sight import Level, Sight, Sweep, in_most

FEWEST: Final = 50  # packets of a bin
LEAST: Final = 0.001  # share from which one is named
TWO_THIRDS: Final = 2 / 3  # of the trials at the lowest rate
EMPTY: Final = 0.3  # share of bins without loss from which these tell it
SIGMAS: Final = 4.0
SLACK: Final = 0.2  # of the share, between two rates
EXPECTED: Final = 10.0  # losses that a share needs to be told
APART: Final = 1.3  # from the lowest rate to one that may agree
TWICE: Final = 2.0  # as high is the rate that must
REGULAR: Final = 0.2  # deviation of the distances by their mean: every nth packet
NEXT: Final = 1.5  # distance below which most are lost, so each loss is beside another
NEARLY: Final = 0.9  # all is lost: two shares near one agree too easily
IN_BURSTS: Final = 2.0  # packets lost in a row
MUCH: Final = 0.01  # of the packets: less is of stalls that nobody sees
ALIKE, BURSTY = 1.7, 4.0  # by which rates and trials may differ then
FADES: Final = 0.5  # of the share at most is lost at a higher rate: it is not constant


class Share(NamedTuple):
    """A share of lost packets, and of how many."""

    value: float
    tried: int


def find(sweep: Sweep) -> Iterator[Finding]:
    """Explains that share of all packets."""
    lowest = sweep.levels[0]
    each = [pooled([sight]) for sight in lowest.sights]
    if 2 * pooled(lowest.sights).value < _whole(lowest.sights) and (rows := [*_bursts(sweep)]):
        yield from rows
        return
    if not in_most([share.value >= LEAST for share in each], TWO_THIRDS):
        return
    least = pooled(lowest.sights)
    others = [level for level in sweep.levels[1:] if _is_higher(level, lowest)]
    if not others or least.value * least.tried < EXPECTED:
        return
    far = min(others, key=lambda level: abs(level.offered_pps - TWICE * lowest.offered_pps))
    second = far if agree(least, pooled(far.sights)) else others[0]
    if not agree(least, pooled(second.sights)):
        return
    share = pooled([*lowest.sights, *second.sights]).value
    if share > NEARLY and is_limited(sweep, 0.0):  # as many come at each rate: a limit of few
        return
    if faded := [level for level in others if fades(share, level)]:
        yield _at_low_rates(sweep, share, faded[0])
    elif _is_constant(sweep, share, is_far=second is far):
        yield finding(share, [*lowest.sights, *second.sights])


def _is_constant(sweep: Sweep, share: float, *, is_far: bool) -> bool:
    """Explain the share, if it is one."""
    for sight in sweep.sights:
        sight.explained += share
    # A share that rises agrees with its neighbour, and not farther on; a limiter does so, too.
    if is_far or is_limited(sweep, share):
        return True
    for sight in sweep.sights:
        sight.explained -= share
    return False


def _bursts(sweep: Sweep) -> Iterator[Finding]:
    """Find a share that is lost in bursts alone, which the bins without a burst do not tell."""
    levels = [level for level in sweep.levels if not level.is_full]
    sights = [sight for level in levels for sight in level.sights]
    half = len(levels) // 2
    parts = [[s for lvl in part for s in lvl.sights] for part in (levels[:half], levels[half:])]
    if not is_in_bursts(sights) or min(map(_count, parts)) < EXPECTED:
        return
    share, shares = _whole(sights), [_whole(part) for part in parts]
    if share < MUCH or max(shares) > ALIKE * min(shares):
        return
    if in_most([sight.inside_share >= share / BURSTY for sight in parts[1]]):
        for sight in sweep.sights:
            sight.explained += max(share, sight.inside_share)
        yield finding(share, sights)


def _whole(sights: Sequence[Sight]) -> float:
    counts = [sight.counts() for sight in sights]
    return sum(lost for _, lost, _ in counts) / max(1, sum(tried for tried, _, _ in counts))


def _count(sights: Sequence[Sight]) -> float:
    """The number of bursts."""
    return sum(sight.lost / sight.loss.run_mean for sight in sights if sight.lost)


def fades(share: float, level: Level) -> bool:
    """Return True if a rate loses less than half of a share, bursts included."""
    own = pooled(level.sights)
    # Bins of bursts are left out of a share, many beside a tester that pauses: all must lose less.
    is_less = own.tried > 0 and max(own.value, level.inside_share) < FADES * share
    return is_less and not agree(Share(share, own.tried), own)


def _at_low_rates(sweep: Sweep, share: float, faded: Level) -> Finding:
    """A share that higher rates do not lose; explains it below them."""
    low = [level for level in sweep.levels if level.offered_pps < faded.offered_pps]
    for sight in (sight for level in low for sight in level.sights):
        sight.explained += share
    rate = low[-1].offered_pps
    return Finding(
        shape="not-monotone",
        fact=fact("share.low-rates", share=share, rate=rate, higher=faded.offered_pps),
        values={"rate_pps": rate},
    )


def finding(share: float, sights: Sequence[Sight]) -> Finding:
    """The finding of a share; these trials tell in which manner it is lost."""
    return Finding(
        shape="constant-share",
        fact=fact("share", share=share, manner=_manner(share, sights)),
        values={"share": share},
    )


def _is_higher(level: Level, lowest: Level) -> bool:
    return level.offered_pps >= APART * lowest.offered_pps and not level.is_full


def pooled(sights: Sequence[Sight]) -> Share:
    """The share of these trials, without bins in which a burst was lost.

    What is explained was subtracted by its mean and varies by chance as well: it is no burst.
    """
    bins = [(n, x, sight.explained) for sight in sights for n, x in sight.joined(FEWEST)]
    if not bins:
        return Share(0.0, 0)
    p = _first_guess([(n, x) for n, x, _ in bins])
    kept = [(n, x) for n, x, explained in bins if x <= _most(n, p, min(1.0, p + explained))]
    tried = sum(n for n, _ in kept)
    return Share(sum(x for _, x in kept) / tried if tried else 0.0, tried)


def _most(tried: int, share: float, whole: float) -> float:
    """The most that chance loses in a bin, beyond what is explained; `whole` is with that."""
    return tried * share + SIGMAS * sqrt(tried * whole * (1 - whole) + 0.25) + 2


def _first_guess(bins: Sequence[tuple[int, float]]) -> float:
    empty = sum(x < 0.5 for _, x in bins) / len(bins)
    if empty <= EMPTY or any(x < 0 for _, x in bins):
        return min(1.0, max(0.0, median(x / n for n, x in bins)))
    return -log(empty) / (sum(n for n, _ in bins) / len(bins))


def agree(share: Share, other: Share) -> bool:
    """Whether two rates lose the same share, as far as chance lets one tell.

    Of a share near one what comes through is compared: a limit of few packets loses nearly all.
    """
    if not share.tried or not other.tried:
        return False
    mean = (share.value * share.tried + other.value * other.tried) / (share.tried + other.tried)
    p = min(1.0, max(0.0, mean))  # what is explained of a trial may be more than it lost
    spread = sqrt(p * (1 - p) * (1 / share.tried + 1 / other.tried))
    return abs(share.value - other.value) <= SIGMAS * spread + SLACK * min(p, 1 - p)


def _manner(share: float, sights: Sequence[Sight]) -> Fact | None:
    if any(sight.masked for sight in sights):
        return None
    distances = [cv for sight in sights if (cv := sight.loss.distance_cv) is not None]
    if distances and median(distances) < REGULAR and 1 / share > NEXT:
        return fact("share.every", nth=round(1 / share))
    return fact("share.bursts") if is_in_bursts(sights) else None


def is_in_bursts(sights: Sequence[Sight]) -> bool:
    """Return True if packets are lost in a row."""
    runs = [sight.loss.run_mean for sight in sights if sight.lost]
    return bool(runs) and median(runs) > IN_BURSTS
