# SPDX-License-Identifier: Apache-2.0
"""The memory that a flow takes, and for how many there is room: a line through readings.

    memory     measured  .o
      |               .o'       slope: bytes of a flow (Theil and Sen)
      |           .o'
      |   ....o'                the first tenth predicts where memory ends:
      |o'                       entries + (memory free + spare) / slope
      +--------------------- entries in the table

The slope is the median of those of all pairs of readings, so that a reading taken while something
else on the machine took memory moves it little. Readings of one fill are sums of what came before
and no independent samples: the interval is that of the median over fills
(judge/math/interval.py), not of one fill's line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, takewhile
from math import floor, log10
from statistics import median
from typing import Final

from gatemark.store.record import FillStep

EARLY: Final = 0.1  # of the fill: what is predicted from
FEWEST: Final = 3  # readings that make a line
RISING: Final = 0.5  # of a step's flows that have an entry more: else the table is full
RECOMMENDED: Final = 0.75  # of what memory has room for; the rest is for packets and programs


@dataclass(frozen=True, slots=True)
class Line:
    """y = intercept + slope x."""

    slope: float
    intercept: float

    def at(self, x: float) -> float:
        """Its y at x."""
        return self.intercept + self.slope * x


def line(points: Sequence[tuple[float, float]]) -> Line | None:
    """The line of Theil (1950) and Sen (1968) through points; None of too few."""
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in combinations(points, 2) if a != c]
    if len({x for x, _ in points}) < FEWEST:
        return None
    slope = median(slopes)
    return Line(slope, median(y - slope * x for x, y in points))


def slab(steps: Sequence[FillStep]) -> Line | None:
    """All slabs of the gateway over the entries in its table, for as long as these rise."""
    return line([(step.entries, step.slab_bytes) for step in rising(steps)])


def rising(steps: Sequence[FillStep]) -> list[FillStep]:
    """The steps before the table took no more."""
    more = takewhile(lambda pair: _took(*pair), pairwise(steps))
    return [*steps[:1], *(step for _, step in more)]


def _took(before: FillStep, after: FillStep) -> bool:
    return after.entries - before.entries >= RISING * (after.flows - before.flows) > 0


def early(steps: Sequence[FillStep]) -> list[FillStep]:
    """The steps of the first tenth of the fill, or its first four where these are more."""
    kept_steps = rising(steps)
    tenth = [step for step in kept_steps if step.entries <= EARLY * kept_steps[-1].entries]
    return kept_steps[: max(1 + FEWEST, len(tenth))]


def early_slab(steps: Sequence[FillStep]) -> Line | None:
    """The slabs' line in these; without the empty table, if enough are left.

    In its slabs the first flows find room.
    """
    known = early(steps)
    return slab(known[1:]) or slab(known)


def predicted(steps: Sequence[FillStep], spare_bytes: int) -> float | None:
    """The flows that the gateway's memory has room for, by the first tenth of a fill.

    None where there are too few steps. To what is free, on lists of CPUs too, comes what is
    spared (probe/connections.py): cached files, less the kernel's reserve.
    """
    known, line = early(steps), early_slab(steps)
    if line is None or line.slope <= 0:
        return None
    last = known[-1]
    return last.entries + (last.free_bytes + last.listed_bytes + spare_bytes) / line.slope


def recommended(limit: float) -> float:
    """A bound for the table (nf_conntrack_max) that its memory keeps, to two digits, downwards."""
    room = RECOMMENDED * limit
    digit = 10.0 ** (floor(log10(room)) - 1) if room >= 1 else 1.0
    return floor(room / digit) * digit
