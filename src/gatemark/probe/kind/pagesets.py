# SPDX-License-Identifier: Apache-2.0
"""Probe `pagesets`: free pages that wait on lists of the CPUs."""

from collections.abc import Sequence
from typing import Final

from gatemark.probe.column import PAGE_BYTES, Row, Source
from gatemark.probe.probe import Probe


def rows(lines: Sequence[str]) -> Row:
    """All zones and CPUs together."""
    pages = sum(int(line.split()[1]) for line in lines)
    return {"": {"listed_bytes": pages * PAGE_BYTES}}


PROBE: Final = Probe(column=Source("pagesets", "/proc/zoneinfo", "^ +count: ", rows))
