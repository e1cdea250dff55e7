# SPDX-License-Identifier: Apache-2.0
"""Trials of several workloads, as records and series have them: flows, the loads beside them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.queue.flow import S_NS, Columns, Flow
from gatemark.judge.queue.swing import SETTLE_NS
from gatemark.store.record import Definition, Record

Series = Mapping[str, Columns]  # of one trial, by name
Sheaf = Mapping[str, Series]  # of trials, by the name of their file

# The series that are read here. Those of a workload beside the first have its name before them.
LIKE: Final = (
    *("*replay.*.delay", "*replay.*.lost", "*sink.*.bytes"),
    *("*source.*.acked_bytes", "line.*.drops"),
    *("outside.*.run_ns", "inside.cpu.*", "inside.turns.*"),
)
MISSED: Final = re.compile(r"missed_(\d+)ms_ratio")  # of a replay: lost, or later than so many ms
WAYS: Final = ("up", "down")
SEGMENT_BYTES: Final = 1448.0  # payload, where TCP told nothing


@dataclass(frozen=True, slots=True)
class Workload:
    """One workload of a trial, with what is its own of the trial's values and series."""

    name: str  # "": the plan's own
    definition: Definition
    window_ns: tuple[int, int]  # first packet to last
    record: Record
    series: Series

    def value(self, quantity: str) -> float | None:
        """One of its values."""
        return self.record.values.get(f"{self.name}.{quantity}" if self.name else quantity)

    def deadlines_ms(self, way: str) -> list[int]:
        """Those that its packets in one direction were judged by."""
        before = f"{self.name}.{way}." if self.name else f"{way}."
        names = (name for name in self.record.values if name.startswith(before))
        matches = map(MISSED.fullmatch, (name.removeprefix(before) for name in names))
        return [int(match[1]) for match in matches if match]

    def columns(self, name: str) -> Columns | None:
        """One of its series."""
        return self.series.get(f"{self.name}/{name}" if self.name else name)

    def flow(self, way: str) -> Flow | None:
        """The packets of a replay in one direction; None: it is none, or they were not kept."""
        arrived = self.columns(f"replay.{way}.delay")
        if not arrived or not arrived[0]:
            return None
        return Flow.of(arrived, self.columns(f"replay.{way}.lost") or ((), ()))

    def goes(self, way: str) -> bool:
        """Return whether it loads a direction; a replay is no load, and neither are no streams."""
        d = self.definition
        is_load = d.l4 != "replay" and not d.trace and (d.l4 != "tcp" or d.streams != 0)
        return is_load and d.direction in (way, "both")

    def goodput_bps(self, way: str) -> float | None:
        """What TCP delivered in one direction, slow start left out."""
        counts = self.columns(f"sink.{way}.bytes")
        start_ns, end_ns = self.window_ns[0] + SETTLE_NS, self.window_ns[1]
        if self.definition.l4 != "tcp" or not counts or end_ns <= start_ns:
            return None
        pairs = zip(*counts, strict=True)
        read = sum(count for at, count in pairs if start_ns <= at < end_ns)
        return read * 8 * S_NS / (end_ns - start_ns)

    def streams(self, way: str) -> list[Columns]:
        """Bytes so far of each stream, over time."""
        start = (f"{self.name}/" if self.name else "") + f"source.{way}."
        names = [name for name in self.series if name.startswith(start)]
        return [self.series[name] for name in names if name.endswith(".acked_bytes")]


def workloads(record: Record, series: Series) -> list[Workload]:
    """All of a trial, the plan's own first."""
    own = Workload("", record.definition, record.window_ns, record, series)
    others = (
        Workload(name, part.definition, part.window_ns, record, series)
        for name, part in record.parts.items()
    )
    return [own, *others]


def files(records: Sequence[Record]) -> list[str]:
    """The files of series that tell of a queue: of mixed trials, and of the same flows alone.

    A box's CPU is in those of the instrumented pass.
    """
    kept = [record for record in used(records) if record.series]
    if not any(record.parts for record in kept):
        return []
    read = [record for record in records if record.series and reads_itself(record)]
    own = [record for record in kept if record.parts or record.definition.trace]
    return [record.series for record in (*own, *read)]


def reads_itself(record: Record) -> bool:
    """Return whether it is a valid mixed trial in which the gateway read its own CPUs."""
    is_instrumented = record.status == "ok" and record.pass_ == "instrumented"
    return is_instrumented and bool(record.parts and record.evidence.inside)


def used(records: Sequence[Record]) -> Iterator[Record]:
    """Valid trials of the outside pass."""
    return (record for record in records if record.status == "ok" and record.pass_ == "outside")
