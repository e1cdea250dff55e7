# SPDX-License-Identifier: Apache-2.0
"""Slow flows, and packets that wait: they take longer than the others, far below a full CPU."""

from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.flows import MOST, attribute
from gatemark.judge.shape.sight import Sight, Sweep, in_most

FEWEST, PACKETS = 4, 16  # flows, and packets of each
TRIALS: Final = 3
LONGER: Final = 0.15  # of the usual delay: so much longer at least
LEAST_NS: Final = 5_000.0
SPREADS: Final = 12.0  # of the faster half: their median distance from its middle
MANY: Final = 0.375  # of the flows: from there on none lies between slow and fast ones
WAITING_NS: Final = 5e6  # that the latest packets take
WAITING_TIMES: Final = 50.0  # the median delay
STILL: Final = 0.5  # of that time: a silence or pause so long lets all packets wait


def find(sweep: Sweep) -> Iterator[Finding]:
    """By the difference of each flow's median delay to the lower quartile of its trial's flows."""
    judged = [sight for level in sweep.quiet for sight in level.sights if _is_timed(sight)]
    if len(judged) < TRIALS:
        return
    usual = [quantiles(sight.loss.delay_by_flow, n=4)[0] for sight in judged]
    more = [
        [delay - own for delay, own in zip(delays, usual, strict=True)]
        for delays in zip(*(sight.loss.delay_by_flow for sight in judged), strict=True)
    ]
    named = _slow(more, median(usual))
    if not named:
        return
    longer = median(median(more[flow]) for flow in named)
    which = attribute(judged[0], named)
    yield Finding(
        shape="slow-flows",
        fact=fact(
            "slow-flows",
            many=len(named),
            flows=len(more),
            longer=longer,
            usual=median(usual),
            which=which,
        ),
        values={"flows": float(len(named)), "of_flows": float(len(more)), "longer_ns": longer},
    )


def _is_timed(sight: Sight) -> bool:
    delays = sight.loss.delay_by_flow
    is_known = sight.tried >= PACKETS * len(delays)
    return is_known and len(delays) >= FEWEST and all(delays)


def _slow(more: Sequence[Sequence[float]], usual: float) -> list[int]:
    """The flows that are later than the others by more than these differ, in most trials."""
    each = [median(own) for own in more]
    fast = sorted(each)[: len(each) // 2]
    spread = median(abs(late - median(fast)) for late in fast)
    least = max(LEAST_NS, LONGER * usual, SPREADS * spread)
    slow = [flow for flow, late in enumerate(each) if late >= least]
    rest = max((late for late in each if late < least), default=0.0)
    if len(slow) > MANY * len(each) and min(each[flow] for flow in slow) - rest < least / 2:
        return []
    if len(slow) > MOST * len(more):
        return []
    return [flow for flow in slow if in_most([late >= least / 2 for late in more[flow]])]


def waiting(sweep: Sweep) -> Iterator[Finding]:
    """By the 99th percentile of the delay, at rates well below a full CPU."""
    judged = [sight for level in sweep.quiet for sight in level.sights if _latest_ns(sight)]
    if len(judged) < TRIALS or not in_most([_waits(sight) for sight in judged]):
        return
    waiting = [sight for sight in judged if _waits(sight)]
    usual, latest = (
        median(sight.record.values[name] for sight in waiting)
        for name in ("delay_p50_ns", "delay_p99_ns")
    )
    tenth = median(sight.record.values.get("delay_p90_ns", 0.0) for sight in waiting)
    is_many = tenth >= WAITING_TIMES * usual
    share, late = (0.1, tenth) if is_many else (0.01, latest)
    yield Finding(
        shape="waiting-packets",
        fact=fact("waiting-packets", share=share, late=late, usual=usual),
        values={"share": share, "delay_ns": late, "usual_ns": usual},
    )


def _latest_ns(sight: Sight) -> float | None:
    """The 99th percentile of the delay, where it is of this direction alone."""
    is_both = sight.record.definition.direction == "both"
    return None if is_both else sight.record.values.get("delay_p99_ns")


def _waits(sight: Sight) -> bool:
    """Return True if the latest packets take long, and nothing stood still so long."""
    latest, usual = _latest_ns(sight) or 0.0, sight.record.values.get("delay_p50_ns", 0.0)
    still_ms = max((length for _, length in (*sight.loss.silences, *sight.loss.pauses)), default=0)
    return latest >= max(WAITING_NS, WAITING_TIMES * usual) and still_ms * 1e6 < STILL * latest
