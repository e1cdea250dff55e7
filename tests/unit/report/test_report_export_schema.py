# SPDX-License-Identifier: Apache-2.0
"""The schemas: valid, every field described, and what we write is valid against them."""

import functools
import json
from collections.abc import Iterator
from typing import Any

import builder
import msgspec
import pytest
import studies
from jsonschema import Draft202012Validator

from gatemark.report.export import form
from gatemark.report.export.schema import KINDS, comments, schema
from gatemark.report.group.source import Source
from gatemark.stats.judgement import Value, Warning_
from gatemark.stats.math.interval import Interval
from gatemark.stats.values import values

UDP = Source(
    run=builder.run(), records=builder.trials(), judgement=builder.judgement(), label="first"
)
TCP = Source(
    run=studies.run(), records=studies.trials(), judgement=studies.judgement(), label="second"
)


@functools.cache
def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema(kind)))


def wrong(kind: str, document: object) -> list[str]:
    return [error.message for error in validator(kind).iter_errors(document)]


def fields(made: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, struct in made["$defs"].items():
        listed = struct.get("prefixItems", ())  # one that is kept as a list
        kept = struct.get("properties") or {str(at): told for at, told in enumerate(listed)}
        for field, told in kept.items():
            yield f"{name}.{field}", told


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_schema(kind: str) -> None:
    made = json.loads(schema(kind))
    Draft202012Validator.check_schema(made)
    assert made["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert made["title"]
    assert "$id" not in schema(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: str) -> None:
    made = json.loads(schema(kind))
    assert [name for name, told in fields(made) if not told.get("description")] == []


@pytest.mark.parametrize("struct", [Interval, Warning_, Value], ids=lambda kind: kind.__name__)
def test_every_field_that_values_are_made_of_is_described(struct: type[msgspec.Struct]) -> None:
    told = comments(struct)
    assert [name for name in struct.__struct_fields__ if not told.get(name)] == []


@pytest.mark.parametrize("source", [UDP, TCP], ids=["udp", "tcp"])
def test_records_are_valid(source: Source) -> None:
    for record in source.records:
        assert wrong("record", json.loads(msgspec.json.encode(record))) == []


@pytest.mark.parametrize("source", [UDP, TCP], ids=["udp", "tcp"])
def test_a_run_is_valid(source: Source) -> None:
    assert wrong("run", json.loads(msgspec.json.encode(source.run))) == []


@pytest.mark.parametrize("source", [UDP, TCP], ids=["udp", "tcp"])
def test_the_lines_of_show_are_valid(source: Source) -> None:
    for value in values(source.judgement):
        assert wrong("value", json.loads(msgspec.json.encode(value))) == []


@pytest.mark.parametrize(("kind", "raw"), [("value", False), ("record", True)])
def test_every_row_of_an_export_is_valid(kind: str, raw: bool) -> None:
    rows = json.loads(form.export("json", [UDP, TCP], "records" if raw else "values"))
    assert rows
    assert [error for row in rows for error in wrong(kind, row)] == []


def test_what_is_no_record_is_seen() -> None:
    record = json.loads(msgspec.json.encode(builder.trials()[0]))
    assert wrong("record", record | {"status": "fine"})
    assert wrong("record", {name: record[name] for name in record if name != "trial"})


class Odd(msgspec.Struct):
    """Fields in the ways that a comment can stand."""

    beside: int  # it is beside
    # it is above,
    # on two lines
    above: int
    text: str = "# none of it"  # after all
    silent: int = 0


def test_a_comment_is_read_beside_its_field_or_above() -> None:
    assert comments(Odd) == {
        "beside": "it is beside",
        "above": "it is above, on two lines",
        "text": "after all",
        "silent": "",
    }
