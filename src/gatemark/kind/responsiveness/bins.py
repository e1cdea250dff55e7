# SPDX-License-Identifier: Apache-2.0
"""Bytes that came, by the time of their arrival, as a sink of gm-agent reports them."""

from typing import Any

from gatemark.workload.way import BIN_MS

BIN_NS = BIN_MS * 1_000_000


class Bins:
    """Counts in bins of BIN_MS."""

    def __init__(self) -> None:
        self.total = 0
        self._counts: dict[int, int] = {}

    def add(self, at_ns: int, count: int) -> None:
        """So many came then."""
        self.total += count
        place = at_ns // BIN_NS
        self._counts[place] = self._counts.get(place, 0) + count

    def include(self, other: "Bins") -> None:
        """Add what others counted."""
        self.total += other.total
        for place, count in other._counts.items():
            self._counts[place] = self._counts.get(place, 0) + count

    def report(self) -> dict[str, Any]:
        """`t0_ns` of the first bin, `bin_ms`, and `bytes` of each from there on."""
        if not self._counts:
            return {"t0_ns": 0, "bin_ms": BIN_MS, "bytes": []}
        first, last = min(self._counts), max(self._counts)
        counts = [self._counts.get(place, 0) for place in range(first, last + 1)]
        return {"t0_ns": first * BIN_NS, "bin_ms": BIN_MS, "bytes": counts}
