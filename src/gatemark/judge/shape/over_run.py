# SPDX-License-Identifier: Apache-2.0
"""Loss over the run: from one trial on, until one, or between two of them.

Trials are taken in the order in which they ran; the rates of a sweep are in random order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb
from statistics import median
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.over_time import usual_loss
from gatemark.judge.shape.sight import Sight, Sweep, in_most

WORTH: Final = 0.01  # lost by the trials that lose
FEWEST: Final = 3  # trials of either part, which have two rates in common
TENTH: Final = 0.1  # of what one part loses more than the other a trial of the other may
CHANCE: Final = 0.02  # that as many trials, chosen at random, are one after the other


@dataclass(frozen=True, slots=True)
class Part:
    """The trials that lose, by their places: from the first to before the last."""

    first: int
    last: int
    share: float  # lost more than usual
    usual: float


def find(sweep: Sweep) -> Iterator[Finding]:
    """Explains what the part that loses does."""
    sights = in_order(sweep)
    full = {id(sight) for level in sweep.levels if level.is_full for sight in level.sights}
    calm = [sight for sight in sights if id(sight) not in full]
    part = _part(calm, _rates(sweep))
    if not part:
        return
    first = 0 if part.first == 0 else sights.index(calm[part.first])
    last = len(sights) if part.last == len(calm) else sights.index(calm[part.last])
    for sight in sights[first:last]:
        sight.explained += part.share
    yield _finding(replace(part, first=first, last=last), len(sights))


def in_order(sweep: Sweep) -> list[Sight]:
    """All trials as they ran; none where that is not known."""
    sights = sorted(sweep.sights, key=lambda sight: sight.record.sequence)
    is_known = all(a.record.sequence < b.record.sequence for a, b in pairwise(sights))
    return sights if is_known else []


def _rates(sweep: Sweep) -> dict[int, float]:
    return {id(sight): level.offered_pps for level in sweep.levels for sight in level.sights}


def _part(calm: Sequence[Sight], rates: dict[int, float]) -> Part | None:
    """The part with which most trials agree."""
    lost = [sight.inside_share for sight in calm]
    most = sorted(lost, reverse=True)[:FEWEST]
    least = max(WORTH, most[-1] + min(lost)) / 2 if len(most) == FEWEST else 1.0
    lossy = [place for place, share in enumerate(lost) if share >= least]
    parts = [(first, last + 1) for first in lossy for last in lossy if last - first >= FEWEST - 1]
    if not parts or len(lossy) == len(calm):
        return None
    is_lossy = set(lossy)
    first, last = max(parts, key=lambda part: _agreeing(range(*part), is_lossy))
    inside, outside = [*range(first, last)], [*range(first), *range(last, len(calm))]
    own, others = ([lost[at] for at in places] for places in (inside, outside))
    common = {rates[id(calm[at])] for at in inside} & {rates[id(calm[at])] for at in outside}
    if len(common) < 2 or min(len(own), len(others)) < FEWEST:
        return None
    # So many parts are as long.
    ways = 2 if first == 0 or last == len(calm) else len(calm) - len(inside) + 1
    if ways > CHANCE * comb(len(calm), last - first):
        return None
    usual = median(others)
    share = median(own) - usual
    is_share = share >= max(WORTH, usual) and in_most([n >= usual + share / 2 for n in own])
    is_usual = in_most([each <= usual + TENTH * share for each in others])
    return Part(first, last, share, usual) if is_share and is_usual else None


def _agreeing(part: range, lossy: set[int]) -> int:
    """Lossy trials inside less whole ones."""
    inside = sum(place in lossy for place in part)
    return 2 * inside - len(part)


def _finding(part: Part, trials: int) -> Finding:
    code = "over-run.part"
    if part.last == trials:
        code = "over-run.from"
    elif part.first == 0:
        code = "over-run.until"
    return Finding(
        shape="over-time",
        fact=fact(
            code,
            first=part.first + 1,
            last=part.last,
            trials=trials,
            share=part.share + part.usual,
            usual=usual_loss(part.usual, TENTH * part.share),
        ),
        values={"share": part.share},
    )
