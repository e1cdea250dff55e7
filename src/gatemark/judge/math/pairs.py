# SPDX-License-Identifier: Apache-2.0
"""Places in the order of all differences of two samples, without making the n * m of them.

Each row, one sample's differences from all the other samples, is in order already. So the middles
of the rows that are still in question are cut at their weighted median, which drops at least a
quarter of all candidates at a time (Johnson and Mizoguchi 1978). Floating point keeps the order of
a row, so that the places are those of the sorted list, to the last bit.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

FEW: Final = 20_000  # differences that are sorted at once: as fast as to search


def at_places(low: Sequence[float], high: Sequence[float], places: Sequence[int]) -> list[float]:
    """Return what stands at these places, from 0, of all `high - low` in rising order."""
    rows, columns = sorted(low), sorted(high)
    if len(rows) * len(columns) <= FEW:
        every = sorted([b - a for a in rows for b in columns])
        return [every[place] for place in places]
    return [_at(rows, columns, place) for place in places]


def _at(rows: list[float], columns: list[float], place: int) -> float:
    """Return what stands at one place."""
    first, last = [0] * len(rows), [len(columns)] * len(rows)  # of each row, the candidates
    while (left := sum(last) - sum(first)) > FEW:
        cut = _middle(rows, columns, first, last, left)
        below = _counts(rows, columns, cut, equal=False)
        if place < sum(below):
            last = list(map(min, last, below))
            continue
        upto = _counts(rows, columns, cut, equal=True)
        if place < sum(upto):
            return cut
        first = list(map(max, first, upto))
    each = zip(rows, first, last, strict=True)
    rest = sorted([b - a for a, start, end in each for b in columns[start:end]])
    return rest[place - sum(first)]


def _middle(
    rows: list[float], columns: list[float], first: list[int], last: list[int], left: int
) -> float:
    """Return the weighted median of the rows' middles."""
    each = zip(rows, first, last, strict=True)
    middles = sorted((columns[(s + e) // 2] - a, e - s) for a, s, e in each if s < e)
    sums = accumulate(weight for _, weight in middles)
    return next(m for (m, _), sum_ in zip(middles, sums, strict=True) if 2 * sum_ >= left)


def _counts(rows: list[float], columns: list[float], cut: float, *, equal: bool) -> list[int]:
    """Return how many differences of each row are below `cut`, or `equal` to it.

    A larger row begins lower, so the count only rises.
    """
    counts, count, most = [], 0, len(columns)
    for a in rows:
        while count < most and ((step := columns[count] - a) < cut or (equal and step == cut)):
            count += 1
        counts.append(count)
    return counts
