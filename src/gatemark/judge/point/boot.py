# SPDX-License-Identifier: Apache-2.0
"""Trials that are nested in boots: a boot is one sample, the median of its trials."""

from collections.abc import Iterable
from statistics import median

from gatemark.judge.point.group import readings
from gatemark.store.record import Record


def medians(records: Iterable[Record], quantity: str) -> dict[int, float]:
    """By boot, in order; empty where trials are not nested in boots."""
    boots: dict[int, list[Record]] = {}
    for record in records:
        if record.boot:
            boots.setdefault(record.boot, []).append(record)
    results = ((boot, readings(records, quantity)) for boot, records in sorted(boots.items()))
    return {boot: median(values) for boot, values in results if values}


def samples(records: Iterable[Record], quantity: str) -> list[float]:
    """The values of a quantity: of each trial, or of each boot where trials are nested in boots."""
    kept = list(records)
    return list(medians(kept, quantity).values()) or readings(kept, quantity)
