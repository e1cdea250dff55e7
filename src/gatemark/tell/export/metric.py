# SPDX-License-Identifier: Apache-2.0
"""Runs as metrics, which Prometheus' text and OpenMetrics both write.

Names and base units as prometheus.io/docs/practices/naming has them: bytes for bits, seconds for
nanoseconds, the unit last. An interval's ends are metrics of their own, because a mean over a label
that distinguishes them would mean nothing.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gatemark.judge.judgement import Judgement, Knee, PointResult, Value
from gatemark.judge.values import values
from gatemark.quantity import JUDGED, LOSS, words
from gatemark.tell.export.moment import moment
from gatemark.tell.group.source import Source
from gatemark.tell.words.figure import upper

# A record's unit: the unit in a metric's name, and what a number is divided by.
BASE: Final[dict[str, tuple[str, float]]] = {
    "packets/s": ("packets_per_second", 1.0),
    "bit/s": ("bytes_per_second", 8.0),
    "ns": ("seconds", 1e9),
    "ratio": ("ratio", 1.0),
    "segments": ("segments", 1.0),
    "bytes": ("bytes", 1.0),
    "packets": ("packets", 1.0),
    "trials": ("trials", 1.0),
    "connections": ("connections", 1.0),
    "connections/s": ("connections_per_second", 1.0),
    "flows/s": ("flows_per_second", 1.0),
    "queries": ("queries", 1.0),
    "queries/s": ("queries_per_second", 1.0),
    "leases/s": ("leases_per_second", 1.0),
    "flows": ("flows", 1.0),
    "1/min": ("per_minute", 1.0),
    "probes": ("probes", 1.0),
    "intervals": ("intervals", 1.0),
    "s": ("seconds", 1.0),
    "W": ("watts", 1.0),
    "J/Gbit": ("joules_per_byte", 1e9 / 8),
    "degrees Celsius": ("celsius", 1.0),
    "instructions": ("instructions", 1.0),
    "cycles": ("cycles", 1.0),
    "accesses": ("accesses", 1.0),
    "misses": ("misses", 1.0),
    "states": ("states", 1.0),
    "calls": ("calls", 1.0),
    "runs": ("runs", 1.0),
    "falls": ("falls", 1.0),
    "addresses": ("addresses", 1.0),
    "times": ("times", 1.0),
    "Hz": ("hertz", 1.0),
    "bytes/s": ("bytes_per_second", 1.0),
    "operations/s": ("operations_per_second", 1.0),
    "MOS": ("score", 1.0),
    "R": ("rating", 1.0),
}
UNIT_OF_NAME: Final = re.compile(
    r"_(pps|bps|ns|bytes|ratio|s|packets|w|gbit_j|c|instructions|cycles)$"
)
ENDS: Final = (
    ("value", "", "median over the repeats"),
    ("lo", "_lo", "lower end of the median's interval"),
    ("hi", "_hi", "upper end of the median's interval"),
)


class Family(NamedTuple):
    """What all samples of one metric share."""

    name: str  # ends in the unit, if there is one
    words: str  # what it is, a sentence
    unit: str = ""
    is_info: bool = False  # labels are what it tells, its value is 1


class Sample(NamedTuple):
    """One line."""

    family: Family
    labels: Mapping[str, object]
    value: float


RUN: Final = Family("gatemark_run", "A run of Gatemark.", is_info=True)
STARTED: Final = Family(
    "gatemark_run_start_timestamp_seconds", "When the run began, in Unix time.", "seconds"
)
TRIALS: Final = Family("gatemark_trials", "Trials by what became of them.", "trials")
LIMIT: Final = Family("gatemark_limit", "Bottleneck of a point or of a sweep.", is_info=True)


def families(sources: Sequence[Source]) -> dict[str, list[Sample]]:
    """All samples by the name of their metric."""
    by_name: dict[str, list[Sample]] = {}
    for source in sources:
        for sample in _samples(source):
            by_name.setdefault(sample.family.name, []).append(sample)
    return by_name


def line(sample: Sample, name: str) -> str:
    """A sample as both formats write it."""
    labels = ",".join(f'{_name(key)}="{escaped(_word(v))}"' for key, v in sample.labels.items())
    return f"{name}{{{labels}}} {_number(sample.value)}\n"


def escaped(text: str) -> str:
    """Text that stays on its line, between quotes."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _samples(source: Source) -> Iterator[Sample]:
    yield from _of_run(source)
    for value in values(source.judgement):
        labels = {**_place(source, value), "at_least": value.at_least}
        labels |= {"function": value.function} if value.function else {}
        if value.quantity.startswith(LOSS) and value.quantity in JUDGED:
            labels["shape"] = value.limit
        yield from _of_value(value, labels)
    for judged in _judged(source.judgement):
        labels = {**_place(source, judged), "limit": judged.limit}
        yield Sample(LIMIT, labels, 1.0)


def _of_run(source: Source) -> Iterator[Sample]:
    run, judgement = source.run, source.judgement
    info = {"station": run.station.name, "kind": run.station.kind, "virtual": run.station.virtual}
    info |= {"suite": run.suite, "version": run.versions.get("gatemark", "")}
    labels = {"run": source.label}
    yield Sample(RUN, {**labels, **info}, 1.0)
    if began := moment(run.started):
        yield Sample(STARTED, labels, began.timestamp())
    counts = {"ok": judgement.trials - judgement.invalid - judgement.skipped}
    counts |= {status: getattr(judgement, status) for status in ("invalid", "skipped", "missing")}
    for status, count in counts.items():
        yield Sample(TRIALS, {**labels, "status": status}, float(count))


def _of_value(value: Value, labels: Mapping[str, object]) -> Iterator[Sample]:
    unit, divisor = BASE[value.unit]
    stem = re.sub(r"\W", "_", UNIT_OF_NAME.sub("", value.quantity))
    text = words(value.quantity)
    for field, end, what in ENDS:
        name = f"gatemark_{stem}{end}_{unit}"
        help_ = f"{upper(text)} ({value.quantity}): {what}."
        yield Sample(Family(name, help_, unit), labels, getattr(value, field) / divisor)


def _judged(judgement: Judgement) -> Iterator[PointResult | Knee]:
    yield from (*judgement.ceilings, *judgement.floors, *judgement.points)
    yield from judgement.knees


def _place(source: Source, judged: Value | PointResult | Knee) -> dict[str, object]:
    """Which point of which run; no factor takes the place of a label of ours."""
    own = {"run": source.label, "station": source.run.station.name}
    own |= {"plan": judged.plan, "arm": judged.arm, "setup": judged.setup}
    return {**own, **judged.point, **own}


def _name(label: str) -> str:
    name = re.sub(r"[^a-zA-Z0-9_]", "_", label)
    return name if name[:1].isalpha() else f"factor_{name}"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
