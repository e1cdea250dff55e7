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


def test_only_what_is_asked_for_is_read_in_the_order_of_time(tmp_path: Path) -> None:
    series.write(
        tmp_path / "0.parquet", {"sink.up.bytes": ([20, 10], [2.0, 1.0]), "other": ([1], [1.0])}
    )
    series.write(tmp_path / "1.parquet", {"sink.down.bytes": ([5], [7.0])})
    found = series.read(tmp_path, ["0.parquet", "1.parquet"], ["sink.%.bytes"])
    assert found.series == {
        "0.parquet": {"sink.up.bytes": ([10, 20], [1.0, 2.0])},
        "1.parquet": {"sink.down.bytes": ([5], [7.0])},
    }
    assert found.lost == ()


@pytest.mark.parametrize("content", [b"", b"PAR1 and then nothing", None, "other columns", "nan"])
def test_a_damaged_file_costs_only_itself(tmp_path: Path, content: bytes | str | None) -> None:
    series.write(tmp_path / "0.parquet", {"a": ([1], [2.0])})
    bad = tmp_path / "1.parquet"
    match content:
        case bytes():
            bad.write_bytes(content)
        case "other columns":
            odd = duckdb.sql("SELECT 'a' AS series, 'soon' AS x, 1 AS y")
            assert odd is not None
            odd.write_parquet(str(bad))
        case "nan":
            series.write(bad, {"a": ([1], [float("nan")])})
    found = series.read(tmp_path, ["0.parquet", "1.parquet"], ["a"])
    assert found.series["0.parquet"] == {"a": ([1], [2.0])}
    assert not found.series.get("1.parquet")
    assert found.lost == (() if content == "nan" else ("1.parquet",))


@pytest.mark.parametrize(
    "name", ["", "..", "../0.parquet", "*.parquet", "https://a.test/0.parquet"]
)
def test_a_strange_name_is_no_way_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "series [1]"
    inner.mkdir()
    for folder in (tmp_path, inner):
        series.write(folder / "0.parquet", {"a": ([1], [2.0])})
    assert series.read(inner, [name], ["%"]).lost == (name,)
    assert series.read(inner, ["0.parquet"], ["%"]).lost == ()


def test_nothing_to_read_is_nothing(tmp_path: Path) -> None:
    assert series.read(tmp_path / "none", [], ["%"]) == series.Reading()
