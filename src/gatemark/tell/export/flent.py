# SPDX-License-Identifier: Apache-2.0
"""Points over time as a data file of flent (flent/resultset.py, format 3): gzipped JSON.

Each point has its series on one axis of seconds since it began, medians over its trials. flent
2.3.0, whose own format is 4, reads format 3 too; older ones refuse what is newer than their own.
A flow beside a load has names of flent's own (flent_load.py).
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from gatemark.error import UsageError
from gatemark.judge.math.interval import Interval
from gatemark.store import series
from gatemark.store.directory import RunDirectory
from gatemark.tell.export import flent_load
from gatemark.tell.group import step, trace
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named
from gatemark.tell.group.trace import Trace
from gatemark.tell.words import traffic

VERSION: Final = 3  # of the format
TEST: Final = "ping"  # one of flent's own, which it draws the file as
# Of a trace: the name and unit in the file, and what to divide by.
QUANTITIES: Final = {
    "delay_ns": ("delay", "ms", 1e6),
    "delay_max_ns": ("longest delay", "ms", 1e6),
    "rtt_ns": ("TCP round trip", "ms", 1e6),
}
RATES: Final = {"tcp": ("goodput", "Mbits/s", 1e6), "udp": ("received rate", "packets/s", 1.0)}
Columns = dict[str, tuple[str, dict[float, float]]]  # name -> unit, time in s -> value


def export(sources: Sequence[Source]) -> bytes:
    """One data file. Raises UsageError where no trial kept a series."""
    columns: Columns = {}
    for source in sources:
        label = source.label if len(sources) > 1 else ""
        for line in _traces(source):
            columns |= _columns(line, label)
        columns |= flent_load.columns(source, label)
    if not columns:
        raise UsageError("no delay or rate over time in there: flent's files have nothing else")
    times = sorted({at for _, column in columns.values() for at in column})
    document = {
        "version": VERSION,
        "metadata": _metadata(sources, columns, times),
        "x_values": times,
        "results": {
            name: [column.get(at) for at in times] for name, (_, column) in columns.items()
        },
        "raw_values": {},
    }
    return gzip.compress(json.dumps(document, indent=1).encode(), 6, mtime=0)


def _traces(source: Source) -> list[Trace]:
    if source.folder is None:
        return []
    judged = source.judgement
    points = (*judged.ceilings, *judged.floors, *judged.points)
    names = [record.series for record in source.records if record.series]
    kept = series.read(RunDirectory(source.folder).series, names, step.LIKE)
    return trace.traces(
        (p for p in points if p.definition.l4 in RATES), source.records, kept.series
    )


def _columns(line: Trace, label: str) -> Columns:
    point = line.point
    where = f"{named(label, point.arm)}, {traffic.load(point.definition)}"
    others = [traffic.factor(n, at) for n, at in point.point.items() if n not in traffic.LOAD]
    where = ", ".join([point.plan, where, *others])
    kinds = {**QUANTITIES, "rate": RATES[point.definition.l4]}
    return {
        f"{word}: {where}": (unit, dict(_values(line, line.quantities[name], by)))
        for name, (word, unit, by) in kinds.items()
        if name in line.quantities
    }


def _values(
    line: Trace, steps: Sequence[Interval | None], by: float
) -> Iterator[tuple[float, float]]:
    for place, interval in enumerate(steps):
        if interval is not None:
            yield round(line.at_s(place), 6), interval.value / by


def _test(columns: Columns) -> dict[str, Any]:
    """The test of flent's that it is drawn as, and what that one asks for."""
    if not (streams := flent_load.streams(list(columns))):
        return {"NAME": TEST}
    asked = {"upload_streams": str(streams)}
    return {"NAME": flent_load.TEST, "TEST_PARAMETERS": asked}


def _metadata(
    sources: Sequence[Source], columns: Columns, times: Sequence[float]
) -> dict[str, Any]:
    run = sources[0].run
    began = f"{run.started[:19]}.000000Z"
    return {
        **_test(columns),
        "TITLE": run.title,
        "TIME": began,
        "T0": began,
        "HOST": run.station.name,
        "HOSTS": [run.station.name],
        "LENGTH": round(times[-1], 6),
        "TOTAL_LENGTH": round(times[-1], 6),
        "STEP_SIZE": min((b - a for a, b in pairwise(times)), default=1.0),
        "IP_VERSION": 4,
        "FLENT_VERSION": "written by gatemark",
        "SERIES_META": {name: {"UNITS": unit} for name, (unit, _) in columns.items()},
    }
