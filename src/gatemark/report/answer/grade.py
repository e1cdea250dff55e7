# SPDX-License-Identifier: Apache-2.0
"""What the heaviest load of a sweep adds to the median one-way delay, which has a letter."""

from dataclasses import dataclass

from gatemark.report.group import sweep
from gatemark.stats.judgement import Judgement, Knee, PointResult
from gatemark.stats.math.interval import Interval, less

MEDIAN = "delay_p50_ns"


@dataclass(frozen=True, slots=True)
class Added:
    """What the heaviest load of a sweep adds to the delay at its lightest."""

    knee: Knee
    light: PointResult
    heavy: PointResult
    delay_ns: Interval


def added(judgement: Judgement) -> Added | None:
    """The leading sweep to which load adds most; None: no delay under load."""
    every = [delay for knee in sweep.lead(judgement.knees) if (delay := _added(judgement, knee))]
    return max(every, key=lambda added: added.delay_ns.value, default=None)


def _added(judgement: Judgement, knee: Knee) -> Added | None:
    timed = [p for p in sweep.points_of(judgement, knee) if MEDIAN in p.values]
    if len(timed) < 2 or sweep.offered_pps(timed[-1]) <= knee.knee_pps.value:
        return None
    light, heavy = timed[0], timed[-1]
    a, b = light.values[MEDIAN], heavy.values[MEDIAN]
    return Added(knee, light, heavy, less(b, a))
