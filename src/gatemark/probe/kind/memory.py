# SPDX-License-Identifier: Apache-2.0
"""Probe `memory`: what the gateway has, what can be had of it, what the kernel's slabs take."""

from collections.abc import Sequence
from typing import Final

from gatemark.probe.column import Row, Source
from gatemark.probe.probe import Outcome, Probe, Seen, Sent

PATTERN: Final = "^(MemTotal|MemFree|MemAvailable|Slab):"


def rows(lines: Sequence[str]) -> Row:
    """In bytes."""
    kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    free = kib.get("MemFree", 0)
    row = {
        "total_bytes": kib.get("MemTotal", 0),
        "free_bytes": free,
        "available_bytes": kib.get("MemAvailable", free),  # Linux 3.14
        "slab_bytes": kib.get("Slab", 0),
    }
    return {"": {name: value * 1024 for name, value in row.items()}}


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The least that was available, and the most that slabs took."""
    del sent
    if (read := seen.columns("memory")) is None:
        return Outcome()
    columns, _ = read
    memory = {
        "total_bytes": columns["total_bytes"][0],
        "available_bytes": min(columns["available_bytes"]),
        "slab_bytes": max(columns["slab_bytes"]),
    }
    return Outcome(evidence={"memory": memory})


PROBE: Final = Probe(outcome, column=Source("memory", "/proc/meminfo", PATTERN, rows))
