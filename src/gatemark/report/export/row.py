# SPDX-License-Identifier: Apache-2.0
"""What a row of an export is: a judged value, or with `--raw` a record, each with its run."""

from collections.abc import Iterable

import msgspec

from gatemark.report.group.source import Source
from gatemark.stats.judgement import Value
from gatemark.stats.values import values
from gatemark.store.record import Record

Row = dict[str, object]  # as JSON has it; tables inside tables


class ValueRow(Value, frozen=True, kw_only=True):
    """One value: a line of `gatemark show --json`, or with its run a row of `gatemark export`."""

    run: str = ""  # exports: name of the run
    station: str = ""  # exports: where it was measured
    virtual: bool = False  # exports: the gateway is a namespace or a virtual machine, no device
    started: str = ""  # exports: when the run began, ISO 8601, UTC


class RecordRow(Record, frozen=True, kw_only=True):
    """One trial: a line of `trials.jsonl`, or with its run a row of `gatemark export --raw`."""

    run: str = ""  # exports: name of the run


def of_values(sources: Iterable[Source]) -> list[Row]:
    """Every judged value, shaped as `ValueRow`."""
    return [
        {**_of_run(source), **msgspec.to_builtins(value)}
        for source in sources
        for value in values(source.judgement)
    ]


def of_records(sources: Iterable[Source]) -> list[Row]:
    """Every record, shaped as `RecordRow`."""
    return [
        {"run": source.label, **msgspec.to_builtins(record)}
        for source in sources
        for record in source.records
    ]


def _of_run(source: Source) -> Row:
    run = source.run
    station = {"station": run.station.name, "virtual": run.station.virtual}
    return {"run": source.label, **station, "started": run.started}
