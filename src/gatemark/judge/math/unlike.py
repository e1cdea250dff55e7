# SPDX-License-Identifier: Apache-2.0
"""Which of several parts of the traffic (flows, sizes) lose more than chance lets them."""

from collections.abc import Hashable, Mapping
from math import exp, log
from statistics import quantiles
from typing import Final, TypeVar

Part = TypeVar("Part", bound=Hashable)

LEVEL: Final = 0.01  # of a false name, over all parts (Holm)
LEAST: Final = 0.001  # what any part may lose
WORTH: Final = 0.02  # what a named part loses at least
FEW: Final = 8  # parts: of fewer the one that loses least tells what is usual
TIMES: Final = 3.0  # as much as the others


def unlike(counts: Mapping[Part, tuple[int, float]]) -> set[Part]:
    """The parts, of (tried, lost), that lose far more than the lower quartile of all parts does."""
    shares = sorted(lost / tried for tried, lost in counts.values() if tried)
    if len(shares) < 2:
        return set()
    few = len(shares) < FEW
    usual = max(LEAST, shares[0] if few else quantiles(shares, n=4, method="inclusive")[0])
    by_p = sorted((_tail(n, x, usual), str(part), part) for part, (n, x) in counts.items() if n)
    named = set()
    for place, (p, _, part) in enumerate(by_p):
        if p * (len(by_p) - place) >= LEVEL:
            break
        named.add(part)
    worth = max(WORTH, TIMES * usual)
    return {part for part in named if counts[part][1] / counts[part][0] >= worth}


def _tail(n: int, x: float, p: float) -> float:
    """At most so probable are x or more losses of n (Chernoff's bound of the binomial tail)."""
    share = min(1.0, x / n)
    if share <= p:
        return 1.0
    apart = share * log(share / p)
    if share < 1:
        apart += (1 - share) * log((1 - share) / (1 - p))
    return exp(-n * apart)
