# SPDX-License-Identifier: Apache-2.0
"""Numbers that many walks came to, and by how much those of one arm differ from another's.

A walk meets more than its packet: a tick of the clock, a page that is cleared, an interrupt more.
So an arm has several modes, and which of them comes most often is chance where none is far ahead.
What they meet is the same in all arms. The difference of two arms is therefore not that of their
first modes, but the one shift at which most walks of both come to lie upon each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

Modes = Mapping[int, int]  # instructions -> walks


def pooled(every: Iterable[Modes]) -> Counter[int]:
    """All of them together."""
    counts: Counter[int] = Counter()
    for numbers in every:
        counts.update(numbers)
    return counts


def first(modes: Modes) -> int:
    """The number that came most often; of two that came as often, the smaller."""
    return max(modes, key=lambda number: (modes[number], -number))


def shift(old: Modes, new: Modes) -> int:
    """By how much `new` lies above `old`; of two shifts that fit as well, that of the first modes.

    Each shift is worth the share of walks that it brings upon each other.
    """
    walks, others = sum(old.values()), sum(new.values())
    worth: Counter[int] = Counter()
    for a, count in old.items():
        for b, other in new.items():
            worth[b - a] += round(1e6 * min(count / walks, other / others))
    plain = first(new) - first(old)
    return max(worth, key=lambda by: (worth[by], by == plain, -abs(by - plain)))
