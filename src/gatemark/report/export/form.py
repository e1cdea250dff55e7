# SPDX-License-Identifier: Apache-2.0
"""The formats by name: which there are, which goes with a file's name, and the one way in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from gatemark.report.export import csv, json, junit, markdown, parquet, prometheus, wide
from gatemark.report.export.column import Column, columns
from gatemark.report.export.row import RecordRow, Row, ValueRow, of_records, of_values
from gatemark.report.group.source import Source

Rows = Literal["values", "points", "records"]  # what a row of a table is

DEFAULT: Final = "csv"
FORMATS: Final = ("csv", "json", "parquet", "markdown", "prometheus", "junit")
FOLDED: Final = "folded"  # a file for each path, in the runs' directories: export/folded.py
TABLES: Final = ("csv", "json", "parquet")  # those that take records and points too
SUFFIX: Final = {
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".md": "markdown",
    ".prom": "prometheus",
    ".xml": "junit",
}


def of_name(path: Path) -> str:
    """The format that a file's name asks for."""
    return SUFFIX.get(path.suffix.lower(), DEFAULT)


def export(name: str, sources: Sequence[Source], rows: Rows = "values") -> bytes:
    """The runs in the format of that name; labels are their names."""
    match name:
        case "markdown":
            return markdown.export(sources)
        case "prometheus":
            return prometheus.export(sources)
        case "junit":
            return junit.export(sources)
    made = _rows(sources, rows, is_text=name == "csv")
    if name == "json":
        return json.export(made)
    cells = _columns(made, rows)
    return parquet.export(cells) if name == "parquet" else csv.export(cells)


def _rows(sources: Sequence[Source], rows: Rows, *, is_text: bool) -> list[Row]:
    match rows:
        case "records":
            return of_records(sources)
        case "points":
            return wide.of_points(sources, is_text=is_text)
        case "values":
            return of_values(sources, is_text=is_text)


def _columns(made: Sequence[Row], rows: Rows) -> list[Column]:
    if rows == "points":
        return wide.columns(made)
    return columns(made, RecordRow if rows == "records" else ValueRow)
