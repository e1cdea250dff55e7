# SPDX-License-Identifier: Apache-2.0
"""The variation of one-way delay: against the shortest (PDV), from packet to packet (IPDV)."""

from collections.abc import Sequence
from itertools import pairwise

from gatemark.judge.math.real import require_no_nan


def pdv(delays_ns: Sequence[float]) -> list[float]:
    """By how much each delay is above the shortest, in ns, sorted (RFC 5481 section 4.2).

    A play-out buffer that is as long as a percentile of it has that share of the packets in time.
    Raises ValueError of NaN.
    """
    require_no_nan(delays_ns)
    shortest = min(delays_ns, default=0.0)
    return sorted(delay - shortest for delay in delays_ns)


def ipdv(delays_ns: Sequence[float | None]) -> list[float]:
    """Each delay less that of the packet that was sent before it, in ns (RFC 3393 section 2).

    In the order of sending; None is a lost packet. A pair of which one is lost has no difference.
    """
    return [
        later - earlier
        for earlier, later in pairwise(delays_ns)
        if earlier is not None and later is not None
    ]
