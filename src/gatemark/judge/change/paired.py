# SPDX-License-Identifier: Apache-2.0
"""The change of one quantity, measured in pairs: a boot of the old arm beside one of the new.

The sample is the boot, not the trial. What a boot decides by chance (where its code and its buffers
came to lie, which core has which interrupt) is the same for all trials of that boot, so twenty of
them are no twenty opinions (Kalibera and Jones 2013; Mytkowicz and others, ASPLOS 2009). Each boot
is the median of its trials.

The boots are taken in pairs, as they were measured: one of either arm right after the other, which
came first is random. What drifts over minutes is then in both and falls out of their ratio; a
comparison of all old with all new boots would have the drift in its interval. The change is the
median of the means of all pairs of log ratios (Hodges and Lehmann 1963), its interval is cut from
the same means by the distribution of Wilcoxon's signed rank (Tukey 1949). Neither takes ratios for
normal, as a t interval over boots would, which a single hiccup among six boots makes useless; and
the lots within the pairs are all that the test assumes.
"""

from collections.abc import Sequence
from math import expm1, sqrt
from statistics import fmean, variance

from gatemark.judge.change.compare import NOISE, Found, judged, log_ratio
from gatemark.judge.judgement import Change
from gatemark.judge.math import signed, student
from gatemark.judge.math.interval import LEVEL, Interval


def compare_pairs(
    old: Sequence[float],
    new: Sequence[float],
    noise: float = NOISE,
    *,
    higher_is_better: bool = True,
) -> Change:
    """The change from `old` to `new`, value by value; verdicts are those of `compare`.

    With fewer than six pairs 95 % cannot be reached: the interval is the range of all means with
    its true level, and the verdict is `inconclusive`. Raises ValueError where there is no pair, or
    one value is without the other.
    """
    ratios = [log_ratio(a, b) for a, b in zip(old, new, strict=True)]
    logs = signed.middle(ratios)
    ends = expm1(logs.lo), expm1(logs.hi)
    interval = Interval(expm1(logs.value), *ends, logs.n, logs.level)
    p = signed.p_value(ratios)
    found_change = Found(interval, p, _tail(ratios, p), paired=True)
    return judged(found_change, noise, higher_is_better=higher_is_better)


def _tail(ratios: Sequence[float], p: float) -> float:
    """`p`, or less by Student's t where all ratios are on one side: ranks can say no more."""
    apart = min(ratios) > 0 or max(ratios) < 0
    if p > 1 - LEVEL or not apart or len(ratios) < 2:
        return p
    error = sqrt(variance(ratios) / len(ratios))
    return min(p, student.two_sided(fmean(ratios) / error, len(ratios) - 1)) if error else 0.0
