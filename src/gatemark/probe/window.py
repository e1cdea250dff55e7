# SPDX-License-Identifier: Apache-2.0
"""The readings of a `watch` over the time in which a trial really sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Report = dict[str, Any]

FEWEST = 2
LEAST = 0.5  # of the sending time, or the samples came too late to speak for it


@dataclass(frozen=True, slots=True)
class Window:
    """The samples of a report that lie wholly inside the sending time."""

    first: int
    last: int
    seconds: float

    def change(self, column: Sequence[float]) -> float:
        """The rise of a counter."""
        return column[self.last] - column[self.first]


def window(report: Report, t0_ns: int, t1_ns: int) -> Window | None:
    """The window for a sending time; None if the samples in it span less than half of it.

    A sample before the start or after the end is not used, nor interpolated to: the load changes
    just there.
    """
    times = report["t_ns"]
    inside = [index for index, at in enumerate(times) if t0_ns <= at <= t1_ns]
    if len(inside) < FEWEST:
        return None
    first, last = inside[0], inside[-1]
    span_ns = times[last] - times[first]
    return Window(first, last, span_ns / 1e9) if span_ns >= LEAST * (t1_ns - t0_ns) else None


def whole(report: Report) -> Window | None:
    """The window of all that was read; None for fewer than two samples."""
    times = report.get("t_ns", [])
    return window(report, times[0], times[-1]) if len(times) >= FEWEST else None
