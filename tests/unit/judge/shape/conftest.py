# SPDX-License-Identifier: Apache-2.0
"""Sweeps of the simulated gateway: each is simulated once, and at few rates."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache

from msgspec.structs import replace
from simulated import Planted, swept

from gatemark.judge.point.group import Group
from gatemark.store.record import Record

FEW = (10_000, 15_000, 24_000, 30_000)  # packets/s: the knee of a sound gateway is at 27 000
BEGUN = datetime(2026, 11, 1, tzinfo=UTC)
LOW = FEW[:2]  # far below it, where a sound gateway loses nothing


@cache
def swept_once(planted: Planted, rates: tuple[int, ...] = FEW) -> tuple[Group, ...]:
    """All trials of a sweep, by point."""
    return tuple(swept(planted, rates))


def outside(planted: Planted, rates: tuple[int, ...] = FEW) -> list[Record]:
    """The same trials, one after another."""
    return [record for trials in swept_once(planted, rates) for record in trials.outside]


def lossy(
    rates: tuple[int, ...], lost: Callable[[Record, int], float], **more: tuple[float, float]
) -> list[Record]:
    """Trials one a second, of a sound gateway behind which so much of each bin is lost."""
    order = sorted(outside(Planted(), rates), key=lambda each: (each.repeat, each.trial))
    records = []
    for number, record in enumerate(order):
        (own,) = record.evidence.loss
        begun = BEGUN + timedelta(seconds=number)
        placed = replace(record, sequence=number, started=begun.isoformat())
        bins = [int(lost(placed, at) * n + 0.5) for at, n in enumerate(own.tried)]
        tried, gone = sum(own.tried), sum(bins)
        sizes = {b: (int(tried * s), int(gone * x)) for b, (s, x) in more.items()} if gone else {}
        none = (0,) * len(bins)
        loss = replace(own, lost=tuple(bins), refused=none, by_size=sizes)
        records.append(replace(placed, evidence=replace(record.evidence, loss=(loss,))))
    return records
