# SPDX-License-Identifier: Apache-2.0
"""Sweeps of the simulated gateway: each is simulated once, and at few rates."""

from functools import cache

from simulated import Planted, swept

from gatemark.judge.point.group import Group
from gatemark.store.record import Record

FEW = (10_000, 15_000, 24_000, 30_000)  # packets/s: the knee of a sound gateway is at 27 000
LOW = FEW[:2]  # far below it, where a sound gateway loses nothing


@cache
def swept_once(planted: Planted, rates: tuple[int, ...] = FEW) -> tuple[Group, ...]:
    """All trials of a sweep, by point."""
    return tuple(swept(planted, rates))


def outside(planted: Planted, rates: tuple[int, ...] = FEW) -> list[Record]:
    """The same trials, one after another."""
    return [record for trials in swept_once(planted, rates) for record in trials.outside]
