# SPDX-License-Identifier: Apache-2.0
"""The busiest CPU of the gateway, over all trials of a point."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from gatemark.judge.fact import Fact, fact
from gatemark.store.record import CpuReading, Record


@dataclass(frozen=True, slots=True)
class Core:
    """The busiest CPU of the gateway and the threads that kept it so."""

    cpu: int | None  # None: one thread, not bound to any
    busy: float  # 0..1, all its threads together
    threads: str
    waiting: float = 0.0  # share of the time that such a thread was ready and others had the CPU
    inside: bool = False  # as the gateway reads itself, where nobody else can

    @property
    def fact(self) -> Fact:
        """How busy what was: `napi/gw0 busy 99.8 % of cpu 1`."""
        if self.inside:
            return fact("core.inside", busy=self.busy, cpu=self.cpu)
        code = "core.any" if self.cpu is None else "core"
        return fact(code, busy=self.busy, cpu=self.cpu, who=self.threads)


def busiest(records: Sequence[Record]) -> Core | None:
    """The busiest CPU: two threads that share one saturate it together (direction `both`).

    A thread that is bound to none counts alone.
    """
    return _busiest([record.evidence.cpu for record in records])


def busiest_inside(records: Sequence[Record]) -> Core | None:
    """The same by the gateway's own reading of its CPUs, for a box."""
    core = _busiest([record.evidence.inside for record in records])
    return core and replace(core, inside=True)


def carrier(records: Iterable[Record]) -> Core | None:
    """What carries frames to and from a virtual machine's cards, median over trials."""
    seen = [reading for record in records if (reading := record.evidence.carrier)]
    if not seen:
        return None
    busy, waiting = (median(share) for share in zip(*_shares(seen), strict=True))
    return Core(seen[0].cpu, busy, seen[0].thread, waiting)


def _shares(seen: Iterable[CpuReading]) -> Iterator[tuple[float, float]]:
    return ((reading.busy, reading.waiting or 0.0) for reading in seen)


def _busiest(trials: Iterable[Iterable[CpuReading]]) -> Core | None:
    seen: dict[tuple[int | str, str], list[CpuReading]] = {}
    for readings in trials:
        for reading in readings:
            seen.setdefault((reading.core, reading.thread), []).append(reading)
    cores: dict[int | str, dict[str, float]] = {}
    for (core, thread), own_readings in seen.items():
        cores.setdefault(core, {})[thread] = median(reading.busy for reading in own_readings)
    if not cores:
        return None
    place, threads = max(cores.items(), key=lambda item: sum(item[1].values()))
    working = [thread for thread, share in sorted(threads.items()) if share >= 0.05]
    names = working or [max(threads, key=lambda thread: threads[thread])]
    busy = min(1.0, sum(threads.values()))
    if isinstance(place, int):
        return Core(place, busy, " and ".join(names))
    waited = median(reading.waiting or 0.0 for reading in seen[place, place])
    return Core(None, busy, place, waited)
