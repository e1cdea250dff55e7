# SPDX-License-Identifier: Apache-2.0
"""Where a search stands while it goes on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """The bounds that a search knows so far."""

    goal: str  # ndr, pdr, burst
    low: float  # the highest that met the goal so far; 0: none did
    high: float | None  # the lowest above it that did not
    unit: str  # packets/s, or packets of a burst
    trial: int  # the next one, from 1
    left_s: float  # roughly
