# SPDX-License-Identifier: Apache-2.0
"""Whether a gateway's CPU is fast enough for a shaper, from records and their series on.

The uploads are most of a trial and not all of it, so that a CPU which they fill is partly idle.
"""

from collections.abc import Callable, Iterator
from functools import cache

import pytest
import queued
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.queue.mixed import LIKE
from gatemark.judge.verdict.shaper import Advice, advice
from gatemark.judge.verdict.verdict import verdicts
from gatemark.store.record import CpuReading, Evidence, Record
from gatemark.store.series import Series
from gatemark.tell.words.verdict import paragraph

MS = 1_000_000
STEP_NS = 50 * MS
SHAPED = "game first"
WHOLE = 0.72  # of the CPU, over all of a trial: what the record itself has
Kept = Iterator[tuple[Record, Series]]


def samples(record: Record, busy: float, calm: float = 0.02) -> tuple[list[int], list[float]]:
    """Nanoseconds that a CPU worked: so busy while the uploads go, and nearly idle around them."""
    start, end = record.parts["uploads"].window_ns
    times = list(range(0, record.window_ns[1], STEP_NS))
    worked, so_far = [], 0.0
    for time in times:
        worked.append(so_far)
        so_far += STEP_NS * (busy if start <= time < end else calm)
    return times, worked


def thread(record: Record, series: Series, busy: float) -> Kept:
    """Read from outside, in each pass."""
    reading = CpuReading(thread="napi/gw0", cpu=1, busy=WHOLE)
    values = record.values | {"cpu_busy": WHOLE}
    known = replace(record, values=values, evidence=Evidence(cpu=(reading,)))
    yield known, {**series, "outside.napi/gw0.run_ns": samples(record, busy)}


def box(record: Record, series: Series, busy: float, *, soaked: bool = False) -> Kept:
    """Read by the gateway itself, in the instrumented pass alone; its loops' time is `nice`."""
    yield record, series
    times, worked = samples(record, busy)
    idle = [(time - at) / MS for time, at in zip(times, worked, strict=True)]
    work = [at / MS for at in worked]
    none = [0.0] * len(times)
    modes = {"idle": none if soaked else idle, "nice": idle if soaked else none, "softirq": work}
    columns = {f"inside.cpu.0.{mode}_ms": (times, column) for mode, column in modes.items()}
    columns |= {"inside.turns.0": (times, none)} if soaked else {}
    reading = CpuReading(thread="cpu0", cpu=0, busy=WHOLE)
    own = replace(
        record,
        trial=f"{record.trial} instrumented",
        pass_="instrumented",  # noqa: S106 - not a password
        sequence=record.sequence + 1000,
        series=f"instrumented-{record.series}",
        values=record.values | {"cpu_busy": WHOLE},
        evidence=Evidence(inside=(reading,)),
    )
    yield own, {**series, **columns}


def soaked(record: Record, series: Series, busy: float) -> Kept:
    return box(record, series, busy, soaked=True)


Reader = Callable[[Record, Series, float], Kept]


@cache
def advised(shaped: float, plain: float = 0.1, read: Reader = thread) -> tuple[Advice, ...]:
    """Of one upload; how busy the CPU is while it goes, with a shaper and without."""
    busy = {SHAPED: shaped, "drop-tail": plain}
    records, sheaf = queued.made()
    kept = [
        pair
        for record in records
        if record.parts and record.point["uploads.streams"] == 1
        for pair in read(record, sheaf[record.series], busy[record.arm])
    ]
    made = judge(queued.run(), [r for r, _ in kept], sheaf={r.series: series for r, series in kept})
    return advice(verdicts(made))


@pytest.mark.parametrize(
    ("read", "busy", "enough"),
    [(thread, 0.85, False), (thread, 0.75, True), (box, 0.85, False), (soaked, 0.75, True)],
)
def test_the_cpu_is_judged_by_the_time_of_the_load(read: Reader, busy: float, enough: bool) -> None:
    (made,) = advised(busy, read=read)
    assert (made.shaper, made.fast_enough) == ("htb2", enough)
    assert made.cpu
    assert made.cpu.value == pytest.approx(busy, abs=0.01)


def test_a_full_cpu_is_not_called_fast_enough() -> None:
    (made,) = advised(1.0)
    assert made.fast_enough is False
    assert "the CPU is too slow (100 % busy)" in " ".join(paragraph(made))


def test_uploads_that_fill_the_cpu_tell_no_line() -> None:
    assert advised(1.0, plain=1.0) == ()


def broken_off(record: Record, series: Series, busy: float) -> Kept:
    """The same, whose reader ended in the middle of the load."""
    ((known, more),) = thread(record, series, busy)
    name = "outside.napi/gw0.run_ns"
    times, worked = more[name]
    most = len(times) // 4
    yield known, {**more, name: (times[:most], worked[:most])}


def test_samples_of_a_small_part_of_the_load_tell_nothing() -> None:
    (made,) = advised(1.0, read=broken_off)
    assert (made.fast_enough, made.cpu) == (None, None)


def test_the_series_that_it_needs_are_read() -> None:
    assert {"outside.*.run_ns", "inside.cpu.*", "inside.turns.*"} <= set(LIKE)
