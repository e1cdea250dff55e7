# SPDX-License-Identifier: Apache-2.0
"""What a row of an export is: a judged value, or with `--raw` a record, each with its run."""

from collections.abc import Iterable

import msgspec

from gatemark.judge.judgement import Value
from gatemark.judge.values import values
from gatemark.store.record import Record
from gatemark.tell.export.traffic import rates, traffic
from gatemark.tell.group.source import Source

Row = dict[str, object]  # as JSON has it; tables inside tables


class ValueRow(Value, frozen=True, kw_only=True):
    """One value: a line of `gatemark show --json`, or with its run a row of `gatemark export`."""

    run: str = ""  # exports: name of the run
    station: str = ""  # exports: where it was measured
    virtual: bool = False  # exports: the gateway is a namespace or a virtual machine, no device
    started: str = ""  # exports: when the run began, ISO 8601, UTC
    direction: str = ""  # exports: up, down, both, send, receive
    frame_bytes: int | None = None  # exports: of UDP, L2 with FCS; None: not one size
    payload_bytes: int | None = None  # exports: of such a frame
    mix: str = ""  # exports: of UDP, frames of several sizes
    write_bytes: int | None = None  # exports: of TCP
    # exports: set for each direction; 0: as fast as the tester can; None: not one rate
    rate_pps: float | None = None


class RecordRow(Record, frozen=True, kw_only=True):
    """One trial: a line of `trials.jsonl`, or with its run a row of `gatemark export --raw`."""

    run: str = ""  # exports: name of the run


def of_values(sources: Iterable[Source]) -> list[Row]:
    """Every judged value, shaped as `ValueRow`."""
    return [
        {**of_run(source), **traffic(value, set_rates), **msgspec.to_builtins(value)}
        for source in sources
        for set_rates in [rates(source)]
        for value in values(source.judgement)
    ]


def of_records(sources: Iterable[Source]) -> list[Row]:
    """Every record, shaped as `RecordRow`."""
    return [
        {"run": source.label, **msgspec.to_builtins(record)}
        for source in sources
        for record in source.records
    ]


def of_run(source: Source) -> Row:
    """What leads each row: the run, and where and when it was."""
    run = source.run
    station = {"station": run.station.name, "virtual": run.station.virtual}
    return {"run": source.label, **station, "started": run.started}
