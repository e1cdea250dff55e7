# SPDX-License-Identifier: Apache-2.0
"""The formats by name: which there are, which goes with a file's name, and the one way in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from gatemark.report.export import (
    csv,
    json,
    junit,
    markdown,
    openmetrics,
    parquet,
    prometheus,
    wide,
)
from gatemark.report.export.column import Column, columns
from gatemark.report.export.row import RecordRow, Row, ValueRow, of_records, of_values
from gatemark.report.group.source import Source

Rows = Literal["values", "points", "records"]  # what a row of a table is

DEFAULT: Final = "csv"
FOLDED: Final = "folded"  # a file for each path, in the runs' directories: export/folded.py
TABLES: Final = ("csv", "json", "parquet")  # those that have rows: values, points or records
OF_RUNS: Final = {  # those that take runs, and have no rows
    "markdown": markdown.export,
    "prometheus": prometheus.export,
    "openmetrics": openmetrics.export,
    "junit": junit.export,
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


def of_name(path: Path) -> str:
    """The format that a file's name asks for."""
    return SUFFIX.get(path.suffix.lower(), DEFAULT)


def export(name: str, sources: Sequence[Source], rows: Rows = "values") -> bytes:
    """The runs in the format of that name; labels are their names."""
    if name in OF_RUNS:
        return OF_RUNS[name](sources)
    if name == "json":
        return json.export(_rows(sources, rows))
    if name == "parquet":
        return parquet.export(table(sources, rows))
    return csv.export(table(sources, rows, is_text=True))


def table(sources: Sequence[Source], rows: Rows, *, is_text: bool = False) -> list[Column]:
    """The runs as columns; for a text with the digits that the intervals warrant."""
    made = _rows(sources, rows, is_text=is_text)
    if rows == "points":
        return wide.columns(made)
    return columns(made, RecordRow if rows == "records" else ValueRow)


def _rows(sources: Sequence[Source], rows: Rows, *, is_text: bool = False) -> list[Row]:
    match rows:
        case "records":
            return of_records(sources)
        case "points":
            return wide.of_points(sources, is_text=is_text)
        case "values":
            return of_values(sources, is_text=is_text)
