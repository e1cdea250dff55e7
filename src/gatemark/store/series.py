# SPDX-License-Identifier: Apache-2.0
"""Time series and histograms of a trial as one Parquet file: columns series, x, y.

`x` is a time in ns (CLOCK_MONOTONIC) or the lower bound of a histogram's bucket; `y` the value or
the count. The name of a series carries its unit: `sink.up.delay_ns`, `gateway.napi/gw0.run_ns`.
"""

import errno
import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Series = Mapping[str, tuple[Sequence[int], Sequence[float]]]

ROWS = """
SELECT unnest($1::VARCHAR[]) AS series, unnest($2::BIGINT[]) AS x, unnest($3::DOUBLE[]) AS y
"""
READ = """
SELECT filename, series, list(x::BIGINT ORDER BY x), list(y::DOUBLE ORDER BY x)
FROM read_parquet($files, filename = true)
SEMI JOIN (SELECT unnest($like::VARCHAR[]) AS pattern) ON series LIKE pattern
WHERE x IS NOT NULL AND isfinite(y::DOUBLE)
GROUP BY filename, series ORDER BY filename, series
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: the series of each file, by its name, and the files that could not be."""

    series: Mapping[str, Series] = field(default_factory=dict)
    lost: tuple[str, ...] = ()  # missing or damaged


def write(path: Path, series: Series) -> None:
    """Write all series of a trial. Raises OSError as a file of ours would."""
    import duckdb  # heavy, and only a run needs it

    names = [name for name, (x, _) in series.items() for _ in x]
    x = [value for values, _ in series.values() for value in values]
    y = [float(value) for _, values in series.values() for value in values]
    with duckdb.connect() as connection:
        try:
            connection.sql(ROWS, params=[names, x, y]).write_parquet(str(path), compression="zstd")
        except duckdb.IOException as error:
            raise OSError(_errno(str(error)), os.strerror(_errno(str(error)))) from None


def read(folder: Path, names: Iterable[str], like: Sequence[str]) -> Reading:
    """The series `like` one of these patterns (of SQL: `sink.%.bytes`) in these files of a folder.

    Ordered by `x`. A file that is missing or damaged is named and gives nothing; no error.
    """
    wanted = list(dict.fromkeys(names))
    readable = [name for name in wanted if Path(name).name == name and (folder / name).is_file()]
    if not readable:
        return Reading(lost=tuple(wanted))
    import duckdb  # heavy, and only the page reads series

    with duckdb.connect() as connection:
        try:
            series = _read(connection, folder, readable, like)
        except duckdb.Error:  # of all files together: which is it?
            series = {}
            for name in tuple(readable):
                try:
                    series |= _read(connection, folder, [name], like)
                except duckdb.Error:
                    readable.remove(name)
    return Reading(series, tuple(name for name in wanted if name not in readable))


def _read(
    connection: "DuckDBPyConnection", folder: Path, names: Sequence[str], like: Sequence[str]
) -> dict[str, Series]:
    """All of these files in one query. Raises duckdb.Error if one of them is damaged."""
    files = [glob.escape(str(folder / name)) for name in names]
    rows = connection.execute(READ, {"files": files, "like": list(like)}).fetchall()
    curves: dict[str, dict[str, tuple[list[int], list[float]]]] = {name: {} for name in names}
    for file, series, x, y in rows:
        curves[Path(file).name][series] = (x, y)
    return dict(curves)


def _errno(message: str) -> int:
    """DuckDB tells the system's reason in words only."""
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOENT)
    return next((number for number in numbers if os.strerror(number) in message), errno.EIO)
