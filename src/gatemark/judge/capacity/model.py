# SPDX-License-Identifier: Apache-2.0
"""The result of a fit: each term's cost with its interval, and how far the model is off."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Final

from gatemark.judge.capacity.linear import total
from gatemark.judge.capacity.measured import Block, Measured
from gatemark.judge.capacity.term import Case, columns, value
from gatemark.judge.math.interval import Interval, median_interval

Column = tuple[str, ...]  # a term, or two whose product it is

WORTH: Final = 0.02  # of a packet's time: what a product must come to
FAILS: Final = 0.05  # of it: so much beside the sum is told of a case


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one term."""

    column: Column
    each: Interval  # a packet; of a rule and a byte: each; in the unit of what was measured

    @property
    def is_pair(self) -> bool:
        """Return whether it is what two terms cost together besides."""
        return len(self.column) > 1


@dataclass(frozen=True, slots=True)
class Check:
    """A measured case beside what the model says of it."""

    case: Case
    held_out: bool
    measured: Interval  # at the run's middle speed
    predicted: Interval
    ratio: Interval  # measured / predicted, of each block

    @property
    def error(self) -> float:
        """The error of the predicted packets/s: predicted / measured - 1."""
        return self.measured.value / self.predicted.value - 1

    @property
    def fails(self) -> bool:
        """Whether the sum fails there beyond its interval, by more than chance does among many."""
        apart = self.ratio.lo > 1 or self.ratio.hi < 1
        return apart and abs(self.ratio.value - 1) > FAILS


@dataclass(frozen=True, slots=True)
class Model:
    """A fitted run."""

    measured: Measured
    base_path: str
    costs: tuple[Cost, ...]
    unresolved: tuple[str, ...]  # terms that are there only together with those before them
    blocks: tuple[tuple[float, ...], ...]  # the coefficients of each block, in the order of costs
    checks: tuple[Check, ...] = ()
    margin: float = 1.0  # a setup that was not measured lies within this factor of its prediction
    level: float = 0.0  # how surely; 0: not known
    speeds: Mapping[Block, float] = field(default_factory=dict)

    def row(self, case: Case) -> list[float]:
        """Return how often each cost is in a case."""
        return row_of([cost.column for cost in self.costs], case, self.base_path)

    def takes(self, case: Case) -> Interval:
        """The time, or the instructions, of a packet, by the model alone: without `margin`."""
        row = self.row(case)
        return median_interval([max(1.0, total(block, row)) for block in self.blocks])

    @property
    def held_out(self) -> list[Check]:
        """The cases of setups that were left out of the fit."""
        return [check for check in self.checks if check.held_out]


def row_of(wanted: Iterable[Column], case: Case, base_path: str) -> list[float]:
    """Return how often each column is in a case: a product as often as both factors together."""
    values = columns(case, base_path)
    return [prod(value(name, values) for name in column) for column in wanted]
