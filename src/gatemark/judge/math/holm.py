# SPDX-License-Identifier: Apache-2.0
"""Many rows of one table: p adjusted by Holm (1979)."""

from collections.abc import Sequence

from gatemark.judge.math.real import require_no_nan


def adjusted(p: Sequence[float]) -> list[float]:
    """Each p times the rows that are no more certain, in order, 1 at most.

    The chance that any row at all is called different though nothing differs stays at 5 %. Raises
    ValueError of NaN.
    """
    require_no_nan(p)
    order = sorted(range(len(p)), key=p.__getitem__)
    values, highest = list(p), 0.0
    for place, row in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - place) * p[row]))
        values[row] = highest
    return values
