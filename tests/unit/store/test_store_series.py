# SPDX-License-Identifier: Apache-2.0
"""Time series on disk: a line of JSON for each, as any tool finds them."""

import gzip
import json
from pathlib import Path

import pytest

from gatemark.store import series
from gatemark.store.folder import Folder

NS = 1_764_000_000_000_000_000


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    kept: dict[str, tuple[list[int], list[float]]] = {
        "sink.up.delay_ns": ([10, 20], [3, 4]),
        "gateway.napi/gw0.run_ns": ([NS, NS + 1], [0.5, 1e18]),
        "nothing": ([], []),
    }
    series.write(Folder(tmp_path), "0.jsonl.gz", kept)
    del kept["nothing"]
    assert lines(tmp_path / "0.jsonl.gz") == [
        {"series": name, "x": x, "y": y} for name, (x, y) in kept.items()
    ]
    assert series.read(Folder(tmp_path), ["0.jsonl.gz"], ["*"]).series == {"0.jsonl.gz": kept}


def test_the_same_series_are_the_same_file(tmp_path: Path) -> None:
    for name in ("0", "1"):
        series.write(Folder(tmp_path), name, {"a": ([1], [2.0])})
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def test_sql_reads_it_in_place(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "o'0.jsonl.gz"
    series.write(Folder(tmp_path), path.name, {"o'clock\"; drop": (range(1, 3), [2.0, 2.5])})
    query = "SELECT series, unnest(x), unnest(y) FROM read_json($file)"
    found = duckdb.sql(query, params={"file": str(path)})
    assert found
    assert found.fetchall() == [("o'clock\"; drop", 1, 2.0), ("o'clock\"; drop", 2, 2.5)]


def test_a_time_in_nanoseconds_is_whole_in_sql(tmp_path: Path) -> None:
    import duckdb

    series.write(Folder(tmp_path), "0.jsonl.gz", {"a": ([NS + 1, 2**63 - 1], [1.0, 2.0])})
    query = "SELECT x, typeof(x) FROM read_json($file)"
    read = duckdb.sql(query, params={"file": str(tmp_path / "0.jsonl.gz")})
    assert read
    assert read.fetchall() == [([NS + 1, 2**63 - 1], "BIGINT[]")]


def test_a_place_that_takes_no_files_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file or directory"):
        series.write(Folder(tmp_path / "none"), "0.jsonl.gz", {"a": ([1], [2.0])})


def test_only_what_is_asked_for_is_read_in_the_order_of_time(tmp_path: Path) -> None:
    series.write(
        Folder(tmp_path),
        "0.jsonl.gz",
        {"sink.up.bytes": ([20, 10], [2.0, 1.0]), "other": ([1], [1.0])},
    )
    series.write(Folder(tmp_path), "1.jsonl.gz", {"sink.down.bytes": ([5], [7.0])})
    found = series.read(Folder(tmp_path), ["0.jsonl.gz", "1.jsonl.gz"], ["sink.*.bytes"])
    assert found.series == {
        "0.jsonl.gz": {"sink.up.bytes": ([10, 20], [1.0, 2.0])},
        "1.jsonl.gz": {"sink.down.bytes": ([5], [7.0])},
    }
    assert found.lost == ()


WHOLE = gzip.compress(b'{"series":"a","x":[1],"y":[2.0]}\n')
BROKEN = {
    "empty": b"",
    "no gzip": b"PAR1 and then nothing",
    "cut": WHOLE[:-12],
    "flipped": WHOLE[:14] + b"\xff\xff" + WHOLE[16:],
    "no JSON": gzip.compress(b"soon"),
    "no text": gzip.compress(b'{"series":"\xff","x":[1],"y":[2.0]}'),
    "other columns": gzip.compress(b'{"series":"a","x":["soon"],"y":[1]}'),
    "a century": gzip.compress(b'{"series":"a","x":[1, 3000000000000000000],"y":[1, 2]}'),
    "beyond numbers": gzip.compress(b'{"series":"a","x":[1],"y":[1e300]}'),
    "no pairs": gzip.compress(b'{"series":"a","x":[1, 2],"y":[1]}'),
    "missing": None,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_damaged_file_costs_only_itself(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "0.jsonl.gz").write_bytes(WHOLE)
    if content is not None:
        (tmp_path / "1.jsonl.gz").write_bytes(content)
    found = series.read(Folder(tmp_path), ["1.jsonl.gz", "0.jsonl.gz"], ["a"])
    assert found.series == {"0.jsonl.gz": {"a": ([1], [2.0])}}
    assert found.lost == ("1.jsonl.gz",)


def test_what_has_no_number_is_left_out(tmp_path: Path) -> None:
    nan, inf = float("nan"), float("inf")
    series.write(Folder(tmp_path), "0", {"a": ([1, 2, 3], [nan, 5.0, inf]), "b": ([1], [nan])})
    assert series.read(Folder(tmp_path), ["0"], ["*"]).series == {"0": {"a": ([2], [5.0])}}


@pytest.mark.parametrize(
    "name", ["", "..", "../0.jsonl.gz", "*.jsonl.gz", "*.parquet", "https://a.test/0.parquet"]
)
def test_a_strange_name_is_no_way_out_of_the_folder(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "series [1]"
    inner.mkdir()
    for folder in (tmp_path, inner):
        series.write(Folder(folder), "0.jsonl.gz", {"a": ([1], [2.0])})
    assert series.read(Folder(inner), [name], ["*"]).lost == (name,)
    assert series.read(Folder(inner), ["0.jsonl.gz"], ["*"]).lost == ()


def test_nothing_to_read_is_nothing(tmp_path: Path) -> None:
    assert series.read(Folder(tmp_path / "none"), [], ["*"]) == series.Reading()


def test_more_points_than_a_day_has_are_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of 250 KiB that unpacks to 128 million points took minutes and all memory."""
    monkeypatch.setattr(series, "MOST_POINTS", 10, raising=False)
    for points in (10, 11):
        kept = {"sink.bytes": (list(range(points)), [0.0] * points)}
        series.write(Folder(tmp_path), f"{points}.jsonl.gz", kept)
    read = series.read(Folder(tmp_path), ["10.jsonl.gz", "11.jsonl.gz"], ["*"])
    assert (list(read.series), read.lost) == (["10.jsonl.gz"], ("11.jsonl.gz",))
