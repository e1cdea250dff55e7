# SPDX-License-Identifier: Apache-2.0
"""Probe `softirq`: packets that the kernel took from its ports, dropped, or left for later."""

from collections.abc import Sequence
from typing import Final

from gatemark.probe.column import HEX, Row, Source
from gatemark.probe.probe import Outcome, Probe, Seen, Sent

NAMES: Final = ("processed", "dropped", "squeezed")


def rows(lines: Sequence[str]) -> Row:
    """One row for each CPU that is on, in hex (net/core/net-procfs.c)."""
    return {
        str(cpu): {name: int(word, 16) for name, word in zip(NAMES, line.split(), strict=False)}
        for cpu, line in enumerate(lines)
    }


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """Dropped and squeezed, summed over CPUs."""
    del sent
    if (read := seen.columns("softnet")) is None:
        return Outcome()
    cpus, over = read
    risen = {
        name: sum(int(over.change(cpu[name])) for cpu in cpus.values())
        for name in ("dropped", "squeezed")
    }
    return Outcome(evidence={"softnet": risen})


PROBE: Final = Probe(outcome, column=Source("softnet", "/proc/net/softnet_stat", HEX, rows))
