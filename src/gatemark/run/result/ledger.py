# SPDX-License-Identifier: Apache-2.0
"""Which packets of a sender came, by the sink's ledger (agent/PROTOCOL.md): pure functions.

A trial has up to some millions of packets, so all of it is done on whole numbers; nothing loops
over packets, or over the rounds of their flows.
"""

import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import Final, Self

from gatemark.workload.way import Report

LOST: Final = b"0"[0]  # of a packet, in `sent`
FEWEST: Final = 3  # losses, for the deviation of what is between them
SPREAD: Final = 128  # bits for each run of ones, where there are few: then each is looked at
SOME: Final = re.compile(rb"[^\0]", re.DOTALL)
ONES: Final = [[at for at in range(8) if byte >> at & 1] for byte in range(256)]


@dataclass(frozen=True)
class Ledger:
    """Packets of one sender; packet n of a flow is bit n."""

    tried: tuple[int, ...]  # by flow
    missing: tuple[int, ...]  # by flow; 1: it did not come
    came: int  # bit i: of packet i in the order of sending

    @classmethod
    def read(cls, flows: int, sender: Report, sink: Report) -> Self | None:
        """Of both reports; None where numbers were tried that the ledger has no room for."""
        ledger, tried = sink["ledger"], sender["tried_by_flow"]
        if len(tried) != flows or max(tried) > ledger["numbers"]:
            return None
        came = map(_bits, ledger["bits"] or [""] * flows)
        missing = (((1 << n) - 1) & ~bits for n, bits in zip(tried, came, strict=True))
        return cls(tuple(tried), tuple(missing), _bits(ledger["sent"]))

    @cached_property
    def lost_by_flow(self) -> tuple[int, ...]:
        """How many of each flow did not come."""
        return tuple(bits.bit_count() for bits in self.missing)

    @property
    def lost(self) -> int:
        """How many did not come."""
        return sum(self.lost_by_flow)

    @cached_property
    def lead(self) -> tuple[int, ...]:
        """Of each flow, how many from its first packet on did not come."""
        return tuple((~bits & bits + 1).bit_length() - 1 for bits in self.missing)

    @cached_property
    def halves(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """How many of each flow did not come, of even numbers and of odd ones."""
        even = int.from_bytes(b"\x55" * (max(self.tried, default=0) // 8 + 1), "little")
        evens = tuple((bits & even).bit_count() for bits in self.missing)
        odds = (lost - evens[at] for at, lost in enumerate(self.lost_by_flow))
        return evens, tuple(odds)

    @cached_property
    def gone(self) -> int:
        """Bit i: packet i in the order of sending did not come."""
        return ((1 << sum(self.tried)) - 1) & ~self.came

    @property
    def sent(self) -> bytes:
        """A byte for each packet in the order of sending, LOST if it did not come."""
        above = 1 << sum(self.tried)  # a one that keeps leading zeros
        return format(self.came & above - 1 | above, "b")[:0:-1].encode()

    def lost_between(self, bounds: Sequence[int]) -> list[int]:
        """How many did not come of the packets from each bound to the next."""
        return [
            (self.gone >> first & (1 << last - first) - 1).bit_count()
            for first, last in pairwise(bounds)
        ]

    @property
    def first(self) -> int | None:
        """The first that did not come."""
        return _lowest(self.gone) if self.gone else None

    @property
    def run_mean(self) -> float:
        """How many in a row did not come, in the mean."""
        runs = (self.gone & ~(self.gone << 1)).bit_count()
        return self.lost / runs if runs else 0.0

    @property
    def distance_cv(self) -> float | None:
        """Deviation by mean of the distances from one that did not come to the next."""
        if self.lost < FEWEST:
            return None
        first = _lowest(self.gone)
        span = self.gone.bit_length() - 1 - first
        came = self.came >> first & (1 << span) - 1
        # A run of L that came is a distance of L + 1; others are 1.
        squares = _squares(came) + 2 * came.bit_count() + self.lost - 1
        return sqrt((self.lost - 1) * squares - span**2) / span

    def by_size(self, frames: Sequence[int]) -> dict[str, tuple[int, int]]:
        """Frame bytes -> tried, lost; packet i has the size i modulo their count."""
        sent = self.sent
        parts = [sent[at :: len(frames)] for at in range(len(frames))]
        sizes = sorted(set(frames))
        own = {size: [p for f, p in zip(frames, parts, strict=True) if f == size] for size in sizes}
        return {
            str(size): (sum(map(len, own[size])), sum(part.count(LOST) for part in own[size]))
            for size in sizes
        }


def _bits(text: str) -> int:
    return int.from_bytes(binascii.a2b_base64(text), "little")


def _lowest(bits: int) -> int:
    """The place of the lowest one; -1: there is none."""
    return (bits & -bits).bit_length() - 1


def _ones(bits: int) -> list[int]:
    """The places of all ones, of a number that has few."""
    in_bytes = bits.to_bytes(-(-bits.bit_length() // 8), "little")
    return [8 * some.start() + at for some in SOME.finditer(in_bytes) for at in ONES[some[0][0]]]


def _squares(bits: int) -> int:
    """The sum of L * L over the runs of L ones.

    While there are many runs, each loses a one in a step, which counts L * L - (L - 1) * (L - 1).
    """
    squares, few, ones = 0, bits.bit_length() // SPREAD, bits.bit_count()
    while True:
        shorter = bits & bits >> 1
        left = shorter.bit_count()
        if ones - left <= few:
            break
        squares += ones + left
        bits, ones = shorter, left
    edges = iter(_ones(bits ^ bits << 1))
    return squares + sum((end - begin) ** 2 for begin, end in zip(edges, edges, strict=True))
