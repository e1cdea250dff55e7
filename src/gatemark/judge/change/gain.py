# SPDX-License-Identifier: Apache-2.0
"""The gain of an arm against the first of its plan, in the quantity's own unit.

The ratio's interval times the first arm's median: the same test as the ratio, so it excludes zero
where that does. A study says so: `600 Mbit/s, 170 more`.
"""

from collections.abc import Iterable

from gatemark.judge.change.sampled import KNEE
from gatemark.judge.judgement import Comparison, Judgement
from gatemark.judge.math.interval import Interval
from gatemark.quantity import UNITS


def gateways(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Return the comparisons of a gateway in which the tester limited neither side."""
    return [c for c in comparisons if c.quantity == c.definition.headline and not c.at_least]


def base(judgement: Judgement, comparison: Comparison) -> Interval | None:
    """The first arm's own value at the same point; None: it has none."""
    about = comparison.plan, comparison.baseline, comparison.point
    if comparison.quantity == KNEE:
        knees = (k for k in judgement.knees if (k.plan, k.arm, k.point) == about)
        return next((knee.knee_pps for knee in knees), None)
    points = (p for p in judgement.points if (p.plan, p.arm, p.point) == about)
    return next((p.values.get(comparison.quantity) for p in points), None)


def absolute(comparison: Comparison, first: Interval) -> Interval:
    """The gain in the quantity's unit."""
    ratio = comparison.change.change
    low, high = sorted((ratio.lo * first.value, ratio.hi * first.value))
    return Interval(ratio.value * first.value, low, high, ratio.n, ratio.level)


def unit(comparison: Comparison) -> str:
    """The quantity's unit."""
    return "packets/s" if comparison.quantity == KNEE else UNITS[comparison.quantity]
