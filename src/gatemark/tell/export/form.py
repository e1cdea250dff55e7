# SPDX-License-Identifier: Apache-2.0
"""The formats by name: which there are, which goes with a file's name, and the one way in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from gatemark.error import UsageError
from gatemark.tell.export import (
    csv,
    flent,
    history,
    junit,
    markdown,
    openmetrics,
    parquet,
    prometheus,
    wide,
)
from gatemark.tell.export.column import Column, columns
from gatemark.tell.export.row import RecordRow, Row, ValueRow, of_records, of_values
from gatemark.tell.group.source import Source

Rows = Literal["values", "points", "records"]  # what a row of a table is

DEFAULT: Final = "csv"
FOLDED: Final = "folded"  # a file for each path, in the runs' directories: export/folded.py
TABLES: Final = ("csv", "json", "parquet")  # those that have rows: values, points or records
OF_RUNS: Final = {  # those that take runs, and have no rows
    "markdown": markdown.export,
    "prometheus": prometheus.export,
    "openmetrics": openmetrics.export,
    "junit": junit.export,
    "flent": flent.export,
    "history": history.export,
}
FORMATS: Final = (*TABLES, *OF_RUNS)
SUFFIX: Final = {
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".md": "markdown",
    ".prom": "prometheus",
    ".om": "openmetrics",
    ".xml": "junit",
}
SHEETS: Final = (".xlsx", ".xls", ".ods")


def of_name(path: Path) -> str:
    """The format that a file's name asks for. Raises UsageError for one that there is not."""
    if path.name.lower().endswith(".flent.gz"):
        return "flent"
    ending = path.suffix.lower()
    if ending and ending not in SUFFIX:
        sheet = ": a spreadsheet opens .csv" if ending in SHEETS else ""
        raise UsageError(
            f"--out {path}: no format is for {ending}{sheet}; write {', '.join(SUFFIX)}, "
            "or name one by --format"
        )
    return SUFFIX.get(ending, DEFAULT)


def export(name: str, sources: Sequence[Source], rows: Rows = "values") -> bytes:
    """The runs in the format of that name; labels are their names."""
    if name in OF_RUNS:
        return OF_RUNS[name](sources)
    if name == "json":
        return msgspec.json.format(msgspec.json.encode(_rows(sources, rows)), indent=1) + b"\n"
    if name == "parquet":
        return parquet.export(table(sources, rows))
    return csv.export(table(sources, rows))


def table(sources: Sequence[Source], rows: Rows) -> list[Column]:
    """The runs as columns."""
    made = _rows(sources, rows)
    if rows == "points":
        return wide.columns(made)
    return columns(made, RecordRow if rows == "records" else ValueRow)


def _rows(sources: Sequence[Source], rows: Rows) -> list[Row]:
    match rows:
        case "records":
            return of_records(sources)
        case "points":
            return wide.of_points(sources)
        case "values":
            return of_values(sources)
