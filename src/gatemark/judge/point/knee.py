# SPDX-License-Identifier: Apache-2.0
"""The knee of one rate sweep: a continuous two-segment least-squares fit.

      received        knee
         |            .-.__            received = offered                     up to the knee
         |          .'     ``--..      received = knee + s (offered - knee)   beyond it
         |        .'
         +------------|------------ offered

s is free: a plateau has s = 0, receive livelock s < 0 (Kofler, figure 3; Mogul and Ramakrishnan,
"Eliminating receive livelock", 1997). For a given pair of neighbouring points the fit is a line
fit, so the best knee is found exactly and not by search (Hudson 1966, "Fitting segmented curves
whose join points have to be estimated").
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import correlation
from typing import NamedTuple

FOLLOWS = 0.995  # received / offered; hiccups below the knee lose up to 0.2 %
REACH = 1.5  # fit no farther beyond the first loss: far beyond it, a collapse need not be straight
NEARLY = 0.98  # a sweep to twice the nominal rate reaches twice a knee that is a little higher
FEWEST = 3  # points beyond the knee that are fitted even if they lie farther


class Sample(NamedTuple):
    """One trial of a sweep, in packets/s."""

    offered: float
    received: float


def find_knee(curve: Sequence[Sample]) -> float | None:
    """The knee of one sweep, or None where all that was offered came through."""
    curve = sorted(curve)
    following = [i for i, sample in enumerate(curve) if _follows(sample)]
    if len(following) == len(curve):
        return None
    last = following[-1] if following else -1
    if last == len(curve) - 1:  # the highest rate came through: what is below it was a hiccup
        return None
    lowest = FOLLOWS * curve[last].offered if following else 0.0
    # One point after the last that followed may be a hiccup too, so the knee may lie beyond it.
    highest = curve[min(last + 2, len(curve) - 1)].offered
    return _fit(_within_reach(curve, last + 1), lowest, highest)


def peak(curve: Sequence[Sample]) -> float:
    """The most that was received at any offered rate."""
    return max(sample.received for sample in curve)


def received_at(curve: Sequence[Sample], offered: float) -> float | None:
    """Received at an offered rate, between its neighbours; None beyond the sweep."""
    curve = sorted(curve)
    if NEARLY * offered <= curve[-1].offered < offered:
        return curve[-1].received
    for left, right in pairwise(curve):
        if left.offered <= offered <= right.offered:
            width = right.offered - left.offered
            part = (offered - left.offered) / width if width else 0.0
            return left.received + part * (right.received - left.received)
    return None


def retained(curve: Sequence[Sample], knee_pps: float, times: float) -> float | None:
    """Received at so many times the knee, as a share of the peak."""
    received, most = received_at(curve, times * knee_pps), peak(curve)
    return None if received is None or not most else received / most


def straightness(x: Sequence[float], y: Sequence[float]) -> float | None:
    """R squared of a line through at least three different x; None where y does not move."""
    if len(set(x)) < 3 or len(set(y)) < 2:
        return None
    return float(correlation(x, y)) ** 2


def _follows(sample: Sample) -> bool:
    return sample.received >= FOLLOWS * sample.offered


def _within_reach(curve: Sequence[Sample], first_lossy: int) -> list[Sample]:
    reach = REACH * curve[first_lossy].offered
    fewest = first_lossy + FEWEST
    return [s for i, s in enumerate(curve) if i < fewest or s.offered <= reach]


def _fit(curve: Sequence[Sample], lowest: float, highest: float) -> float:
    """The knee within lowest..highest that leaves the least squares."""
    if len({sample.offered for sample in curve if sample.offered > lowest / FOLLOWS}) < 2:
        # One rate beyond the knee fits every slope; a plateau is the simplest of them.
        return min(max(curve[-1].received, lowest), highest)
    edges = sorted({lowest, highest, *(s.offered for s in curve if lowest < s.offered < highest)})
    candidates = list(edges)
    for left, right in pairwise(edges):
        crossing = _crossing([s for s in curve if s.offered >= right])
        if crossing is not None and left < crossing < right:
            candidates.append(crossing)
    return min(candidates, key=lambda knee: _squares(curve, knee))


def _crossing(beyond: Sequence[Sample]) -> float | None:
    """Where the line through these points meets received = offered."""
    if len({sample.offered for sample in beyond}) < 2:
        return None
    middle = Sample(_mean([s.offered for s in beyond]), _mean([s.received for s in beyond]))
    slope = _slope(beyond, middle)
    if slope >= 1.0:
        return None
    return (middle.received - slope * middle.offered) / (1.0 - slope)


def _mean(values: Sequence[float]) -> float:
    """The mean, rounded once as statistics.mean does, which takes eight times as long."""
    ratios = [value.as_integer_ratio() for value in values]
    below = max(d for _, d in ratios)  # all are powers of two
    return sum(n * (below // d) for n, d in ratios) / (below * len(ratios))


def _squares(curve: Sequence[Sample], knee: float) -> float:
    """What the best fit with this knee leaves unexplained."""
    beyond = [sample for sample in curve if sample.offered > knee]
    slope = _slope(beyond, Sample(knee, knee))
    below = sum((s.received - s.offered) ** 2 for s in curve if s.offered <= knee)
    return below + sum((s.received - knee - slope * (s.offered - knee)) ** 2 for s in beyond)


def _slope(curve: Sequence[Sample], through: Sample) -> float:
    """The least-squares slope of a line through a point."""
    run = sum((s.offered - through.offered) ** 2 for s in curve)
    rise = sum((s.offered - through.offered) * (s.received - through.received) for s in curve)
    return rise / run if run else 0.0
