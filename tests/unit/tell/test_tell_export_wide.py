# SPDX-License-Identifier: Apache-2.0
"""The wide form: a row for each point and each knee, a column for each quantity."""

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import builder
import pytest
import studies
from msgspec.structs import replace

from gatemark.store.record import Record
from gatemark.tell.export import form
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered


def source(records: list[Record], label: str = "first") -> Source:
    run = builder.run()
    return Source(run=run, records=records, judgement=answered(run, records), label=label)


@cache
def first() -> Source:
    return source(builder.trials())


@cache
def tcp() -> Source:
    return Source(
        run=studies.run(), records=studies.trials(), judgement=studies.judgement(), label="studies"
    )


PLACE = {"plan": "quick/sweep", "arm": "nat", "direction": "up", "rate_pps": "60000"}


def table(*sources: Source) -> list[dict[str, str]]:
    text = form.export("csv", sources, "points").decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def document(*sources: Source) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(form.export("json", sources, "points"))
    return rows


def row(**place: str) -> dict[str, str]:
    (match,) = (row for row in table(first()) if place.items() <= row.items())
    return match


def test_each_point_and_each_knee_is_a_row() -> None:
    kinds = [row["kind"] for row in table(first())]
    judged = first().judgement
    points = (*judged.ceilings, *judged.floors, *judged.points)
    assert (kinds.count("point"), kinds.count("knee")) == (len(points), len(judged.knees))


def test_an_interval_stands_beside_its_quantity() -> None:
    names = list(table(first())[0])
    at = names.index("received_pps")
    assert names[at : at + 3] == ["received_pps", "received_pps_lo", "received_pps_hi"]


def test_a_row_has_the_values_of_its_point() -> None:
    place = {"direction": "up", "rate_pps": 60_000}
    point = next(p for p in first().judgement.points if p.point == place)
    made = next(r for r in document(first()) if r["arm"] == point.arm and r["rate_pps"] == 60_000)
    interval = point.values["received_pps"]
    ends = (made["received_pps"], made["received_pps_lo"], made["received_pps_hi"])
    assert ends == (interval.value, interval.lo, interval.hi)


def test_a_row_tells_what_held_it_back() -> None:
    assert (row(**PLACE)["limit"], row(**PLACE)["at_least"]) == ("cpu", "false")


def test_the_number_of_trials_is_that_of_the_headline() -> None:
    assert row(**PLACE)["n"] == str(builder.REPEATS)


def test_the_codes_of_warnings_are_in_one_cell() -> None:
    few = source([record for record in builder.trials() if record.repeat <= 2])
    assert any("few-repeats" in row["warnings"].split("; ") for row in table(few))


def test_a_column_that_is_empty_in_all_rows_is_left_out() -> None:
    assert not {"write_bytes", "goodput_bps"} & set(table(first())[0])
    assert {"write_bytes", "goodput_bps"} <= set(table(tcp())[0])


def test_no_row_has_a_definition_or_a_factor_twice() -> None:
    names = list(table(first())[0])
    assert not [n for n in names if n.startswith("definition.") or n == "point.rate_pps"]


def test_another_factor_is_a_column_too() -> None:
    records = [replace(r, point={**r.point, "flows": 8}) for r in builder.trials()[:12]]
    assert {row["point.flows"] for row in table(source(records))} == {"8"}


def test_rows_of_several_runs_have_the_same_columns() -> None:
    made = table(first(), tcp())
    assert {row["run"] for row in made} == {"first", "studies"}
    assert all(None not in row and None not in row.values() for row in made)


@pytest.mark.parametrize("kind", ["udp", "tcp"])
def test_parquet_has_the_rows_of_the_csv(kind: str, tmp_path: Path) -> None:
    import duckdb

    made = {"udp": first, "tcp": tcp}[kind]()
    (tmp_path / "a.parquet").write_bytes(form.export("parquet", [made], "points"))
    read = duckdb.read_parquet(str(tmp_path / "a.parquet"))
    assert read.columns == list(table(made)[0])
    assert len(read) == len(table(made))


def test_a_run_without_points_has_a_head() -> None:
    head = form.export("csv", [source([])], "points").decode()
    assert head.startswith("run,station,virtual,started,plan,arm,")
    assert head.count("\r\n") == 1
