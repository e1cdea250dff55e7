# SPDX-License-Identifier: Apache-2.0
"""The tester's ceiling: the most that LAN host and WAN host move without a gateway between them.

Near it a value says more about the tester than about the gateway (Korcek and others, who first
measured PC to PC and claimed no maximum for a device near that reference).
"""

from collections.abc import Iterable

from gatemark.stats.judgement import PointResult
from gatemark.store.record import Definition

NEAR = 0.9  # of the ceiling: a value within 10 % of it may be the tester's own


def ceiling_pps(ceilings: Iterable[PointResult], definition: Definition) -> float | None:
    """The ceiling that holds for a definition, or None where none was measured.

    It is that of the nearest frame size that is not larger: packets/s fall with size, so a smaller
    frame's ceiling is never below the true one.
    """
    rates: dict[int, float] = {}
    for result in ceilings:
        size = result.definition.frame_bytes
        rate = result.values.get("received_pps")
        if rate is not None and size is not None and _alike(result.definition, definition):
            rates[size] = max(rate.value, rates.get(size, 0.0))
    fitting = [size for size in rates if size <= (definition.frame_bytes or 0)]
    return rates[max(fitting)] if fitting else None


def near(rate_pps: float, ceiling: float | None) -> bool:
    """Whether a rate is within 10 % of the ceiling, or above it."""
    return ceiling is not None and rate_pps >= NEAR * ceiling


def _alike(ours: Definition, theirs: Definition) -> bool:
    """Same family, and one way against one way: two ways at once share the tester's CPU."""
    two_way = (ours.direction == "both", theirs.direction == "both")
    return ours.family == theirs.family and two_way[0] == two_way[1]
