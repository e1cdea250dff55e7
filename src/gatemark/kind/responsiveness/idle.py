# SPDX-License-Identifier: Apache-2.0
"""Before the load: probes one after the other, so that none waits for another."""

from typing import Final

from gatemark.kind.responsiveness.burden import Burden
from gatemark.kind.responsiveness.dial import Target
from gatemark.kind.responsiveness.draft import IDLE_GAP_S, IDLE_PAIRS, LATE_S
from gatemark.kind.responsiveness.probe import Book, Foreign, Own, Waiting

GAP_NS: Final = round(IDLE_GAP_S * 1e9)
LONGEST_NS: Final = round(LATE_S * 1e9)  # a slow way has fewer of them


class Idle:
    """The probes of a way that carries nothing else: a foreign one, a self one, and so on."""

    def __init__(self, target: Target, burden: Burden, waiting: Waiting, now_ns: int) -> None:
        self.book = Book()
        self.due_ns = now_ns
        self._target = target
        self._burden = burden
        self._waiting = waiting
        self._probe: Foreign | Own | None = None
        self._ends_ns = now_ns + LONGEST_NS

    @property
    def is_over(self) -> bool:
        """Return whether all have come back, or the time is over and the last one is back."""
        done = self._probe is None or self._probe.is_done
        return done and (self.book.tried >= 2 * IDLE_PAIRS or self.due_ns > self._ends_ns)

    def step(self, now_ns: int) -> None:
        """Send the next one if the last one is back."""
        if now_ns < self.due_ns:
            return
        self.due_ns = now_ns + GAP_NS
        if self._probe and not self._probe.is_done:
            return
        is_foreign = self.book.tried % 2 == 0
        self._probe = (
            Foreign(self._target, self.book) if is_foreign else self._burden.probe(self.book)
        )
        self._waiting.add(self._probe)
