# SPDX-License-Identifier: Apache-2.0
"""Which CPU took the interrupts of each queue, over all instrumented trials of an arm."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from gatemark.store.record import Record


@dataclass(slots=True)
class Queue:
    """The interrupts of one queue, while one arm was sent to."""

    arm: str
    name: str  # its row of /proc/interrupts, and what stands behind it
    affinity: str  # CPUs that may take them: "0-3"
    counts: Counter[str] = field(default_factory=Counter)  # by CPU


def queues(records: Iterable[Record]) -> list[Queue]:
    """Every queue that had an interrupt, the busiest of each arm first."""
    known: dict[tuple[str, str], Queue] = {}
    for record in records:
        probed = record.evidence.probes.get("interrupts", {})
        for row, reading in probed.get("irq", {}).items():
            arm, name = record.arm, f"{row} {reading['name']}".strip()
            queue = known.setdefault((arm, name), Queue(arm, name, reading["affinity"]))
            queue.counts.update(reading["cpus"])
    return sorted(known.values(), key=lambda queue: (queue.arm, -queue.counts.total()))
