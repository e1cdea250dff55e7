# SPDX-License-Identifier: Apache-2.0
"""Rows for spreadsheets and databases: CSV, JSON and Parquet hold the same, typed or as text."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import builder
import duckdb
import pytest
import studies
from msgspec.structs import replace

from gatemark.plan.model import Factor
from gatemark.report.export import form
from gatemark.report.group.source import Source
from gatemark.stats.judge import judge
from gatemark.stats.values import values
from gatemark.store.record import Record

CEILINGS = builder.trials()[:12]  # no rate is a factor of these


def source(records: list[Record], label: str = "first") -> Source:
    run = builder.run()
    return Source(run=run, records=records, judgement=judge(run, records), label=label)


FIRST = source(builder.trials())
TCP = Source(
    run=studies.run(), records=studies.trials(), judgement=studies.judgement(), label="studies"
)


def table(*sources: Source, raw: bool = False) -> list[dict[str, str]]:
    text = form.export("csv", sources, raw=raw).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def document(*sources: Source, raw: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(form.export("json", sources, raw=raw))
    return found


def parquet(path: Path, *sources: Source, raw: bool = False) -> duckdb.DuckDBPyRelation:
    path.write_bytes(form.export("parquet", sources, raw=raw))
    return duckdb.read_parquet(str(path))


def test_csv_has_a_row_for_each_value() -> None:
    found = [(row["quantity"], float(row["value"])) for row in table(FIRST)]
    assert found == [(value.quantity, value.value) for value in values(FIRST.judgement)]


def test_json_has_the_values_that_show_has() -> None:
    first = document(FIRST)[0]
    lead = values(FIRST.judgement)[0]
    assert (first["run"], first["virtual"], first["level"]) == ("first", True, lead.level)
    assert first["definition"]["path"] == lead.definition.path


def test_a_row_is_about_its_own_quantity() -> None:
    abouts = {(row["quantity"], row["definition"]["quantity"]) for row in document(FIRST)}
    assert {
        ("received_pps", "received rate"),
        ("delay_p50_ns", "median one-way delay"),
        ("cpu_busy", "load of the gateway's busiest CPU, seen from outside"),
    } <= abouts
    assert len(abouts) == len({row["quantity"] for row in document(FIRST)})


def test_the_run_leads_each_row() -> None:
    names = [row["run"] for row in table(FIRST, source(CEILINGS, "second"))]
    assert list(dict.fromkeys(names)) == ["first", "second"]
    assert next(iter(table(FIRST)[0])) == "run"


def test_factors_are_columns_of_their_own() -> None:
    rates = {row["point.rate_pps"] for row in table(FIRST) if row["plan"] == "quick/sweep"}
    assert rates == {"", *map(str, builder.RATES)}  # a knee is of no rate


def test_the_fixed_columns_are_there_whatever_was_measured() -> None:
    heads = [[n for n in table(s)[0] if not n.startswith("point.")] for s in (FIRST, TCP)]
    assert heads[0] == heads[1]


def test_a_run_without_records_has_a_head() -> None:
    head = form.export("csv", [source([])]).decode()
    assert head.startswith("run,station,virtual,started,plan,")
    assert head.count("\r\n") == 1


def test_lines_end_as_the_rfc_has_it() -> None:
    text = form.export("csv", [FIRST])
    assert text.count(b"\n") == text.count(b"\r\n") == len(table(FIRST)) + 1


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@a", "\t=1"])
def test_a_spreadsheet_gets_no_formula(name: str) -> None:
    records = [replace(record, arm=name) for record in CEILINGS]
    assert {row["arm"] for row in table(source(records))} == {f"'{name}"}


def test_a_number_below_zero_is_a_number() -> None:
    record = replace(CEILINGS[0], values={"received_pps": -1.0})
    assert table(source([record]), raw=True)[0]["values.received_pps"] == "-1.0"


def test_a_name_with_commas_and_quotes_comes_back() -> None:
    odd = 'a, "b"\r\nc'
    assert table(source([replace(CEILINGS[0], arm=odd)]), raw=True)[0]["arm"] == odd


def test_raw_has_a_row_for_each_trial() -> None:
    found = table(FIRST, raw=True)
    assert [row["trial"] for row in found] == [record.trial for record in FIRST.records]
    assert float(found[0]["values.received_pps"]) == FIRST.records[0].values["received_pps"]


def test_raw_json_holds_the_records_themselves() -> None:
    found = document(FIRST, raw=True)[0]
    assert found.pop("run") == "first"
    assert found["point"] == FIRST.records[0].point


def test_parquet_has_the_columns_of_the_csv(tmp_path: Path) -> None:
    assert parquet(tmp_path / "a.parquet", FIRST).columns == list(table(FIRST)[0])


def test_parquet_has_the_values_of_the_csv(tmp_path: Path) -> None:
    found = parquet(tmp_path / "a.parquet", FIRST).project("value, n, at_least").fetchall()
    told = [(float(r["value"]), int(r["n"]), r["at_least"] == "true") for r in table(FIRST)]
    assert found == told


@pytest.mark.parametrize("made", [FIRST, TCP], ids=["udp", "tcp"])
@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("value", "DOUBLE"),
        ("n", "BIGINT"),
        ("virtual", "BOOLEAN"),
        ("limit", "VARCHAR"),
        ("definition.streams", "BIGINT"),
        ("definition.congestion", "VARCHAR"),
        ("definition.loss_criterion", "DOUBLE"),
        ("point.direction", "VARCHAR"),
    ],
)
def test_a_column_has_its_type_though_it_is_empty(
    made: Source, column: str, kind: str, tmp_path: Path
) -> None:
    found = parquet(tmp_path / "a.parquet", made)
    assert str(found.types[found.columns.index(column)]) == kind


@pytest.mark.parametrize(
    ("levels", "kind"),
    [((1, 2), "BIGINT"), ((1, 2.5), "DOUBLE"), ((True, False), "BOOLEAN"), ((1, "a"), "VARCHAR")],
)
def test_a_factor_has_the_type_of_its_levels(
    levels: tuple[Factor, Factor], kind: str, tmp_path: Path
) -> None:
    records = [
        replace(record, point={"level": level})
        for record, level in zip(CEILINGS[:2], levels, strict=True)
    ]
    found = parquet(tmp_path / "a.parquet", source(records), raw=True)
    assert str(found.types[found.columns.index("point.level")]) == kind


def test_parquet_of_nothing_is_a_table(tmp_path: Path) -> None:
    assert parquet(tmp_path / "a.parquet", source([])).fetchall() == []


def test_a_hostile_column_is_a_name(tmp_path: Path) -> None:
    record = replace(CEILINGS[0], point={'a"; DROP TABLE x': 1})
    assert 'point.a"; DROP TABLE x' in parquet(tmp_path / "a", source([record]), raw=True).columns
