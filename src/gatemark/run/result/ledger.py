# SPDX-License-Identifier: Apache-2.0
"""Which packets of a sender came, by the sink's ledger (agent/PROTOCOL.md): pure functions.

A trial has up to some millions of packets, so all of it is done on whole numbers and bytes; nothing
loops over packets, or over the rounds of their flows.
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

LOST, CAME = b"01"  # of a packet, in `sent`
FEW: Final = 8  # packets for each that did not come: it is quicker to look at each run of them
LONG: Final = 64  # a run that is looked at by itself
RUN: Final = re.compile("1+")
FEWEST: Final = 3  # losses, for the deviation of what is between them


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
    def sent(self) -> bytes:
        """A byte for each packet in the order of sending: LOST or CAME."""
        above = 1 << sum(self.tried)  # a one that keeps leading zeros
        return format(self.came & above - 1 | above, "b")[:0:-1].encode()

    def lost_between(self, bounds: Sequence[int]) -> list[int]:
        """How many did not come of the packets from each bound to the next."""
        sent = self.sent
        return [sent.count(LOST, first, last) for first, last in pairwise(bounds)]

    @property
    def first(self) -> int | None:
        """The first that did not come."""
        at = self.sent.find(LOST)
        return at if at >= 0 else None

    @property
    def run_mean(self) -> float:
        """How many in a row did not come, in the mean."""
        runs = self.sent.count(bytes([CAME, LOST])) + (self.sent[:1] == bytes([LOST]))
        return self.lost / runs if runs else 0.0

    @property
    def distance_cv(self) -> float | None:
        """Deviation by mean of the distances from one that did not come to the next."""
        if self.lost < FEWEST:
            return None
        first, last = self.sent.find(LOST), self.sent.rfind(LOST)
        between = self.came >> first & (1 << last - first) - 1
        squares = _squares(between, self.sent[first : last + 1])
        return sqrt((self.lost - 1) * squares - (last - first) ** 2) / (last - first)

    def by_size(self, frames: Sequence[int]) -> dict[str, tuple[int, int]]:
        """Frame bytes -> tried, lost; packet i has the size i modulo their count."""
        parts = [self.sent[at :: len(frames)] for at in range(len(frames))]
        sizes = sorted(set(frames))
        own = {size: [p for f, p in zip(frames, parts, strict=True) if f == size] for size in sizes}
        return {
            str(size): (sum(map(len, own[size])), sum(part.count(LOST) for part in own[size]))
            for size in sizes
        }


def _bits(text: str) -> int:
    return int.from_bytes(binascii.a2b_base64(text), "little")


def _squares(came: int, sent: bytes) -> int:
    """The sum of the squares of the distances from one that did not come to the next.

    `came` has the same packets as `sent`, whose first and last did not come. A run of L that came
    is a distance of L + 1; L ** 2 is twice L * (L + 1) / 2, less L.
    """
    lost = sent.count(LOST)
    if lost * FEW < len(sent):
        runs = sum(length**2 for length in map(len, sent.split(bytes([LOST]))))
    else:
        runs = 2 * _stretches(came) - (len(sent) - lost)
    return runs + 2 * (len(sent) - lost) + lost - 1


def _stretches(came: int) -> int:
    """Count the stretches of packets that came: L * (L + 1) / 2 of a run of L.

    They are counted by their length: each step takes one from each run, so most have gone soon.
    Those of a run of L that is left are all that are longer than the steps.
    """
    stretches = 0
    for _ in range(LONG):
        if not came:
            return stretches
        stretches += came.bit_count()
        came &= came >> 1
    lengths = map(len, RUN.findall(format(came, "b")))
    return stretches + sum(length * (length + 1) // 2 for length in lengths)
