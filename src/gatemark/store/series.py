# SPDX-License-Identifier: Apache-2.0
"""Time series and histograms of a trial as one Parquet file: columns series, x, y.

`x` is a time in ns (CLOCK_MONOTONIC) or the lower bound of a histogram's bucket; `y` the value or
the count. The name of a series carries its unit: `sink.up.delay_ns`, `gateway.napi/gw0.run_ns`.
"""

import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

Series = Mapping[str, tuple[Sequence[int], Sequence[float]]]

ROWS = """
SELECT unnest($1::VARCHAR[]) AS series, unnest($2::BIGINT[]) AS x, unnest($3::DOUBLE[]) AS y
"""


def write(path: Path, series: Series) -> None:
    """Write all series of a trial. Raises OSError as a file of ours would."""
    import duckdb  # noqa: PLC0415  heavy, and only a run needs it

    names = [name for name, (x, _) in series.items() for _ in x]
    x = [value for values, _ in series.values() for value in values]
    y = [float(value) for _, values in series.values() for value in values]
    with duckdb.connect() as connection:
        try:
            connection.sql(ROWS, params=[names, x, y]).write_parquet(str(path), compression="zstd")
        except duckdb.IOException as error:
            raise OSError(_errno(str(error)), os.strerror(_errno(str(error)))) from None


def _errno(said: str) -> int:
    """DuckDB tells the system's reason in words only."""
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.ENOENT)
    return next((number for number in numbers if os.strerror(number) in said), errno.EIO)
