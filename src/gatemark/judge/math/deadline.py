# SPDX-License-Identifier: Apache-2.0
"""Packets that are of no use any more: lost, or later than their deadline."""

from collections.abc import Sequence

from gatemark.judge.math.real import require_no_nan


def misses(delays_ns: Sequence[float | None], deadline_ns: float) -> list[bool]:
    """Return whether each packet missed its deadline; None is a lost one, which did.

    Raises ValueError of NaN.
    """
    require_no_nan((deadline_ns, *(delay for delay in delays_ns if delay is not None)))
    return [delay is None or delay > deadline_ns for delay in delays_ns]


def longest_streak_ns(sent_ns: Sequence[float], missed: Sequence[bool]) -> float:
    """Return the longest time in which every packet missed, from the sending of the first on.

    It ends as the next packet that is in time is sent; at the end, as the last one is.
    """
    longest, since = 0.0, None
    for at_ns, is_missed in zip(sent_ns, missed, strict=True):
        if since is not None:
            longest = max(longest, at_ns - since)
        if not is_missed:
            since = None
        elif since is None:
            since = at_ns
    return longest
