# SPDX-License-Identifier: Apache-2.0
"""Parquet needs DuckDB, which is an extra; series of earlier versions are Parquet files."""

from collections.abc import Sequence
from importlib.util import find_spec
from io import FileIO
from typing import Final

from gatemark.error import UnavailableError
from gatemark.store.schema import MOST

SUFFIX: Final = ".parquet"

READ: Final = """
SELECT series, list(x::BIGINT ORDER BY x), list(y::DOUBLE ORDER BY x)
FROM read_parquet($file)
SEMI JOIN (SELECT unnest($like::VARCHAR[]) AS pattern) ON series GLOB pattern
WHERE x IS NOT NULL AND abs(y::DOUBLE) <= $most
GROUP BY series ORDER BY series
"""


def require_duckdb(purpose: str) -> None:
    """Raise UnavailableError with the fix where DuckDB is not installed."""
    if find_spec("duckdb") is None:
        raise UnavailableError(f"{purpose} needs DuckDB: pip install 'gatemark[sql]'")


def read(file: FileIO, name: str, like: Sequence[str]) -> dict[str, tuple[list[int], list[float]]]:
    """The series `like` one of these patterns, ordered by `x`. Raises OSError or ValueError.

    The file is open, so that nobody can put another in its place; `name` is for messages.
    """
    require_duckdb(f"series/{name}, of an earlier version,")
    import duckdb  # heavy, and only old runs need it

    with duckdb.connect() as connection:
        try:
            asked = {"file": f"/proc/self/fd/{file.fileno()}", "like": list(like), "most": MOST}
            rows = connection.execute(READ, asked).fetchall()
        except duckdb.Error as error:
            raise ValueError(str(error)) from None
    return {series: (x, y) for series, x, y in rows}
