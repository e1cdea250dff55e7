# SPDX-License-Identifier: Apache-2.0
"""Parquet: the columns of the CSV with their types, written by DuckDB.

Times are times, in UTC. The units of columns are one JSON object in the file's metadata, because
DuckDB writes no metadata of a single column.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.util import find_spec
from typing import Final

from gatemark.error import UnavailableError, UsageError
from gatemark.quantity import ENDINGS, QUANTITIES
from gatemark.tell.export.column import Column
from gatemark.tell.export.moment import timed

SQL: Final = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    str: "VARCHAR",
    datetime: "TIMESTAMPTZ",
}
MOST: Final = 1 << 63
UNITS: Final = "gatemark.units"  # key of the file's metadata: column -> unit


def export(columns: Sequence[Column]) -> bytes:
    """The columns as a Parquet file."""
    if find_spec("duckdb") is None:
        raise UnavailableError("The format parquet needs DuckDB: pip install 'gatemark[sql]'")
    import duckdb  # heavy, and only this format needs it

    from gatemark import scratch  # not on Windows

    typed = timed(columns)
    for column in typed:
        _require_signed(column)
    picked = ", ".join(
        f"unnest(${place}::{SQL[column.kind]}[]) AS {_quoted(column.name)}"
        for place, column in enumerate(typed, 1)
    )
    with scratch.folder() as folder, duckdb.connect() as connection:
        path = folder / "export.parquet"
        connection.execute(
            f"COPY (SELECT {picked}) TO {_text(str(path))} (FORMAT parquet, COMPRESSION zstd,"
            f" KV_METADATA {{{_text(UNITS)}: {_text(json.dumps(units(c.name for c in typed)))}}})",
            [column.cells for column in typed],
        )
        return path.read_bytes()


def _require_signed(column: Column) -> None:
    """Raise UsageError where a number is no signed 64: DuckDB would write a double of it."""
    if column.kind is int:
        for cell in column.cells:
            if isinstance(cell, int) and not -MOST <= cell < MOST:
                raise UsageError(
                    f"{column.name} is {cell}, which Parquet's whole numbers cannot hold: "
                    "--format csv has every digit"
                )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"


TABLES: Final = re.compile(r"^(values|point|definition)\.")
BOUND: Final = re.compile(r"_(lo|hi)$")
NOMINAL: Final = ENDINGS | {"_ms": "ms", "_s": "s"}  # what was set besides


def units(names: Iterable[str]) -> dict[str, str]:
    """The units of the columns that have one."""
    every = {name: _unit(name) for name in names}
    return {name: unit for name, unit in every.items() if unit}


def _unit(name: str) -> str:
    name = BOUND.sub("", TABLES.sub("", name))
    if name in QUANTITIES:
        return QUANTITIES[name].unit
    return next((unit for ending, unit in NOMINAL.items() if name.endswith(ending)), "")
