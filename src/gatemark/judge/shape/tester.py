# SPDX-License-Identifier: Apache-2.0
"""The tester's own fault: its sender paused, or its sink dropped. Rates are less sure then.

What is lost inside the gateway is not the tester's, so the search goes on, by less. A tester that
falls behind its schedule at the highest rates is limited there, and no more: the rates below a full
CPU say whether it works at all.
"""

from collections.abc import Iterator
from statistics import median
from typing import Final

from gatemark.judge.fact import fact, several
from gatemark.judge.finding import Finding
from gatemark.judge.point.facts import is_sink
from gatemark.judge.shape.sight import Sight, Sweep

PAUSED: Final = 0.05  # of the time
DROPPED: Final = 0.001  # of the packets


def find(sweep: Sweep) -> Iterator[Finding]:
    """Judged at rates below a full CPU, by at least half of the trials."""
    quiet = [sight for level in sweep.quiet for sight in level.sights]
    paused = median(_paused(sight) for sight in quiet)
    dropped = median(_dropped(sight) for sight in quiet)
    faults = []
    if paused > PAUSED:
        faults.append(fact("tester.paused", share=paused))
    if dropped > DROPPED:
        faults.append(fact("tester.dropped", share=dropped))
    if faults:
        for sight in sweep.sights:
            sight.explained += _dropped(sight)
        yield Finding(
            shape="tester",
            fact=fact("tester", faults=several(faults, "sentences")),
            values={"share": max(paused, dropped)},
        )


def _paused(sight: Sight) -> float:
    """Return the share of the time. Two senders may share a CPU: short ones are their turns."""
    loss = sight.loss
    least_ms = loss.bin_ms if sight.record.definition.direction == "both" else 0.0
    return sum(ms for _, ms in loss.pauses if ms >= least_ms) / 1000 / sight.seconds


def _dropped(sight: Sight) -> float:
    count = sight.record.accounting
    if is_sink(sight.record.definition):
        return 0.0
    return count.ring_dropped / count.tried if count and count.tried else 0.0
