# SPDX-License-Identifier: Apache-2.0
"""The gateway's CPU while a queue was full, from a trial's series: without the calm around a load.

A record's own readings are over all of a trial, so that a CPU that the load fills is partly idle.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from gatemark.judge.point import core
from gatemark.judge.queue.fair import at
from gatemark.judge.queue.flow import Columns
from gatemark.judge.queue.mixed import Series
from gatemark.store.record import CpuReading, Record

LEAST: Final = 0.5  # of the time that is asked for, or the samples do not speak for it
TURNS: Final = "inside.turns."  # of loops that soaked up what was left over: booked as nice
IDLE, STOLEN, NICE = "idle_ms", "steal_ms", "nice_ms"  # as the probe `cpu` names its columns


def busiest(record: Record, series: Series, start_ns: float, end_ns: float) -> float | None:
    """Load of the busiest CPU between two times, 0..1; None where the series do not tell it.

    By the gateway's threads where they are read from outside, else by its own columns: a box.
    """
    columns = [c for r in record.evidence.cpu if (c := series.get(f"outside.{r.thread}.run_ns"))]
    if not columns:
        return _most(record, _inside(record, series, start_ns, end_ns))
    if any(_span_ns(column, start_ns, end_ns) is None for column in columns):
        return None
    return _most(record, outside(record, series, start_ns, end_ns))


def outside(record: Record, series: Series, start_ns: float, end_ns: float) -> Iterator[CpuReading]:
    """What the trial read from outside, over that time where the series tell it.

    Programs have none, and keep what they took of all the time that was sent.
    """
    for reading in record.evidence.cpu:
        run_ns = series.get(f"outside.{reading.thread}.run_ns")
        span_ns = _span_ns(run_ns, start_ns, end_ns)
        if run_ns and span_ns:
            yield replace(reading, busy=_rise(run_ns, *span_ns) / (span_ns[1] - span_ns[0]))
        else:
            yield reading


def _inside(record: Record, series: Series, start_ns: float, end_ns: float) -> Iterator[CpuReading]:
    """What the gateway read of its CPUs: of all ticks those that were neither idle nor stolen."""
    is_soaked = any(name.startswith(TURNS) for name in series)
    free = {IDLE, STOLEN, NICE} if is_soaked else {IDLE, STOLEN}
    for reading in record.evidence.inside:
        before = f"inside.cpu.{reading.cpu}."
        modes = {
            name.removeprefix(before): column
            for name, column in series.items()
            if name.startswith(before)
        }
        span_ns = _span_ns(modes.get(IDLE), start_ns, end_ns)
        if span_ns is None:
            continue
        risen = {mode: _rise(column, *span_ns) for mode, column in modes.items()}
        if total := sum(risen.values()):
            left = sum(rise for mode, rise in risen.items() if mode in free)
            yield replace(reading, busy=(total - left) / total)


def _span_ns(column: Columns | None, start_ns: float, end_ns: float) -> tuple[float, float] | None:
    """The part of a time that a counter's samples lie around; None where it is not most of it."""
    if not column or end_ns <= start_ns:
        return None
    first, last = max(start_ns, column[0][0]), min(end_ns, column[0][-1])
    return (first, last) if last - first >= LEAST * (end_ns - start_ns) else None


def _rise(column: Columns, start_ns: float, end_ns: float) -> float:
    return at(column, end_ns) - at(column, start_ns)


def _most(record: Record, readings: Iterable[CpuReading]) -> float | None:
    """Threads that share a CPU fill it together."""
    read = replace(record, evidence=replace(record.evidence, cpu=tuple(readings)))
    busy = core.busiest([read])
    return busy.busy if busy else None
