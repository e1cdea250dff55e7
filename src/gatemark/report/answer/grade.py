# SPDX-License-Identifier: Apache-2.0
"""A letter for delay under load, by what load adds to the median one-way delay.

The limits are those of the well-known bufferbloat tests; a reader sees them beside the letter.
"""

from dataclasses import dataclass

from gatemark.report.group import sweep
from gatemark.stats.judgement import Judgement, Knee, PointResult
from gatemark.stats.math.interval import Interval

LIMITS_MS = (("A+", 5), ("A", 30), ("B", 60), ("C", 200), ("D", 400))
WORST = "F"
MEDIAN = "delay_p50_ns"


@dataclass(frozen=True, slots=True)
class Added:
    """What the heaviest load of a sweep adds to the delay at its lightest."""

    knee: Knee
    light: PointResult
    heavy: PointResult
    delay_ns: Interval


def letter(added_ns: float) -> str:
    """The grade of an added delay."""
    return next((name for name, limit in LIMITS_MS if added_ns < limit * 1e6), WORST)


def limits() -> str:
    """The limits in words: `A+ < 5 ms, A < 30, B < 60, C < 200, D < 400, else F`."""
    first, *others = (f"{name} < {limit}" for name, limit in LIMITS_MS)
    return ", ".join([f"{first} ms", *others, f"else {WORST}"])


def added(judgement: Judgement) -> Added | None:
    """Of the leading sweeps the one to which load adds most; None: no delay under load."""
    every = [delay for knee in sweep.lead(judgement.knees) if (delay := _added(judgement, knee))]
    return max(every, key=lambda added: added.delay_ns.value, default=None)


def _added(judgement: Judgement, knee: Knee) -> Added | None:
    timed = [p for p in sweep.points_of(judgement, knee) if MEDIAN in p.values]
    if len(timed) < 2 or sweep.offered_pps(timed[-1]) <= knee.knee_pps.value:
        return None
    light, heavy = timed[0], timed[-1]
    a, b = light.values[MEDIAN], heavy.values[MEDIAN]
    # Both intervals at their worst: wider than the true one, never narrower.
    level = min(a.level, b.level)
    span = Interval(b.value - a.value, b.lo - a.hi, b.hi - a.lo, min(a.n, b.n), level)
    return Added(knee, light, heavy, span)
