# SPDX-License-Identifier: Apache-2.0
"""Each series of a soak's samples, and those of them that grow.

A series grows where its trend is none of chance (all series of a setup together, by Holm), goes on
in its last third, and is more than what such a reading does anyway. The first fifth is not judged:
tables fill, and programs take the memory that they will keep.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, Final, NamedTuple

from gatemark.judge.math.holm import adjusted
from gatemark.judge.math.trend import Trend, trend
from gatemark.judge.point.limit import ON_SCHEDULE
from gatemark.store.record import Record

CHANCE: Final = 0.001  # that any series at all of a setup is called growing though none is
WARM: Final = 0.2  # of the samples, which are not judged
GAP: Final = 10  # times as long as usual between two samples: the run was stopped
THERE: Final = 0.8  # of the samples in which a process must be: others come and go
GOES_ON: Final = 1 / 3  # of what the middle third rose, the last one must at least
HOUR_S: Final = 3600.0
LEAST_BYTES: Final = 64 * 1024.0


class What(NamedTuple):
    """A reading: how it is called, and which rise is more than it has anyway."""

    name: str
    unit: str
    sign: int  # 1: a rise is bad; -1: a fall is
    least: float  # that it must change over the soak
    share: float  # the same of its own middle value
    holder: bool = False  # memory that ends when all of it is held


@dataclass(frozen=True, slots=True)
class Drift:
    """A series with its trend."""

    what: What
    trend: Trend
    span_h: float  # of what was judged
    ends_h: float | None  # until it ends, from the last sample on; None: it does not, or who knows
    is_growing: bool = False

    @property
    def change(self) -> float:
        """Return by how much it changed while it was judged."""
        return self.trend.slope * self.span_h


@dataclass(frozen=True, slots=True)
class Sample:
    """One trial: when, by hours from the first one, and what was read."""

    at_h: float
    record: Record

    @property
    def is_fair(self) -> bool:
        """Return whether the tester kept to its schedule: else rate, delay and CPU are its own."""
        return (self.record.evidence.schedule_ratio or 1.0) >= ON_SCHEDULE

    @property
    def held(self) -> dict[str, Any]:
        """Return what the probe read."""
        return self.record.evidence.probes.get("footprint", {})


def drifts(records: Sequence[Record]) -> list[Drift]:
    """Return each series of a setup's samples, those that grow first, the surest first."""
    parts = stretches(samples(records))
    if not parts:
        return []
    left = _left(parts[-1][-1])
    every = [drift for what, series in read(parts) if (drift := _drift(what, series, left))]
    judged = adjusted([drift.trend.p for drift in every])
    made = [
        replace(drift, is_growing=_is_growing(drift, p))
        for drift, p in zip(every, judged, strict=True)
    ]
    return sorted(made, key=lambda drift: (not drift.is_growing, not drift.what.holder))


def samples(records: Iterable[Record]) -> list[Sample]:
    """Return the trials by their time, without those that begin it."""
    known = [(datetime.fromisoformat(each.started).timestamp(), each) for each in records]
    known.sort(key=lambda pair: pair[0])
    warm = round(WARM * len(known))
    return [Sample((at - known[0][0]) / HOUR_S, each) for at, each in known[warm:]]


def stretches(seen: Sequence[Sample]) -> list[list[Sample]]:
    """Return the samples between which the run was not stopped."""
    if len(seen) < 2:
        return [list(seen)] if seen else []
    usual = median(later.at_h - sample.at_h for sample, later in pairwise(seen))
    parts = [[seen[0]]]
    for before, sample in pairwise(seen):
        if sample.at_h - before.at_h > GAP * usual:
            parts.append([])
        parts[-1].append(sample)
    return parts


Values = list[list[tuple[float, float]]]


def read(parts: Sequence[Sequence[Sample]]) -> Iterator[tuple[What, Values]]:
    """Yield each series that was read in most samples, in parts."""
    yield from _of_values(parts)
    yield from _of_table(parts)
    count = sum(map(len, parts))
    for group, words in (("processes", "the memory of {}"), ("slabs", "the kernel's cache {}")):
        held = (sample.held.get(group, {}) for part in parts for sample in part)
        names = Counter(name for each in held for name in each)
        for name in (name for name, times in names.items() if times >= THERE * count):
            what = What(words.format(name), "bytes", 1, LEAST_BYTES, 0.0, holder=True)
            yield what, _series(parts, lambda s, g=group, n=name: s.held.get(g, {}).get(n))


def _of_values(parts: Sequence[Sequence[Sample]]) -> Iterator[tuple[What, Values]]:
    for key, what in (
        ("received_pps", What("the rate that comes through", "packets/s", -1, 0.0, 0.01)),
        ("delay_p50_ns", What("the delay", "ns", 1, 0.0, 0.1)),
        ("cpu_busy", What("the CPU's load", "ratio", 1, 0.02, 0.05)),
    ):
        yield what, _series(parts, lambda s, k=key: s.record.values.get(k) if s.is_fair else None)
    cpu = What("the load of all CPUs", "ratio", 1, 0.02, 0.05)
    yield cpu, _series(parts, lambda s: s.held.get("cpu_busy"))


def _of_table(parts: Sequence[Sequence[Sample]]) -> Iterator[tuple[What, Values]]:
    table = What("the table of connections", "entries", 1, 10.0, 0.05)
    yield table, _series(parts, lambda s: s.held.get("entries"))
    for name, words, sign in (
        ("MemAvailable", "the memory that can be had", -1),
        ("Slab", "the memory of all the kernel's caches", 1),
    ):
        what = What(words, "bytes", sign, 4 * LEAST_BYTES, 0.001, holder=True)
        yield what, _series(parts, lambda s, n=name: s.held.get("memory", {}).get(n))


def _series(parts: Sequence[Sequence[Sample]], of: Callable[..., Any]) -> Values:
    """Return what `of` has of each sample that has it."""
    return [
        [(sample.at_h, float(value)) for sample in part if (value := of(sample)) is not None]
        for part in parts
    ]


def _left(last: Sample) -> dict[str, float]:
    """Return what is left at the last sample, by unit."""
    held = last.held
    left = {}
    if available := held.get("memory", {}).get("MemAvailable"):
        left["bytes"] = float(available)
    if most := held.get("most_entries"):
        left["entries"] = float(most - held["entries"])
    return left


def _drift(what: What, series: Values, left: dict[str, float]) -> Drift | None:
    """Return a series with its trend; None of one that is too short."""
    if (seen := trend([part for part in series if part])) is None:
        return None
    rate = what.sign * seen.slope
    room = left.get(what.unit) if rate > 0 else None
    span_h = sum(part[-1][0] - part[0][0] for part in series if part)
    return Drift(what, seen, span_h, room / rate if room is not None else None)


def _is_growing(drift: Drift, p: float) -> bool:
    what, change = drift.what, drift.what.sign * drift.change
    if p >= CHANCE or change <= 0:
        return False
    values = [value for part in drift.trend.parts for _, value in part]
    return change >= max(what.least, what.share * abs(median(values))) and _goes_on(drift)


def _goes_on(drift: Drift) -> bool:
    """Return whether the last third of the longest part rises as the middle one does, nearly."""
    longest = max(drift.trend.parts, key=len)
    values = [drift.what.sign * value for _, value in longest]
    third = len(values) // 3
    if not third:
        return False
    first, middle, last = (
        median(part) for part in (values[:third], values[third:-third], values[-third:])
    )
    return last - middle >= GOES_ON * (middle - first) and last > middle
