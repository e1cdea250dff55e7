# SPDX-License-Identifier: Apache-2.0
"""Parquet: the columns of the CSV with their types, written by DuckDB."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from gatemark.report.export.column import Column
from gatemark.store.parquet import require_duckdb

SQL = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}


def export(columns: Sequence[Column]) -> bytes:
    """The columns as a Parquet file."""
    require_duckdb("The format parquet")
    import duckdb  # heavy, and only this format needs it

    picked = ", ".join(
        f"unnest(${place}::{SQL[column.kind]}[]) AS {_quoted(column.name)}"
        for place, column in enumerate(columns, 1)
    )
    with TemporaryDirectory(prefix="gatemark-") as folder, duckdb.connect() as connection:
        path = Path(folder) / "export.parquet"
        rows = connection.sql(f"SELECT {picked}", params=[column.cells for column in columns])
        rows.write_parquet(str(path), compression="zstd")
        return path.read_bytes()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
