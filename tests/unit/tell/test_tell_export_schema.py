# SPDX-License-Identifier: Apache-2.0
"""The schemas: valid, every field described, and what we write is valid against them."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import builder
import msgspec
import pytest
import studies

from gatemark.judge.judgement import Value, Warning_
from gatemark.judge.math.interval import Interval
from gatemark.judge.values import values
from gatemark.tell.export import form
from gatemark.tell.export.schema import KINDS, comments, schema
from gatemark.tell.group.source import Source

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

Part = TypeVar("Part")


def udp() -> Source:
    return builder.source(label="first")


def tcp() -> Source:
    return Source(
        run=studies.run(), records=studies.trials(), judgement=studies.judgement(), label="second"
    )


def unlike(parts: Iterable[Part]) -> list[tuple[Part, Any]]:
    """The first of those that have the same fields with the same types; each with its JSON."""
    kept: dict[str, tuple[Part, Any]] = {}
    for part in parts:
        document = json.loads(msgspec.json.encode(part))
        kept.setdefault(shape(document), (part, document))
    return list(kept.values())


def shape(part: Any) -> str:
    """Names and types of what is in a document."""
    if isinstance(part, dict):
        return str([(name, shape(each)) for name, each in part.items()])
    return str([*map(shape, part)]) if isinstance(part, list) else type(part).__name__


@cache
def validator(kind: str) -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

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
    from jsonschema import Draft202012Validator

    made = json.loads(schema(kind))
    Draft202012Validator.check_schema(made)
    assert made["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert made["title"]
    assert made["$id"].startswith(f"urn:gatemark:{kind}")
    assert [name for name, told in fields(made) if not told.get("description")] == []


@pytest.mark.parametrize("struct", [Interval, Warning_, Value], ids=lambda kind: kind.__name__)
def test_every_field_that_values_are_made_of_is_described(struct: type[msgspec.Struct]) -> None:
    told = comments(struct)
    assert [name for name in struct.__struct_fields__ if not told.get(name)] == []


def invalid(kind: str, parts: Iterable[object]) -> list[str]:
    """Why those are not valid, of which there is one of each shape."""
    documents = [document for _, document in unlike(parts)]
    assert documents
    return [error for document in documents for error in wrong(kind, document)]


def test_what_we_write_is_valid() -> None:
    for source in (udp(), tcp()):
        specs = unlike(source.run.trials)
        run = msgspec.structs.replace(source.run, trials=tuple(spec for spec, _ in specs))
        assert invalid("run", [run]) == []
        assert invalid("record", source.records) == []
        assert invalid("value", values(source.judgement)) == []


@pytest.mark.parametrize(("kind", "raw"), [("value", False), ("record", True)])
def test_every_row_of_an_export_is_valid(kind: str, raw: bool) -> None:
    rows = json.loads(form.export("json", [udp(), tcp()], "records" if raw else "values"))
    assert invalid(kind, rows) == []


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
