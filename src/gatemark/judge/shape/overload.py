# SPDX-License-Identifier: Apache-2.0
"""Overload: the CPU is full and its queue refuses. Never by one of the two alone."""

from collections.abc import Iterator
from statistics import median
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.shape.sight import Level, Sweep

REFUSED: Final = 0.01  # of what was sent


def find(sweep: Sweep) -> Iterator[Finding]:
    """The capacity is what the port took in: right also where something drops behind it."""
    over = [level for level in sweep.levels if is_over(level)]
    if not over:
        return
    capacity = median(sight.taken_pps for level in over for sight in level.sights)
    busy = max(level.busy or 0.0 for level in over)
    yield Finding(
        shape="overload",
        fact=fact("overload", busy=busy, rate=capacity),
        values={"capacity_pps": capacity},
    )


def is_over(level: Level) -> bool:
    """Whether a rate overloads the CPU; a card's queue refuses nothing at the sender's port."""
    drops = level.refused_share > REFUSED or (
        level.core is not None and level.core.inside and level.inside_share > REFUSED
    )
    return level.is_full and drops
