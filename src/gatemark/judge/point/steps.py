# SPDX-License-Identifier: Apache-2.0
"""A quantity in equal steps of a trial's time: means, medians, and how steady it is."""

from collections.abc import Iterable, Sequence
from statistics import median

NEAR = 0.1  # of its median: within this a rate is steady


def medians(steps: Iterable[Sequence[float]]) -> list[float | None]:
    """The median of each step; None where it has no value."""
    return [median(values) if values else None for values in steps]


def steady(rates: Sequence[float | None]) -> float:
    """The share of the known steps whose rate is near the median."""
    known = [rate for rate in rates if rate is not None]
    middle = median(known) if known else 0.0
    return sum(abs(rate - middle) <= NEAR * middle for rate in known) / max(len(known), 1)


def even(
    values: Iterable[tuple[float, float, float, float]], began: float, step_ns: float
) -> list[float]:
    """The mean delay at equal steps; a step in which nothing arrived is like the one before."""
    sums: dict[int, tuple[float, float]] = {}
    for at, mean, _, count in values:
        place = round((at - began) / step_ns)
        total, packets = sums.get(place, (0.0, 0.0))
        sums[place] = total + mean * count, packets + count
    means: list[float] = []
    for place in range(max(sums, default=-1) + 1):
        total, packets = sums.get(place, (0.0, 0.0))
        means.append(total / packets if packets else means[-1])
    return means
