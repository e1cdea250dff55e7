# SPDX-License-Identifier: Apache-2.0
"""When a test is over, by what its intervals came to: no clock and no socket (draft -09).

Phase 1 waits until the goodput is stable, phase 2 until the responsiveness is; either ends after
LONGEST_PHASE intervals at the latest. Windows that are not full do not count.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final, Literal

from gatemark.kind.responsiveness.draft import LONGEST_PHASE, MAD, MOST_FAILED, SDT

Confidence = Literal["low", "medium", "high"]
SATURATING: Final = 1
MEASURING: Final = 2


def is_stable(values: Sequence[float]) -> bool:
    """Return True if the last MAD values deviate by less than 5 % of the newest."""
    last = values[-MAD:]
    if len(last) < MAD:
        return False
    mean = sum(last) / MAD
    deviation = sqrt(sum((value - mean) ** 2 for value in last) / MAD)
    return deviation < SDT * last[-1]


@dataclass(slots=True)
class Course:
    """The course of a test over its intervals. `ways`: directions, each with its own goodput."""

    ways: int = 1
    phase: int = SATURATING
    intervals: int = 0  # in all
    in_phase: int = 0  # of them in the phase that it is in
    saturated_after: int = 0  # intervals of phase 1
    goodput_stable: bool = False
    rpm_stable: bool = False
    over: bool = False
    goodputs: list[list[float]] = field(default_factory=list)  # full windows, by way
    scores: list[float] = field(default_factory=list)  # of phase 2
    _recent: list[deque[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.goodputs = [[] for _ in range(self.ways)]
        self._recent = [deque(maxlen=MAD) for _ in range(self.ways)]

    def interval(self, rates: Sequence[float], score: float | None) -> None:
        """An interval has ended: each way's own rate in it, the score of the window if it has one.

        Rates are of one unit, any.
        """
        self.intervals += 1
        self.in_phase += 1
        for way, rate in enumerate(rates):
            self._recent[way].append(rate)
            if len(self._recent[way]) == MAD:
                self.goodputs[way].append(sum(self._recent[way]) / MAD)
        if self.phase == SATURATING:
            self._saturating()
        else:
            self._measuring(score)

    def goodput(self) -> float:
        """Of the newest window, all ways together; what there is of it where it is not full."""
        return sum(sum(recent) / max(1, len(recent)) for recent in self._recent)

    def _saturating(self) -> None:
        self.goodput_stable = all(map(is_stable, self.goodputs))
        if self.goodput_stable or self.in_phase >= LONGEST_PHASE:
            self.phase, self.in_phase, self.saturated_after = MEASURING, 0, self.intervals

    def _measuring(self, score: float | None) -> None:
        if score is not None:
            self.scores.append(score)
        self.rpm_stable = is_stable(self.scores)
        self.over = self.rpm_stable or self.in_phase >= LONGEST_PHASE

    def confidence(self, probes: int, failed: int) -> Confidence:
        """Return how far the result is to be trusted; `failed` of the `probes`."""
        short = min(self.saturated_after, len(self.scores)) < MAD
        if short or failed > MOST_FAILED * probes:
            return "low"
        return "high" if self.goodput_stable and self.rpm_stable else "medium"
