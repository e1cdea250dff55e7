# SPDX-License-Identifier: Apache-2.0
"""The share of its payload that a pattern matcher reads before it knows the answer.

Where all expressions of a set begin at the start of a payload, its first bytes may tell that none
of them can match. An engine that stops there has a high rate of payloads, but not of bytes read.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gatemark.store.record import Record

UNTIMED: Final = 2  # passes before those that count (algorithms/src/program/timing.c)
WHOLE: Final = 0.99  # of the payload: from there on all of it was read


def share(report: Mapping[str, Any]) -> float | None:
    """The share of its bytes that the kernel read, 0 to 1; None: not counted."""
    scanned, payload = report.get("scanned_bytes"), report.get("payload_bytes")
    passes, times = report.get("passes"), report.get("ns")
    if scanned is None or not (payload and passes and times):
        return None
    return min(1.0, float(scanned / (payload * (passes * len(times) + UNTIMED))))


def stopped(records: Iterable[Record]) -> dict[str, float]:
    """Kernel, as definitions have it -> the share that it read, for those that stop early."""
    shares: dict[str, float] = {}
    for record in records:
        for report in record.evidence.kernels if record.status == "ok" else ():
            read = share(report)
            if read is not None and read < WHOLE:
                shares.setdefault(record.definition.kernel, read)
    return shares
