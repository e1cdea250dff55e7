# SPDX-License-Identifier: Apache-2.0
"""Least squares of relative errors, for few columns: numpy and scipy cost a second to import.

Times are positive and their errors grow with them, so what is made small is the sum of squares of
(measured - sum) / sum: a gamma regression with the identity as its link (McCullagh and Nelder,
Generalized Linear Models, chapter 8), by weights that are renewed until they stand.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Final

Rows = Sequence[Sequence[float]]

ROUNDS: Final = 6  # of renewing the weights; the fourth changes nothing to six digits
SINGULAR: Final = 1e-9  # of a column's own length: so short a rest is none
LEAST: Final = 0.05  # of what was measured: a sum near nothing, or below, takes no more weight


def relative(rows: Rows, measured: Sequence[float]) -> list[float] | None:
    """The coefficients whose sums are relatively nearest; None where rows do not tell them all."""
    sums: Sequence[float] = measured
    values: list[float] | None = None
    for _ in range(ROUNDS):
        weights = [1 / max(s, LEAST * m) ** 2 for s, m in zip(sums, measured, strict=True)]
        values = weighted(rows, measured, weights)
        if values is None:
            return None
        sums = [total(values, row) for row in rows]
    return values


def total(coefficients: Sequence[float], row: Sequence[float]) -> float:
    """The sum that a row makes."""
    return sum(c * x for c, x in zip(coefficients, row, strict=True))


def weighted(rows: Rows, target: Sequence[float], weights: Sequence[float]) -> list[float] | None:
    """Weighted least squares by the normal equations, columns brought to one length first."""
    if not rows or len(rows) < len(rows[0]):
        return None
    scale = [
        sqrt(sum(w * x * x for w, x in zip(weights, column, strict=True)))
        for column in zip(*rows, strict=True)
    ]
    if not all(scale):
        return None
    size = range(len(scale))
    matrix = [[0.0] * (len(scale) + 1) for _ in size]
    for row, y, w in zip(rows, target, weights, strict=True):
        there = [(i, x / scale[i]) for i, x in enumerate(row) if x]
        for i, x in there:
            line, wx = matrix[i], w * x
            for j, other in there:
                line[j] += wx * other
            line[-1] += wx * y
    solved = _eliminated(matrix)
    return None if solved is None else [x / s for x, s in zip(solved, scale, strict=True)]


def independent(rows: Rows) -> list[int]:
    """Columns that are no sum of those before them, by Gram and Schmidt."""
    kept: list[int] = []
    basis: list[list[float]] = []
    for place, column in enumerate(zip(*rows, strict=True)):
        rest = list(column)
        for basi in (*basis, *basis):  # twice: the first pass leaves rounding errors
            part = sum(a * b for a, b in zip(basi, rest, strict=True))
            rest = [b - part * a for a, b in zip(basi, rest, strict=True)]
        length, whole = (sqrt(sum(x * x for x in values)) for values in (rest, column))
        if length > 1e-6 * whole:
            kept.append(place)
            basis.append([x / length for x in rest])
    return kept


def _eliminated(matrix: list[list[float]]) -> list[float] | None:
    """Gauss and Jordan with the largest pivot of each column."""
    for at in range(len(matrix)):
        pivot = max(range(at, len(matrix)), key=lambda row: abs(matrix[row][at]))
        if abs(matrix[pivot][at]) < SINGULAR:
            return None
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        lead = [x / matrix[at][at] for x in matrix[at]]
        matrix[at] = lead
        for row, line in enumerate(matrix):
            if row != at and (times := line[at]):
                matrix[row] = [x - times * y for x, y in zip(line, lead, strict=True)]
    return [line[-1] for line in matrix]
