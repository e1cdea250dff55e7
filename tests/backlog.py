# SPDX-License-Identifier: Apache-2.0
"""What this machine's CPUs drop because their backlogs are full, whoever's packets filled them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

SOFTNET: Final = Path("/proc/net/softnet_stat")
DROPPED: Final = 1  # the column of packets that found their CPU's backlog full


class Backlogs:
    """Packets that the backlogs of all CPUs dropped, of all network namespaces together."""

    dropped = 0


@contextmanager
def watched() -> Iterator[Backlogs]:
    """Backlogs beside a measurement: what a test's packets may lack and no gateway has lost.

    All ports of this machine share each CPU's backlog of 1 000 packets, which other work may
    fill. Where it is idle nothing is dropped, and `lost <= backlogs.dropped` asks for all:

        with backlog.watched() as backlogs:
            record = measure(...)
        assert record.accounting.lost <= backlogs.dropped

    Raises OSError where the kernel has no softnet_stat.
    """
    backlogs, before = Backlogs(), dropped()
    yield backlogs
    backlogs.dropped = dropped() - before


def lost(records: list[dict[str, Any]]) -> int:
    """Packets that all trials of a run lost, by their kept records."""
    return sum(record["accounting"]["lost"] for record in records)


def dropped() -> int:
    """Packets that the CPUs' backlogs have dropped since this machine booted."""
    lines = SOFTNET.read_text().splitlines()
    return sum(int(line.split()[DROPPED], 16) for line in lines)
