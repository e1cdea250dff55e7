# SPDX-License-Identifier: Apache-2.0
"""Time series on disk: what is written is what any reader of Parquet finds."""

from pathlib import Path

import duckdb
import pytest

from gatemark.store import series

NS = 1_764_000_000_000_000_000


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found: dict[str, tuple[list[int], list[float]]] = {
        "sink.up.delay_ns": ([10, 20], [3, 4]),
        "gateway.napi/gw0.run_ns": ([NS, NS + 1], [0.5, 1e18]),
        "nothing": ([], []),
    }
    series.write(tmp_path / "0.parquet", found)
    rows = duckdb.read_parquet(str(tmp_path / "0.parquet")).fetchall()
    assert rows == [
        (name, *pair) for name, (x, y) in found.items() for pair in zip(x, y, strict=True)
    ]


def test_a_name_with_quotes_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "o'0.parquet"
    series.write(path, {"o'clock\"; drop": ([1], [2.0])})
    assert duckdb.read_parquet(str(path)).fetchall() == [("o'clock\"; drop", 1, 2.0)]


def test_a_place_that_takes_no_files_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file or directory"):
        series.write(tmp_path / "none" / "0.parquet", {"a": ([1], [2.0])})
