# SPDX-License-Identifier: Apache-2.0
"""The order in which a sender's flows take turns, as bpf/order.h has it: a packet each in a round.

With a seed each round has an order of its own. It begins at a flow and goes on by a stride, both
drawn anew, so that a full queue does not drop packets of the same flows each time.

A trial has up to a hundred thousand rounds, so all numbers are drawn at once: they lie in one long
integer, each in the lower half of 128 bits, and Python's own arithmetic works on all of them.
"""

import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import gcd
from typing import Final

STRIDES: Final = 16
WORD: Final = (1 << 64) - 1
LANE_BYTES: Final = 16
LOWER: Final = int(sys.byteorder == "big")  # half of a lane


def hashed(seed: int, count: int) -> Sequence[int]:
    """Outputs 0 to `count` - 1 of SplitMix64."""
    ones = int.from_bytes((1).to_bytes(LANE_BYTES, "little") * count, "little")
    words = ones * WORD
    z = _joined(range(1, count + 1)) * 0x9E3779B97F4A7C15 + ones * seed & words
    z = ((z ^ z >> 30) & words) * 0xBF58476D1CE4E5B9 & words
    z = ((z ^ z >> 27) & words) * 0x94D049BB133111EB & words
    return _split((z ^ z >> 31) & words, count)


def _joined(numbers: Sequence[int]) -> int:
    lanes = array("Q", bytes(LANE_BYTES * len(numbers)))
    lanes[LOWER::2] = array("Q", numbers)
    return int.from_bytes(lanes.tobytes(), sys.byteorder)


def _split(lanes: int, count: int) -> Sequence[int]:
    return array("Q", lanes.to_bytes(LANE_BYTES * count, sys.byteorder))[LOWER::2]


class Order:
    """Of so many flows; seed 0: flow 0, 1, 2, ... in each round."""

    def __init__(self, seed: int, flows: int) -> None:
        self.seed = seed
        self.flows = flows

    @property
    def is_plain(self) -> bool:
        """Whether each round is as the first."""
        return not self.seed or self.flows == 1

    def rounds(self, count: int) -> list[tuple[int, int]]:
        """The flow that each of the first rounds begins with, and its stride."""
        if self.is_plain:
            return [(0, 1)] * count
        flows, strides = self.flows, self._strides
        drawn = hashed(self.seed, count)
        return [((each >> 32) * flows >> 32, strides[each % STRIDES]) for each in drawn]

    def flows_of(self, number: int) -> Iterator[int]:
        """The flows of a round in their order."""
        flow, stride = self.rounds(number + 1)[-1]
        return ((flow + slot * stride) % self.flows for slot in range(self.flows))

    def sent(self, by_flow: bytes) -> bytes:
        """A byte of each flow, round by round, in the order in which they are sent."""
        flows = self.flows
        if self.is_plain:
            return by_flow
        return b"".join(
            (by_flow[at : at + flows] * (stride + 1))[flow : flow + stride * flows : stride]
            for at, (flow, stride) in zip(
                range(0, len(by_flow), flows), self.rounds(len(by_flow) // flows), strict=True
            )
        )

    @cached_property
    def _strides(self) -> list[int]:
        """Without a common factor with the flows."""
        return [
            self._coprime((drawn >> 32) * self.flows >> 32)
            for drawn in hashed(~self.seed & WORD, STRIDES)
        ]

    def _coprime(self, start: int) -> int:
        while gcd(start, self.flows) != 1:
            start = start + 1 if start < self.flows else 1
        return start
