# SPDX-License-Identifier: Apache-2.0
"""The model of a run: time per packet = base + sum of terms + bytes x cost of a byte.

Each block is a whole experiment and is fitted on its own, after the block's own speed was taken
out; a cost is the median over the blocks, with the interval of order statistics that every median
here has. So no distribution is assumed, and a hiccup spoils one block.

Where the sum fails for two terms together, and no sum without their product does as well, the
product becomes a term: then the cost of both together is not that of one plus the other.

Instructions are fitted in the same way. They have no noise, so a product needs no test against
chance, and a byte may cost otherwise beyond each frame size that was measured: a driver copies
small frames.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil, exp, inf, log, sqrt
from statistics import fmean, median, stdev
from typing import Final

from gatemark.judge.capacity.linear import independent, relative, total
from gatemark.judge.capacity.measured import Block, Measured
from gatemark.judge.capacity.model import WORTH, Check, Column, Cost, Model, row_of
from gatemark.judge.capacity.term import BASE, Case, Setup, beyond, columns, ordered, reference
from gatemark.judge.math import student
from gatemark.judge.math.interval import LEVEL, median_interval

TELLS: Final = 0.002  # of a packet's instructions: what a product of counted terms must come to
MOST_COUNTED: Final = 16  # products of them: without noise each that helps is there
BETTER: Final = 0.9  # of the squared errors of setups left out: a product must bring them below
MOST_PAIRS: Final = 6  # products; a sum that fails oftener is no sum
TRIED: Final = 3  # candidates a round, by what they explain


def fit(results: Measured) -> Model | None:
    """The model; None where nothing was measured to make a sum of."""
    if not results.fitted():
        return None
    fitting = _Fitting(results)
    if not fitting.blocks(fitting.columns):
        return None
    while pair := fitting.needed():
        fitting.columns.append(pair)
    return _model(fitting)


class _Fitting:
    """The input of a fit: cases with their times at the run's middle speed, and its columns."""

    def __init__(self, results: Measured) -> None:
        self.found = results
        self.speeds = results.speeds()
        self.cases = list(results.fitted())
        self.base_path = reference(case.setup for case in self.cases)
        names = ordered(self.cases, self.base_path)
        names[2:2] = beyond(self.cases) if results.is_count else []
        kept = independent(self.rows([(name,) for name in names], self.cases))
        self.columns: list[Column] = [(names[at],) for at in kept]
        self.unresolved = tuple(name for at, name in enumerate(names) if at not in kept)
        self.middle = {case: median(self.times(case).values()) for case in results.times}

    def times(self, case: Case) -> dict[Block, float]:
        """A case's times, each at the run's middle speed; of blocks whose speed is known."""
        times = self.found.times[case].items()
        level = {block: ns / self.speeds[block] for block, ns in times if block in self.speeds}
        return level or dict(times)

    def rows(self, wanted: Sequence[Column], cases: Iterable[Case]) -> list[list[float]]:
        """The cases as rows of these columns."""
        return [row_of(wanted, case, self.base_path) for case in cases]

    def blocks(self, wanted: Sequence[Column]) -> list[tuple[float, ...]]:
        """Each block's own coefficients; a block that lacks cases to tell them all is left out."""
        made = []
        for block in self.speeds:
            cases = [case for case in self.cases if block in self.found.times[case]]
            times = [self.times(case)[block] for case in cases]
            if coefficients := relative(self.rows(wanted, cases), times):
                made.append(tuple(coefficients))
        return made

    def left_out_errors(self, wanted: Sequence[Column]) -> dict[Setup, float]:
        """Each fitted setup's largest log error where it, as a whole, is left out of the fit.

        A setup without which the others do not tell all columns is not among them.
        """
        made = {}
        for setup in dict.fromkeys(case.setup for case in self.cases):
            others = [case for case in self.cases if case.setup != setup]
            values = relative(self.rows(wanted, others), [self.middle[case] for case in others])
            if values:
                own = [case for case in self.cases if case.setup == setup]
                made[setup] = max((self._error(values, wanted, case) for case in own), key=abs)
        return made

    def held_out_errors(self, wanted: Sequence[Column]) -> dict[Setup, float]:
        """The same of the setups that their plan holds out."""
        coefficients = relative(
            self.rows(wanted, self.cases), [self.middle[case] for case in self.cases]
        )
        values: dict[Setup, float] = {}
        for case in self.found.times:
            if coefficients and case.setup in self.found.held_out and self.knows(case):
                error = self._error(coefficients, wanted, case)
                values[case.setup] = max(values.get(case.setup, 0.0), error, key=abs)
        return values

    def knows(self, case: Case) -> bool:
        """Return whether each term of a case is one of the fit's."""
        known = {name for column in self.columns for name in column} | set(self.unresolved)
        return set(columns(case, self.base_path)) <= known

    def _error(self, values: Sequence[float], wanted: Sequence[Column], case: Case) -> float:
        predicted = total(values, row_of(wanted, case, self.base_path))
        return log(self.middle[case] / max(1.0, predicted))

    def needed(self) -> Column | None:
        """The product of two terms without which the sum fails, if there is one."""
        most = MOST_COUNTED if self.found.is_count else MOST_PAIRS
        if sum(len(column) > 1 for column in self.columns) >= most:
            return None
        candidates = self._candidates()
        ranked = sorted(candidates, key=lambda pair: self._unexplained([*self.columns, pair]))
        return next((p for p in ranked[:TRIED] if self._is_needed(p, len(candidates))), None)

    def _candidates(self) -> list[Column]:
        """Products of two terms that two fitted setups or more have, and that say something new."""
        single = [column[0] for column in self.columns if len(column) == 1 and column[0] != BASE]
        columns: list[Column] = []
        for pair in combinations(single, 2):
            having = {c.setup for c in self.cases if row_of([pair], c, self.base_path)[0]}
            wanted = [*self.columns, pair]
            if pair in self.columns or len(having) < 2 or len(having) == len(self.cases):
                continue
            if len(independent(self.rows(wanted, self.cases))) == len(wanted):
                columns.append(pair)
        return columns

    def _unexplained(self, wanted: Sequence[Column]) -> float:
        """The squares of the relative errors that are left."""
        times = [self.middle[case] for case in self.cases]
        rows = self.rows(wanted, self.cases)
        values = relative(rows, times)
        if not values:
            return inf
        return sum(
            (t / max(1.0, total(values, r)) - 1) ** 2 for t, r in zip(times, rows, strict=True)
        )

    def _is_needed(self, pair: Column, among: int) -> bool:
        """Told from nothing among so many, worth a word, and better at setups that are left out."""
        wanted = [*self.columns, pair]
        costs = [block[-1] for block in self.blocks(wanted)]
        by_chance = 0.0 if self.found.is_count else chance(costs) * among
        if not costs or by_chance > 1 - LEVEL:
            return False
        having = [c for c in self.cases if row_of([pair], c, self.base_path)[0]]
        shares = [
            abs(median(costs)) * row_of([pair], case, self.base_path)[0] / self.middle[case]
            for case in having
        ]
        if median(shares) <= (TELLS if self.found.is_count else WORTH):
            return False
        with_it, without = (self.left_out_errors(texts) for texts in (wanted, self.columns))
        both = with_it.keys() & without.keys()
        return sum(with_it[s] ** 2 for s in both) < BETTER * sum(without[s] ** 2 for s in both)


def chance(costs: Sequence[float]) -> float:
    """Return how likely costs as far from nothing are if there is none: Student's t."""
    if len(costs) < 2:
        return 1.0
    error = stdev(costs) / sqrt(len(costs))
    return student.two_sided(fmean(costs) / error, len(costs) - 1) if error else 0.0


def margin(errors: Iterable[float]) -> tuple[float, float]:
    """The factor that holds a new setup's error, and how surely.

    Setups that were left out of the fit are as strange to it as one that was not measured. So the
    next one's error is among the first k of n + 1, ordered by size, with probability k / (n + 1)
    (conformal prediction: Vovk, Gammerman and Shafer 2005; Barber and others 2021). Where none
    could be left out, nothing is known: no factor, at no level.
    """
    sizes = sorted(map(abs, errors))
    n = len(sizes)
    if not n:
        return 1.0, 0.0
    k = min(n, ceil(LEVEL * (n + 1)))
    return exp(sizes[k - 1]), min(LEVEL, k / (n + 1))


def _model(fitting: _Fitting) -> Model:
    wanted, blocks = fitting.columns, tuple(fitting.blocks(fitting.columns))
    errors = fitting.left_out_errors(wanted) | fitting.held_out_errors(wanted)
    factor, level = margin(errors.values())
    bare = Model(
        measured=fitting.found,
        base_path=fitting.base_path,
        costs=tuple(
            Cost(column, median_interval([block[at] for block in blocks]))
            for at, column in enumerate(wanted)
        ),
        unresolved=fitting.unresolved,
        blocks=blocks,
    )
    checks = tuple(_checks(bare, fitting))
    return replace(bare, checks=checks, margin=factor, level=level, speeds=fitting.speeds)


def _checks(model: Model, fitting: _Fitting) -> Iterator[Check]:
    for case in fitting.found.times:
        if not fitting.knows(case):
            continue
        times, predicted = list(fitting.times(case).values()), model.takes(case)
        yield Check(
            case=case,
            held_out=case.setup in fitting.found.held_out,
            measured=median_interval(times),
            predicted=predicted,
            ratio=median_interval([ns / predicted.value for ns in times]),
        )
