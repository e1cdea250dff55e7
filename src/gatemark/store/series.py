# SPDX-License-Identifier: Apache-2.0
"""Time series and histograms of a trial as one Parquet file: columns series, x, y.

`x` is a time in ns (CLOCK_MONOTONIC) or the lower bound of a histogram's bucket; `y` the value or
the count. The name of a series carries its unit: `sink.up.delay_ns`, `gateway.napi/gw0.run_ns`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

Series = Mapping[str, tuple[Sequence[int], Sequence[float]]]

ROWS = """
SELECT unnest($1::VARCHAR[]) AS series, unnest($2::BIGINT[]) AS x, unnest($3::DOUBLE[]) AS y
"""


def write(path: Path, series: Series) -> None:
    """Write all series of a trial."""
    import duckdb  # noqa: PLC0415  heavy, and only a run needs it

    names = [name for name, (x, _) in series.items() for _ in x]
    x = [value for values, _ in series.values() for value in values]
    y = [float(value) for _, values in series.values() for value in values]
    with duckdb.connect() as connection:
        connection.sql(ROWS, params=[names, x, y]).write_parquet(str(path), compression="zstd")
