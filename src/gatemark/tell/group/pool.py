# SPDX-License-Identifier: Apache-2.0
"""What all repeats of a point say of its delay together: one histogram, one swing."""

from collections.abc import Iterator, Mapping, Sequence

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.histogram import merged
from gatemark.judge.point.sawtooth import Sawtooth, sawtooth, typical
from gatemark.judge.point.steps import even
from gatemark.store.record import Record
from gatemark.store.series import Series
from gatemark.tell.group import step, trace
from gatemark.tell.group.trace import Place, Sheaf

FINEST_NS = 10_000_000  # step in which a swing is looked for: the sink's own bins
MOST = 600  # steps of a trial that are looked at

Kept = Mapping[Place, Sequence[Record]]  # trace.trials


def histogram(point: PointResult, kept: Kept, sheaf: Sheaf) -> dict[int, float]:
    """The delay of every packet of all repeats and directions; empty where it was not kept."""
    return merged(
        columns
        for series in _of(point, kept, sheaf)
        for name, columns in series.items()
        if name.startswith("sink.") and name.endswith(".delay_ns")
    )


def swing(point: PointResult, kept: Kept, sheaf: Sheaf) -> Sawtooth | None:
    """How the delay swings, the median over the repeats; None unless it does in most of them."""
    every = list(_of(point, kept, sheaf))
    sawtooths = [sawtooth for series in every if (sawtooth := _swing(series)) is not None]
    if not sawtooths or len(sawtooths) * 2 <= len(every):
        return None
    return typical(sawtooths)


def _of(point: PointResult, kept: Kept, sheaf: Sheaf) -> Iterator[Series]:
    for record in kept.get(trace.place(point), ()):
        if record.series in sheaf:
            yield sheaf[record.series]


def _swing(series: Series) -> Sawtooth | None:
    delays = list(step.delays(series))
    if not delays:
        return None
    began, ended = min(delay[0] for delay in delays), max(item[0] for item in delays)
    step_ns = max(FINEST_NS, (ended - began) / MOST)
    return sawtooth(even(delays, began, step_ns), step_ns / step.S_NS)
