# SPDX-License-Identifier: Apache-2.0
"""The formats by name: which there are, which goes with a file's name, and the one way in."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gatemark.report.export import csv, flent, json, junit, markdown, parquet, prometheus
from gatemark.report.export.column import columns
from gatemark.report.export.row import RecordRow, ValueRow, of_records, of_values
from gatemark.report.group.source import Source

DEFAULT: Final = "csv"
FORMATS: Final = ("csv", "json", "parquet", "markdown", "prometheus", "junit", "flent")
FOLDED: Final = "folded"  # a file for each path, in the runs' directories: export/folded.py
RAW: Final = ("csv", "json", "parquet")  # those that take records too
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
    if path.name.lower().endswith(".flent.gz"):
        return "flent"
    return SUFFIX.get(path.suffix.lower(), DEFAULT)


def export(name: str, sources: Sequence[Source], *, raw: bool = False) -> bytes:
    """The runs in the format of that name, values or (`raw`) records; labels are their names."""
    match name:
        case "markdown":
            return markdown.export(sources)
        case "prometheus":
            return prometheus.export(sources)
        case "flent":
            return flent.export(sources)
        case "junit":
            return junit.export(sources)
    rows = of_records(sources) if raw else of_values(sources)
    if name == "json":
        return json.export(rows)
    cells = columns(rows, RecordRow if raw else ValueRow)
    return parquet.export(cells) if name == "parquet" else csv.export(cells)
