# SPDX-License-Identifier: Apache-2.0
"""The backlog of a queue while packets are sent: one that grows loses nothing until it is full.

By bins of equal time: sent and not lost, less arrived. A trial of some tenths of a second may end
before the queue overflows. Its rate was still more than what carries it can do, by as much as the
backlog grew.
"""

from collections.abc import Sequence
from itertools import accumulate
from statistics import median
from typing import Final

PARTS: Final = 4  # of the time: the first is held against the last
FEWEST_BINS: Final = 8


def growth(sent: Sequence[int], arrived: Sequence[int]) -> float:
    """Return the share of what was sent meanwhile by which the backlog grew; 0 of too few bins.

    `arrived` may go on after the last bin of `sent`, or end before it.
    """
    if len(sent) < FEWEST_BINS or not sum(sent):
        return 0.0
    came = [*arrived[: len(sent)], *[0] * (len(sent) - len(arrived))]
    more, meanwhile = _rise([a - b for a, b in zip(sent, came, strict=True)]), _rise(sent)
    return more / meanwhile if meanwhile else 0.0


def _rise(packets: Sequence[int]) -> float:
    """Return by how much their sum grew from the middle of the first part to that of the last."""
    sums = list(accumulate(packets))
    part = len(sums) // PARTS  # without the first bin and the last one, which may be cut short
    return median(sums[-part - 1 : -1]) - median(sums[1 : part + 1])
