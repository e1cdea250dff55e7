# SPDX-License-Identifier: Apache-2.0
"""The load at which a share is lost on average, by Bayes, from trials at several loads.

In the manner of PLRsearch (draft-vpolak-bmwg-plrsearch): what is lost a second, over the load x, is
one of two curves with the same parameters, a rate m where loss begins and a spread s, of which
nobody knows which is right: `stretch`, the integral of the logistic curve, and `erf`, that of the
normal one. Both are weighed over a grid of m and s by the chance of the losses that were counted
(Poisson, made wider where trials of one load differ by more), and by a prior even in m and log s.
What comes out is the median of the load and the 95 % of its weight around it.
"""

from collections.abc import Callable, Iterator, Sequence
from math import erf, exp, log, log1p, pi, sqrt
from typing import Final, NamedTuple

from gatemark.judge.math.interval import LEVEL, Interval

RATES: Final = 41  # of m in a grid
SPREADS: Final = 21  # of s
CLOSER: Final = 6  # times the grid is laid around what is likely in the one before
NARROW, WIDE = 0.0005, 0.5  # s, as a share of the highest load
FEWEST_LOADS: Final = 3
NEGLIGIBLE: Final = 18.0  # in logarithms: less likely than the likeliest by e to that
HALVINGS: Final = 30


class Counted(NamedTuple):
    """A trial: how much was offered, for how long, how many packets were lost of how many."""

    load_pps: float
    seconds: float
    lost: int


Ends = tuple[float, float]
Curve = Callable[[float, float, float], float]  # load, m, s -> lost packets/s


def stretch(x: float, m: float, s: float) -> float:
    """Return the loss by the integral of the logistic curve."""
    return s * (_softplus((x - m) / s) - _softplus(-m / s))


def normal(x: float, m: float, s: float) -> float:
    """Return the loss by the integral of the normal curve."""
    return s * (_ramp((x - m) / s) - _ramp(-m / s))


def _softplus(t: float) -> float:
    return t + log1p(exp(-t)) if t > 0 else log1p(exp(t))


def _ramp(t: float) -> float:
    return t * (1 + erf(t / sqrt(2))) / 2 + exp(-t * t / 2) / sqrt(2 * pi)


CURVES: Final[tuple[Curve, ...]] = (stretch, normal)


def critical(trials: Sequence[Counted], share: float) -> Interval | None:
    """Return the load of which so much is lost; None of fewer loads, or where none loses.

    Beyond the highest load nothing is known: an end there is that load.
    """
    sums = _sums(trials)
    if len(sums) < FEWEST_LOADS or not any(each.lost for each in sums):
        return None
    most, wider = max(each.load_pps for each in sums), _wider(trials)
    rates, spreads = (0.0, 1.2 * most), (NARROW * most, WIDE * most)
    for _ in range(CLOSER):
        weighed = list(_weighed(sums, wider, rates, spreads))
        likely = max(weight for weight, *_ in weighed) - NEGLIGIBLE
        kept = [(m, s) for weight, _, m, s in weighed if weight > likely]
        rates = _around([m for m, _ in kept], rates, RATES)
        low, high = _around([log(s) for _, s in kept], (log(spreads[0]), log(spreads[1])), SPREADS)
        spreads = exp(low), exp(high)
    top = max(weight for weight, *_ in weighed)
    loads = sorted(
        (_at(curve, m, s, share, most), exp(weight - top))
        for weight, curve, m, s in weighed
        if weight > top - NEGLIGIBLE
    )
    tail = (1 - LEVEL) / 2
    lo, value, hi = (_quantile(loads, part) for part in (tail, 0.5, 1 - tail))
    return Interval(value, lo, hi, len(trials), LEVEL)


Weighed = tuple[float, Curve, float, float]  # logarithm of the weight, curve, m, s


def _weighed(
    sums: Sequence[Counted], wider: float, rates: Ends, spreads: Ends
) -> Iterator[Weighed]:
    """Yield each point of a grid with its weight."""
    for curve in CURVES:
        for m in _even(rates, RATES):
            for log_s in _even((log(spreads[0]), log(spreads[1])), SPREADS):
                s = exp(log_s)
                yield _likelihood(sums, curve, m, s) / wider, curve, m, s


def _even(ends: Ends, count: int) -> list[float]:
    low, high = ends
    return [low + (high - low) * at / (count - 1) for at in range(count)]


def _around(kept: Sequence[float], ends: Ends, count: int) -> Ends:
    """Return the ends of what is kept of a grid, and a step more, inside of the grid's."""
    step = (ends[1] - ends[0]) / (count - 1)
    return max(ends[0], min(kept) - step), min(ends[1], max(kept) + step)


def _sums(trials: Sequence[Counted]) -> list[Counted]:
    """Trials of one load together."""
    sums: dict[float, Counted] = {}
    for each in trials:
        before = sums.get(each.load_pps, Counted(each.load_pps, 0.0, 0))
        sums[each.load_pps] = Counted(
            each.load_pps, before.seconds + each.seconds, before.lost + each.lost
        )
    return sorted(sums.values())


def _wider(trials: Sequence[Counted]) -> float:
    """Return by how much losses of one load vary more than by chance (Pearson); 1 at least."""
    total, free = 0.0, 0
    for each in _sums(trials):
        own = [trial for trial in trials if trial.load_pps == each.load_pps]
        for trial in own:
            due = each.lost * trial.seconds / each.seconds
            total += (trial.lost - due) ** 2 / due if due else 0.0
        free += (len(own) - 1) * bool(each.lost)
    return max(1.0, total / free) if free else 1.0


def _likelihood(sums: Sequence[Counted], curve: Curve, m: float, s: float) -> float:
    """Return the logarithm of the chance of what was lost, without what is the same for all."""
    total = 0.0
    for each in sums:
        due = max(1e-300, curve(each.load_pps, m, s) * each.seconds)
        total += each.lost * log(due) - due
    return total


def _at(curve: Curve, m: float, s: float, share: float, most: float) -> float:
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_above = curve(middle, m, s) > share * middle
        low, high = (low, middle) if is_above else (middle, high)
    return high


def _quantile(loads: Sequence[tuple[float, float]], part: float) -> float:
    """Return the load below which so much of the weight lies."""
    whole, below = sum(weight for _, weight in loads), 0.0
    for load, weight in loads:
        below += weight
        if below >= part * whole:
            return load
    return loads[-1][0]
