# SPDX-License-Identifier: Apache-2.0
"""The meters that read the power of a gateway from outside."""

from math import isfinite
from typing import Protocol

Reading = tuple[int, float]  # CLOCK_MONOTONIC of this machine in ns, watts


def finite(watts: float) -> float:
    """The same watts. Raises ValueError for NaN and infinity, which no record can hold."""
    if not isfinite(watts):
        raise ValueError(f"{watts} W")
    return watts


class Meter(Protocol):
    """A plug, or a list that somebody types."""

    @property
    def name(self) -> str:
        """Return the name in a record: `tasmota`."""

    def start(self) -> None:
        """Begin to read. Raises NodeError if it cannot be read."""

    def stop(self) -> list[Reading]:
        """End, and return what was read since `start`. Raises NodeError."""
