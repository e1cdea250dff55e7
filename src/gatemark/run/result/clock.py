# SPDX-License-Identifier: Apache-2.0
"""Whether the clock of the kernel's arrival stamps was set while a trial was stamped by it."""

from collections.abc import Iterable
from typing import Final

from gatemark.number import quantity
from gatemark.workload.way import Way

BEARS_NS: Final = 1_000_000  # a smaller step changes no delay and no gap that counts


def why_invalid(ways: Iterable[Way]) -> str:
    """Why no sink's arrivals are to be used; empty: their times are of one clock.

    An agent that is older, or that has no stamps of that clock, does not say.
    """
    steps = [int(way.sink.get("clock_stepped_ns", 0)) for way in ways]
    return stepped(max(steps, default=0), "sink")


def stepped(by_ns: int, who: str) -> str:
    """In words, that the clock was set by so many ns while `who` stamped by it; empty: hardly."""
    if abs(by_ns) <= BEARS_NS:
        return ""
    return f"the clock was set by {quantity(abs(by_ns), 'ns')} while the {who} stamped by it"
