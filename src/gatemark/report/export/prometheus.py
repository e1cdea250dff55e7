# SPDX-License-Identifier: Apache-2.0
"""Prometheus' text format 0.0.4, for the textfile collector of node_exporter.

Names and base units as prometheus.io/docs/practices/naming has them: bytes for bits, seconds for
nanoseconds, the unit last. An interval's ends are metrics of their own, because a mean over a label
that tells them apart would mean nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, NamedTuple

from gatemark.report.group.source import Source
from gatemark.stats.judgement import Judgement, Knee, PointResult, Value
from gatemark.stats.values import values

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
    "flows": ("flows", 1.0),
    "s": ("seconds", 1.0),
    "W": ("watts", 1.0),
    "J/Gbit": ("joules_per_byte", 1e9 / 8),
    "degrees Celsius": ("celsius", 1.0),
    "instructions": ("instructions", 1.0),
    "cycles": ("cycles", 1.0),
}
UNIT_OF_NAME: Final = re.compile(
    r"_(pps|bps|ns|bytes|ratio|s|packets|w|gbit_j|c|instructions|cycles)$"
)
ENDS: Final = (
    ("value", "", "median over the repeats"),
    ("lo", "_lo", "lower end of the median's interval"),
    ("hi", "_hi", "upper end of the median's interval"),
)


class Sample(NamedTuple):
    """One line."""

    metric: str
    help: str
    labels: Mapping[str, object]
    value: float


def export(sources: Sequence[Source]) -> bytes:
    """All samples, those of one metric together, each metric with HELP and TYPE."""
    metrics: dict[str, list[Sample]] = {}
    for source in sources:
        for sample in _samples(source):
            metrics.setdefault(sample.metric, []).append(sample)
    return "".join(line for metric in metrics.values() for line in _lines(metric)).encode()


def _lines(samples: Sequence[Sample]) -> Iterator[str]:
    name = samples[0].metric
    yield f"# HELP {name} {samples[0].help}\n"
    yield f"# TYPE {name} gauge\n"
    for sample in samples:
        labels = ",".join(f'{_name(key)}="{_text(v)}"' for key, v in sample.labels.items())
        yield f"{name}{{{labels}}} {sample.value!r}\n"


def _samples(source: Source) -> Iterator[Sample]:
    yield from _of_run(source)
    for value in values(source.judgement):
        labels = {**_place(source, value), "at_least": value.at_least}
        labels |= {"function": value.function} if value.function else {}
        yield from _of_value(value, labels)
    for judged in _judged(source.judgement):
        labels = {**_place(source, judged), "limit": judged.limit}
        yield Sample("gatemark_limit_info", "What held a point or a sweep back.", labels, 1.0)


def _of_run(source: Source) -> Iterator[Sample]:
    run, judgement = source.run, source.judgement
    info = {"station": run.station.name, "kind": run.station.kind, "virtual": run.station.virtual}
    info |= {"suite": run.suite, "version": run.versions.get("gatemark", "")}
    labels = {"run": source.label}
    yield Sample("gatemark_run_info", "A run of Gatemark.", {**labels, **info}, 1.0)
    with suppress(ValueError):  # a time that is none is told nowhere
        name, began = "gatemark_run_start_timestamp_seconds", datetime.fromisoformat(run.started)
        began = began if began.tzinfo else began.replace(tzinfo=UTC)
        yield Sample(name, "When the run began.", labels, began.timestamp())
    counts = {"ok": judgement.trials - judgement.invalid - judgement.skipped}
    counts |= {status: getattr(judgement, status) for status in ("invalid", "skipped", "missing")}
    for status, count in counts.items():
        labels = {**labels, "status": status}
        yield Sample("gatemark_trials", "Trials by what became of them.", labels, float(count))


def _of_value(value: Value, labels: Mapping[str, object]) -> Iterator[Sample]:
    unit, divisor = BASE[value.unit]
    stem = re.sub(r"\W", "_", UNIT_OF_NAME.sub("", value.quantity))
    for field, end, what in ENDS:
        number = getattr(value, field) / divisor
        yield Sample(f"gatemark_{stem}{end}_{unit}", f"{value.quantity}: {what}.", labels, number)


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


def _text(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
