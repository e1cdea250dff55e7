# SPDX-License-Identifier: Apache-2.0
"""Which walks met something else than their packet: a tick of the clock, or two interrupts in one.

A walk begins behind a tick of the gateway's clock, but on a busy machine the next one comes before
it is over. And a packet brings two interrupts, each with a round of softirqs:

    halt |interrupt|softirqs| ... |interrupt|softirqs| ... halt

Now and then the second interrupt comes while the softirqs of the first are served; then these go on
for both, and a round is missing (kernel/softirq.c). Which of the two happens is a race with the
emulated card, and no matter of the packet. docs/measured.md has how many walks that leaves, on a
quiet machine and on a busy one.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

SOFTIRQS: Final = frozenset(("__do_softirq", "handle_softirqs"))
TICKS: Final = frozenset(("tick_sched_timer", "tick_nohz_handler", "tick_handle_periodic"))
# Of the walks: fewer are not judged by, and all of them are kept.
FEWEST: Final = 0.1


class Met(NamedTuple):
    """The disturbances of a walk."""

    ticked: bool
    rounds: int  # of softirqs


def met(path: Sequence[int], function: Callable[[int], str], enters: Callable[[int], bool]) -> Met:
    """Ticks and rounds among a walk's slots; `enters`: whether a slot begins its function."""
    names = [function(slot) for slot in path]
    rounds = sum(name in SOFTIRQS and enters(slot) for slot, name in zip(path, names, strict=True))
    return Met(not TICKS.isdisjoint(names), rounds)


def undisturbed(walks: Sequence[Met]) -> list[bool]:
    """For each walk whether no tick fell into it and no round of its softirqs is missing.

    The whole number of rounds is the largest that a tenth of the walks had without a tick. Where
    there is none, all walks are kept.
    """
    rounds = Counter(walk.rounds for walk in walks if not walk.ticked)
    often = [number for number, times in rounds.items() if times >= FEWEST * len(walks)]
    if not often:
        return [True] * len(walks)
    return [not walk.ticked and walk.rounds == max(often) for walk in walks]
