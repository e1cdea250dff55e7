# SPDX-License-Identifier: Apache-2.0
"""Series of earlier versions are Parquet: read where DuckDB is, else one line with the fix."""

import sys
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.store import series
from gatemark.store.folder import Folder

ROWS = "('sink.up.bytes', 20, 2.0), ('sink.up.bytes', 10, 1.0), ('other', 1, 1.0)"


def written(path: Path, rows: str = ROWS) -> None:
    """As earlier versions wrote it."""
    import duckdb

    relation = duckdb.sql(f"FROM (VALUES {rows}) AS rows(series, x, y)")
    assert relation
    relation.write_parquet(str(path), compression="zstd")


def test_an_old_file_is_read_beside_a_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "series [1]"
    folder.mkdir()
    written(folder / "0.parquet")
    series.write(Folder(folder), "1.jsonl.gz", {"sink.down.bytes": ([5], [7.0])})
    found = series.read(Folder(folder), ["0.parquet", "1.jsonl.gz"], ["sink.*.bytes"])
    assert found.series == {
        "0.parquet": {"sink.up.bytes": ([10, 20], [1.0, 2.0])},
        "1.jsonl.gz": {"sink.down.bytes": ([5], [7.0])},
    }
    assert found.lost == ()


@pytest.mark.parametrize("content", [b"", b"PAR1 and then nothing", None, "other columns"])
def test_a_damaged_old_file_costs_only_itself(tmp_path: Path, content: bytes | str | None) -> None:
    written(tmp_path / "0.parquet")
    match content:
        case bytes():
            (tmp_path / "1.parquet").write_bytes(content)
        case "other columns":
            written(tmp_path / "1.parquet", "('other', 'soon', 1)")
    found = series.read(Folder(tmp_path), ["0.parquet", "1.parquet"], ["other"])
    assert found.series == {"0.parquet": {"other": ([1], [1.0])}}
    assert found.lost == ("1.parquet",)


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("rest", ["lost", "zeros"])
def test_an_old_file_that_was_cut_anywhere_is_named(tmp_path: Path, rest: str) -> None:
    """As a power cut leaves it: the end is not there, or its blocks were never written."""
    written(tmp_path / "0.parquet")
    data = (tmp_path / "0.parquet").read_bytes()
    for end in range(len(data)):
        left = data[:end] + (bytes(len(data) - end) if rest == "zeros" else b"")
        (tmp_path / "0.parquet").write_bytes(left)
        reading = series.read(Folder(tmp_path), ["0.parquet"], ["*"])
        assert (reading.series, reading.lost) == ({}, ("0.parquet",)), end


def test_what_has_no_number_is_left_out(tmp_path: Path) -> None:
    written(tmp_path / "0.parquet", "('a', 1, 'nan'::DOUBLE), ('a', 2, 3.0), ('b', 1, 'inf')")
    found = series.read(Folder(tmp_path), ["0.parquet"], ["*"])
    assert found.series == {"0.parquet": {"a": ([2], [3.0])}}


def test_without_duckdb_one_line_has_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "00007.parquet")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UnavailableError) as caught:
        series.read(Folder(tmp_path), ["00007.parquet"], ["*"])
    assert str(caught.value) == (
        "series/00007.parquet, of an earlier version, needs DuckDB: pip install 'gatemark[sql]'"
    )


def test_new_series_need_no_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    series.write(Folder(tmp_path), "0.jsonl.gz", {"a": ([1], [2.0])})
    assert series.read(Folder(tmp_path), ["0.jsonl.gz"], ["a"]).lost == ()
