# SPDX-License-Identifier: Apache-2.0
"""Runs of lost packets: how many in a row, in the order of sending."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of lost packets among those that were sent. Those of several flows can be added."""

    packets: int = 0  # sent
    lost: int = 0
    count: int = 0  # runs
    longest: int = 0  # packets of the longest run

    def __add__(self, other: Self) -> "Runs":
        return Runs(
            self.packets + other.packets,
            self.lost + other.lost,
            self.count + other.count,
            max(self.longest, other.longest),
        )

    @property
    def lost_ratio(self) -> float:
        """The lost share of the packets that were sent."""
        return self.lost / self.packets if self.packets else 0.0

    @property
    def mean(self) -> float:
        """Packets of a run; 0 if nothing was lost."""
        return self.lost / self.count if self.count else 0.0

    @property
    def burst_r(self) -> float:
        """BurstR (G.107): the mean run against that of as much random loss, 1 / (1 - loss).

        1: at random, or nothing was lost; above: in bursts; below: more evenly than at random.
        """
        return self.mean * (1 - self.lost_ratio) if self.count else 1.0


def runs(lost: Iterable[bool]) -> Runs:
    """Return the runs of lost packets, in the order of sending."""
    packets = gone = count = longest = length = 0
    for is_lost in lost:
        packets += 1
        length = length + 1 if is_lost else 0
        gone += is_lost
        count += length == 1
        longest = max(longest, length)
    return Runs(packets, gone, count, longest)
