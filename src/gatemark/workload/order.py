# SPDX-License-Identifier: Apache-2.0
"""The order in which a sender's flows take turns, as bpf/order.h has it: a packet each in a round.

With a seed each round has an order of its own. It begins at a flow and goes on by a stride, both
drawn anew, so that a full queue does not drop packets of the same flows each time.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from math import gcd
from operator import itemgetter
from typing import Final

STRIDES: Final = 16
BITS: Final = (1 << 64) - 1


def hashed(seed: int, at: int) -> int:
    """Output `at` of SplitMix64."""
    z = (seed + (at + 1) * 0x9E3779B97F4A7C15) & BITS
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & BITS
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & BITS
    return z ^ z >> 31


class Order:
    """Of so many flows; seed 0: flow 0, 1, 2, ... in each round."""

    def __init__(self, seed: int, flows: int) -> None:
        self.seed = seed
        self.flows = flows
        self._pick: dict[int, Callable[[bytes], tuple[int, ...]]] = {}

    @property
    def is_plain(self) -> bool:
        """Whether each round is as the first."""
        return not self.seed or self.flows == 1

    def round(self, number: int) -> tuple[int, int]:
        """The flow that a round begins with, and its stride."""
        if self.is_plain:
            return 0, 1
        drawn = hashed(self.seed, number)
        return (drawn >> 32) * self.flows >> 32, self._strides[drawn % STRIDES]

    def flows_of(self, number: int) -> Iterator[int]:
        """The flows of a round in their order."""
        flow, stride = self.round(number)
        return ((flow + slot * stride) % self.flows for slot in range(self.flows))

    def sent(self, number: int, by_flow: bytes) -> bytes:
        """A byte of each flow in the order in which a round sends them."""
        flow, stride = self.round(number)
        if stride not in self._pick:
            at = [slot * stride % self.flows for slot in range(self.flows)]
            self._pick[stride] = itemgetter(*at)
        return bytes(self._pick[stride](by_flow[flow:] + by_flow[:flow]))

    @cached_property
    def _strides(self) -> list[int]:
        """Without a common factor with the flows."""
        return [
            self._coprime((hashed(~self.seed & BITS, at) >> 32) * self.flows >> 32)
            for at in range(STRIDES)
        ]

    def _coprime(self, start: int) -> int:
        while gcd(start, self.flows) != 1:
            start = start + 1 if start < self.flows else 1
        return start
