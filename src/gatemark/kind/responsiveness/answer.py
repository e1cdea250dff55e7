# SPDX-License-Identifier: Apache-2.0
"""Responsiveness under load: round trips a minute with their class, and what they are made of."""

from collections.abc import Sequence
from typing import Final

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.kind.responsiveness.plan import RESPONSIVENESS
from gatemark.kind.responsiveness.point import confidence, grade
from gatemark.store.record import Record
from gatemark.tell.answer import rates
from gatemark.tell.answer.answer import Answer
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import MBPS, Scale
from gatemark.tell.words.table import NONE, Table

ANCHOR = "responsiveness"
CAPTION = (
    "Responsiveness: HTTP round trips a minute while the way is full (RPM). Foreign: probes that "
    "open a connection; loaded: requests beside a load; RPM is the mean of both"
)
WHOLE = Scale(1.0, "")
MS = Scale(1e6, "ms")
# Quantity -> its column.
COUNTS = {"rpm_foreign": "foreign", "rpm_loaded": "loaded", "rpm_idle": "at rest"}
TIMES = {
    "http_f_p50_ns": "foreign request p50, ms",
    "http_l_p50_ns": "beside a load p50, ms",
    "http_l_p90_ns": "p90, ms",
    "http_l_p99_ns": "p99, ms",
}


def table(judgement: Judgement, records: Sequence[Record]) -> Table:
    """A line for each point, the tester's own first."""
    everyone = (*judgement.ceilings, *judgement.points)
    about = [point for point in everyone if point.definition.quantity == RESPONSIVENESS]
    spec: list[Column[PointResult]] = [
        Column("setup", rates.who),
        Column("point", traffic.point_words),
        Column("RPM", lambda p: rates.cell(p, "rpm", WHOLE), is_number=True),
        Column("class", _grade),
        *(_numbers(head, name, WHOLE, about) for name, head in COUNTS.items()),
        *(_numbers(head, name, MS, about) for name, head in TIMES.items()),
        _numbers("goodput, Mbit/s", "goodput_bps", MBPS, about),
        Column("connections", lambda p: _count(p, "load_connections"), is_number=True),
        Column("confidence", lambda p: confidence(_trials(p, records)) or NONE),
        Column("bottleneck", lambda p: p.limit),
    ]
    return column.table(CAPTION, about, *spec)


def _numbers(head: str, name: str, to: Scale, points: Sequence[PointResult]) -> Column[PointResult]:
    there = any(name in point.values for point in points)
    return Column(head, lambda p: rates.cell(p, name, to), is_number=True, is_there=there)


def _count(point: PointResult, name: str) -> str:
    return f"{point.values[name].value:.0f}" if name in point.values else NONE


def _grade(point: PointResult) -> str:
    return grade(point.values["rpm"].value) if "rpm" in point.values else number.DASH


def _trials(point: PointResult, records: Sequence[Record]) -> list[Record]:
    return [
        record
        for record in records
        if record.status == "ok"
        and record.pass_ == "outside"
        and (record.plan, record.arm, record.point) == (point.plan, point.arm, point.point)
    ]


KIND: Final = Answer(lambda source: [(ANCHOR, table(source.judgement, source.records))])
