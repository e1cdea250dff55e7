# SPDX-License-Identifier: Apache-2.0
"""Slow flows: their packets take longer than those of the others, at a rate that loses nothing."""

from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Final

from gatemark.judge.finding import Finding
from gatemark.judge.shape.flows import MOST, attribute
from gatemark.judge.shape.sight import Sight, Sweep, in_most
from gatemark.number import duration

FEWEST: Final = 4  # flows
TRIALS: Final = 3
LONGER: Final = 0.15  # of the usual delay: so much longer at least
LEAST_NS: Final = 5_000.0
SPREADS: Final = 12.0  # of the faster half: their median distance from its middle
MANY: Final = 0.375  # of the flows: from there on none lies between slow and fast ones


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
        words=f"{len(named)} of {len(more)} flows take {duration(longer)} longer than the others, "
        f"which take {duration(median(usual))}: {which}. Look at rules and queues that they alone "
        "pass.",
        clause=f"delays {len(named)} of {len(more)} flows by {duration(longer)}",
        values={"flows": float(len(named)), "of_flows": float(len(more)), "longer_ns": longer},
    )


def _is_timed(sight: Sight) -> bool:
    delays = sight.loss.delay_by_flow
    return len(delays) >= FEWEST and all(delays)


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
