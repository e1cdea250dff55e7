# SPDX-License-Identifier: Apache-2.0
"""The packets/s and bit/s of a host's ports, without what it says to itself."""

from pathlib import Path
from typing import Final

# Fields of /proc/net/dev behind a device's name (proc_pid_net(5)), and what makes them a rate.
COUNTERS: Final = {
    "rx_bps": (0, 8),
    "rx_pps": (1, 1),
    "tx_bps": (8, 8),
    "tx_pps": (9, 1),
}
ITSELF: Final = "lo"
HEAD: Final = 2  # lines


def carried() -> dict[str, int]:
    """Return the bits and packets that all ports of this host have carried so far."""
    counts = dict.fromkeys(COUNTERS, 0)
    for line in Path("/proc/net/dev").read_text(encoding="ascii").splitlines()[HEAD:]:
        device, _, fields = line.partition(":")
        if device.strip() != ITSELF:
            for name, (at, times) in COUNTERS.items():
                counts[name] += times * int(fields.split()[at])
    return counts


def rates(first: dict[str, int], last: dict[str, int], span_ns: int) -> dict[str, float]:
    """Return what was carried each second between two counts."""
    return {name: (last[name] - first[name]) * 1e9 / span_ns for name in COUNTERS}
