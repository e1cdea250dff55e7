# SPDX-License-Identifier: Apache-2.0
"""Which of many builds in a row brought a step: what to measure next, and what is known then.

Counted, the value of a build is a number: plain bisection. A midpoint that is neither end's value
shows a second step, so both halves are searched. Timed, a value has noise: there is a posterior
over the place of the step, with the levels before and after it unknown (flat priors, integrated
out), and the build that splits it in half is measured next.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, exp, log
from statistics import fmean, variance
from typing import Final

import msgspec

from gatemark.judge.change.compare import size

CERTAIN: Final = 0.95
ENDS: Final = 6  # boots of either end, which tell the noise of a boot
MOST_BOOTS: Final = 64  # of one measurement: a smaller effect does not end

Values = Mapping[int, float]  # place of a build -> instructions
Pair = tuple[int, int, float, int]  # a build, a later one, mean of log(later / build), boots in it


class Between(msgspec.Struct, frozen=True):
    """A step: after build `before`, at `after` at the latest."""

    before: int
    after: int  # not the next one where builds between them do not boot
    change: float  # after / before - 1


def next_counted(
    builds: int, values: Values, allow: float = 0.0, skipped: Collection[int] = ()
) -> int | None:
    """The build to count next; None: all steps above `allow` are known."""
    for end in (0, builds - 1):
        if end not in values:
            return end
    return next((at for _, at in _open(builds, values, allow, skipped) if at is not None), None)


def steps(
    builds: int, values: Values, allow: float = 0.0, skipped: Collection[int] = ()
) -> list[Between]:
    """The steps that are known, in order."""
    ends = [pair for pair, at in _open(builds, values, allow, skipped) if at is None]
    return [Between(low, high, values[high] / values[low] - 1) for low, high in sorted(ends)]


def _open(
    builds: int, values: Values, allow: float, skipped: Collection[int]
) -> Iterator[tuple[tuple[int, int], int | None]]:
    """Neighbours among what was counted that differ, with what to count between them."""
    known = sorted(at for at in values if 0 <= at < builds)
    for low, high in pairwise(known):
        if size(values[high] / values[low] - 1) > allow:
            yield (low, high), _middle(low, high, skipped)


def _middle(low: int, high: int, skipped: Collection[int]) -> int | None:
    """The build nearest to the middle that boots; None: there is none between them."""
    between = [at for at in range(low + 1, high) if at not in skipped]
    return min(between, key=lambda at: abs(2 * at - low - high), default=None)


class Spot(msgspec.Struct, frozen=True):
    """Where a step may be: `chances[k]` that build k is the first after it; of build 0: none."""

    chances: tuple[float, ...]

    @property
    def likeliest(self) -> int:
        """The build that is most likely the first after the step."""
        return max(range(len(self.chances)), key=self.chances.__getitem__)

    @property
    def is_certain(self) -> bool:
        """Return whether that is known to 95 %."""
        return self.chances[self.likeliest] >= CERTAIN

    def next(self, skipped: Collection[int] = ()) -> int:
        """The build that splits the posterior in half. Raises ValueError where none boots."""
        total, halves = 0.0, dict[int, float]()
        for at, chance in enumerate(self.chances):
            total += chance
            if at not in skipped:
                halves[at] = abs(total - 0.5)
        return min(halves, key=halves.__getitem__)


def spot(
    builds: int,
    measured: Sequence[tuple[int, float, int]],
    spread: float,
    skipped: Collection[int] = (),
    pairs: Sequence[Pair] = (),
) -> Spot:
    """The posterior of measurements: build, mean of logarithms, boots in it.

    `spread` is the standard deviation of a boot; both ends are measured. A step at a build that is
    skipped cannot be told from one at the next that boots, and is put there. `pairs` are builds
    that were measured beside each other.
    """
    logs = {k: _evidence(measured, pairs, k, spread) for k in range(1, builds) if k not in skipped}
    most = max(logs.values())
    weights = {k: exp(each - most) for k, each in logs.items()}
    total = sum(weights.values())
    return Spot(tuple(weights.get(k, 0.0) / total for k in range(builds)))


def boots(effect: float, spread: float) -> int:
    """Boots of one measurement: enough that the effect is twice its noise."""
    if not effect:
        return MOST_BOOTS
    return max(1, min(MOST_BOOTS, ceil((2 * spread / effect) ** 2)))


def of_ends(first: Sequence[float], last: Sequence[float]) -> tuple[float, float]:
    """Effect and the spread of a boot, by the logarithms of both ends' boots."""
    within = (len(first) - 1) * variance(first) + (len(last) - 1) * variance(last)
    spread = (within / (len(first) + len(last) - 2)) ** 0.5
    return fmean(last) - fmean(first), spread


def _evidence(
    measured: Sequence[tuple[int, float, int]], pairs: Sequence[Pair], k: int, spread: float
) -> float:
    """The logarithm of how likely all of it is if build k is the first after the step."""
    total, levels = 0.0, list[float]()
    for side in (
        [each for each in measured if each[0] < k],
        [each for each in measured if each[0] >= k],
    ):
        weight = sum(number for _, _, number in side)
        mean = sum(value * number for _, value, number in side) / weight
        squares = sum(number * (value - mean) ** 2 for _, value, number in side)
        total -= log(weight) / 2 + squares / (2 * spread**2)
        levels.append(mean)
    for before, after, value, number in pairs:
        expected = levels[1] - levels[0] if before < k <= after else 0.0
        total -= number * (value - expected) ** 2 / (2 * spread**2)
    return total
