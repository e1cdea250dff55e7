# SPDX-License-Identifier: Apache-2.0
"""Rows for spreadsheets and databases: CSV, JSON and Parquet hold the same, typed or as text."""

import csv
import io
import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import builder
import pytest
import studies
from msgspec.structs import replace

from gatemark.error import UnavailableError, UsageError
from gatemark.judge.values import values
from gatemark.plan.model import Factor
from gatemark.store.record import Record
from gatemark.tell.export import form
from gatemark.tell.export.form import Rows
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

if TYPE_CHECKING:
    import duckdb

ROWS: dict[bool, Rows] = {False: "values", True: "records"}
CEILINGS = 12  # of the first trials: no rate is a factor of these


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


def table(*sources: Source, raw: bool = False) -> list[dict[str, str]]:
    text = form.export("csv", sources, ROWS[raw]).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def document(*sources: Source, raw: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(form.export("json", sources, ROWS[raw]))
    return found


@cache
def own(*, raw: bool = False) -> list[dict[str, str]]:
    """The rows of the first run as CSV."""
    return table(first(), raw=raw)


@cache
def documents() -> list[dict[str, Any]]:
    """The values of the first run as JSON."""
    return document(first())


def parquet(path: Path, *sources: Source, raw: bool = False) -> "duckdb.DuckDBPyRelation":
    import duckdb

    path.write_bytes(form.export("parquet", sources, ROWS[raw]))
    return duckdb.read_parquet(str(path))


def test_csv_has_a_row_for_each_value() -> None:
    assert [row["quantity"] for row in own()] == [v.quantity for v in values(first().judgement)]


def test_csv_has_every_digit() -> None:
    exact = next(v for v in values(first().judgement) if v.quantity == "offered_pps")
    assert float(own()[0]["value"]) == exact.value


def test_json_has_every_digit() -> None:
    assert documents()[0]["value"] == values(first().judgement)[0].value


def test_json_has_the_values_that_show_has() -> None:
    row, lead = documents()[0], values(first().judgement)[0]
    assert (row["run"], row["virtual"], row["level"]) == ("first", True, lead.level)
    assert row["definition"]["path"] == lead.definition.path


def test_a_row_is_about_its_own_quantity() -> None:
    abouts = {(row["quantity"], row["definition"]["quantity"]) for row in documents()}
    assert {
        ("received_pps", "received rate"),
        ("delay_p50_ns", "median one-way delay"),
        ("cpu_busy", "load of the gateway's busiest CPU, seen from outside"),
    } <= abouts
    assert len(abouts) == len({row["quantity"] for row in documents()})


def test_the_run_leads_each_row() -> None:
    names = [row["run"] for row in table(first(), source(builder.trials()[:CEILINGS], "second"))]
    assert list(dict.fromkeys(names)) == ["first", "second"]
    assert next(iter(own()[0])) == "run"


def test_factors_are_columns_of_their_own() -> None:
    rates = {row["point.rate_pps"] for row in own() if row["plan"] == "quick/sweep"}
    assert rates == {"", *map(str, builder.RATES)}  # a knee is of no rate


def test_the_fixed_columns_are_there_whatever_was_measured() -> None:
    heads = [[n for n in table(s)[0] if not n.startswith("point.")] for s in (first(), tcp())]
    assert heads[0] == heads[1]


def test_a_run_without_records_has_a_head() -> None:
    head = form.export("csv", [source([])]).decode()
    assert head.startswith("run,station,virtual,started,plan,")
    assert head.count("\r\n") == 1


def test_lines_end_as_the_rfc_has_it() -> None:
    text = form.export("csv", [first()])
    assert text.count(b"\n") == text.count(b"\r\n") == len(own()) + 1


def test_a_spreadsheet_gets_no_formula() -> None:
    names = ("=1+1", "+1", "-1", "@a", "\t=1")
    record = builder.trials()[0]
    rows = table(source([replace(record, arm=name) for name in names]), raw=True)
    assert [row["arm"] for row in rows] == [f"'{name}" for name in names]
    assert {row["arm"] for row in table(source([replace(record, arm="=1+1")]))} == {"'=1+1"}


def test_a_number_below_zero_is_a_number() -> None:
    record = replace(builder.trials()[0], values={"received_pps": -1.0})
    assert table(source([record]), raw=True)[0]["values.received_pps"] == "-1.0"


def test_a_name_with_commas_and_quotes_comes_back() -> None:
    odd = 'a, "b"\r\nc'
    assert table(source([replace(builder.trials()[0], arm=odd)]), raw=True)[0]["arm"] == odd


def test_raw_has_a_row_for_each_trial() -> None:
    found = own(raw=True)
    assert [row["trial"] for row in found] == [record.trial for record in first().records]
    assert float(found[0]["values.received_pps"]) == first().records[0].values["received_pps"]


def test_raw_json_holds_the_records_themselves() -> None:
    found = document(first(), raw=True)[0]
    assert found.pop("run") == "first"
    assert found["point"] == first().records[0].point


def test_parquet_has_the_columns_of_the_csv(tmp_path: Path) -> None:
    assert parquet(tmp_path / "a.parquet", first()).columns == list(own()[0])


def test_parquet_has_the_values_of_the_json(tmp_path: Path) -> None:
    found = parquet(tmp_path / "a.parquet", first()).project("value, n, at_least").fetchall()
    assert found == [(row["value"], row["n"], row["at_least"]) for row in documents()]


@pytest.mark.parametrize("raw", [False, True])
def test_a_time_is_a_time_in_parquet(raw: bool, tmp_path: Path) -> None:
    made = parquet(tmp_path / "a.parquet", first(), raw=raw)
    started = made.project("started AT TIME ZONE 'UTC' AS utc, typeof(started)")
    told = first().records[0].started if raw else first().run.started
    time = datetime.fromisoformat(told).astimezone(UTC).replace(tzinfo=None)
    assert started.fetchall()[0] == (time, "TIMESTAMP WITH TIME ZONE")


def test_a_time_that_is_none_is_empty(tmp_path: Path) -> None:
    record = replace(builder.trials()[0], started="some day")
    found = parquet(tmp_path / "a.parquet", source([record]), raw=True).project("started")
    assert found.fetchall() == [(None,)]


def counted(count: int) -> Source:
    """A run of one trial that sent so many packets."""
    record = builder.trials()[0]
    return source([replace(record, accounting=builder.accounting(count, 0))])


def test_the_largest_count_of_a_kernel_is_whole_in_parquet(tmp_path: Path) -> None:
    made = parquet(tmp_path / "a.parquet", counted(2**63 - 1), raw=True)
    tried = made.project('"accounting.tried" AS tried, typeof(tried)').fetchall()
    assert tried == [(2**63 - 1, "BIGINT")]


def test_a_number_beyond_parquet_s_is_no_double(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"accounting\.\w+ is 9223372036854775808, .*csv"):
        parquet(tmp_path / "a.parquet", counted(2**63), raw=True)


def test_parquet_names_the_units_of_its_columns(tmp_path: Path) -> None:
    import duckdb

    parquet(tmp_path / "a.parquet", first(), raw=True)
    kept = duckdb.execute("FROM parquet_kv_metadata(?)", [str(tmp_path / "a.parquet")]).fetchall()
    named = json.loads(next(text for _, key, text in kept if key == b"gatemark.units"))
    assert named["values.received_pps"] == named["point.rate_pps"] == "packets/s"
    assert named["values.delay_p50_ns"] == "ns"
    assert "trial" not in named


def test_without_duckdb_parquet_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatemark.tell.export.parquet.find_spec", lambda _: None)
    with pytest.raises(UnavailableError, match=r"^The format parquet needs DuckDB: pip install"):
        form.export("parquet", [first()])


KINDS = {
    "value": "DOUBLE",
    "n": "BIGINT",
    "virtual": "BOOLEAN",
    "limit": "VARCHAR",
    "definition.streams": "BIGINT",
    "definition.congestion": "VARCHAR",
    "definition.loss_criterion": "DOUBLE",
    "point.direction": "VARCHAR",
}


@pytest.mark.parametrize("kind", ["udp", "tcp"])
def test_a_column_has_its_type_though_it_is_empty(kind: str, tmp_path: Path) -> None:
    whole = parquet(tmp_path / "a.parquet", {"udp": first, "tcp": tcp}[kind]())
    types = dict(zip(whole.columns, map(str, whole.types), strict=True))
    assert {column: types[column] for column in KINDS} == KINDS


def test_a_factor_has_the_type_of_its_levels(tmp_path: Path) -> None:
    levels: dict[str, tuple[Factor, Factor]] = {
        "BIGINT": (1, 2),
        "DOUBLE": (1, 2.5),
        "BOOLEAN": (True, False),
        "VARCHAR": (1, "a"),
    }
    records = [
        replace(record, point={kind: pair[at] for kind, pair in levels.items()})
        for at, record in enumerate(builder.trials()[:2])
    ]
    whole = parquet(tmp_path / "a.parquet", source(records), raw=True)
    types = dict(zip(whole.columns, map(str, whole.types), strict=True))
    assert {kind: types[f"point.{kind}"] for kind in levels} == {kind: kind for kind in levels}


def test_parquet_of_nothing_is_a_table(tmp_path: Path) -> None:
    assert parquet(tmp_path / "a.parquet", source([])).fetchall() == []


def test_a_hostile_column_is_a_name(tmp_path: Path) -> None:
    record = replace(builder.trials()[0], point={'a"; DROP TABLE x': 1})
    assert 'point.a"; DROP TABLE x' in parquet(tmp_path / "a", source([record]), raw=True).columns
