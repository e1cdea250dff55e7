# SPDX-License-Identifier: Apache-2.0
"""Probe `interfaces`: the counters of the gateway's own ports."""

from collections.abc import Sequence
from typing import Final

from gatemark.probe.column import Row, Source
from gatemark.probe.probe import Probe

# Column -> place after the name (net/core/net-procfs.c).
PLACES: Final = {
    "rx_bytes": 0,
    "rx_packets": 1,
    "rx_errors": 2,
    "rx_dropped": 3,
    "tx_bytes": 8,
    "tx_packets": 9,
    "tx_errors": 10,
    "tx_dropped": 11,
}


def rows(lines: Sequence[str]) -> Row:
    """One row for each port."""
    return {
        name.strip(): {column: int(row.split()[place]) for column, place in PLACES.items()}
        for name, _, row in (line.partition(":") for line in lines)
    }


PROBE: Final = Probe(column=Source("interfaces", "/proc/net/dev", "^ *({devices}):", rows))
