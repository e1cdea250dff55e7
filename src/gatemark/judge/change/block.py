# SPDX-License-Identifier: Apache-2.0
"""Two arms block by block: what drifts from one block of a run to the next is in no difference.

A block holds every arm once, seconds apart (plan/order.py); a machine that others share drifts by
tens of per cent over minutes. So each block gives one difference. Their middle, its interval and
the test are those of signed ranks, which assume no distribution, but that chance pushes a
difference up as readily as down: within a block it is left to chance which arm goes first.
"""

from collections.abc import Mapping, Sequence
from math import expm1, inf, log, sqrt
from statistics import fmean, stdev

from msgspec.structs import replace

from gatemark.judge.change.compare import ALPHA, reach
from gatemark.judge.judgement import Cost, Verdict
from gatemark.judge.math import signed, student
from gatemark.judge.math.interval import LEVEL, Interval

Samples = Mapping[int, float]  # block (a record's repeat) -> value


def differences(old: Samples, new: Samples) -> list[float]:
    """new - old of each block that has both, in the order of the blocks."""
    return [new[block] - old[block] for block in sorted(old.keys() & new.keys())]


def ratio(old: Samples, new: Samples) -> Interval | None:
    """new / old - 1 by the ratios of each block; None where one of the values is not above 0."""
    pairs = [(old[block], new[block]) for block in sorted(old.keys() & new.keys())]
    if not pairs or min(map(min, pairs)) <= 0:
        return None
    middle = signed.middle([log(after / before) for before, after in pairs])
    value, lo, hi = map(expm1, (middle.value, middle.lo, middle.hi))
    return replace(middle, value=value, lo=lo, hi=hi)


def least_p(values: Sequence[float]) -> float:
    """Return p of no difference: the signed rank test's, or less by Student's paired t (1908).

    Where all differences have one sign the ranks have said all they can: six blocks have no p below
    1 / 32, which no table of several steps survives.
    """
    p = signed.p_value(values)
    one_sided = min(values) > 0 or max(values) < 0
    if p > ALPHA or not one_sided or len(values) < 2:
        return p
    error = stdev(values) / sqrt(len(values))
    t = fmean(values) / error if error else inf
    return min(p, student.two_sided(t, len(values) - 1))


def cost(
    values: Sequence[float],
    noise: float,
    p: float,
    *,
    rows: int = 1,
    higher_is_better: bool = False,
) -> Cost:
    """Return the cost of these differences; `p` is adjusted for a table of so many rows.

    The verdicts are those of `compare.compare`, with a noise in the quantity's unit: a claim is
    that the difference is larger than the noise.
    """
    interval = signed.middle(values)
    return Cost(
        difference=interval,
        p=p,
        mde=_mde(interval, noise, ALPHA / rows),
        noise=noise,
        verdict=_verdict(interval, noise, p, higher_is_better=higher_is_better),
    )


def _mde(interval: Interval, noise: float, alpha: float) -> float | None:
    if interval.level < LEVEL:
        return None
    half = (interval.hi - interval.lo) / 2
    return noise + half * reach(interval, alpha)


def _verdict(interval: Interval, noise: float, p: float, *, higher_is_better: bool) -> Verdict:
    near, far = sorted((abs(interval.lo), abs(interval.hi)))
    if p > ALPHA or interval.lo <= 0 <= interval.hi:
        return "no change" if far <= noise and interval.level >= LEVEL else "inconclusive"
    if abs(interval.value) <= noise:
        return "within noise"
    if near <= noise:
        return "inconclusive"
    return "faster" if (interval.value > 0) == higher_is_better else "slower"
