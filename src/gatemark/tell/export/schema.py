# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of what is kept and exported; a field's description is the comment beside it.

Comments, because the structures stay one line a field for who reads the code, and decoding has
nothing to carry. Sphinx reads them so (`#:`), pydantic reads docstrings of attributes so.
"""

import ast
import inspect
import json
import tokenize
from collections.abc import Iterator
from io import StringIO
from typing import Any, Final, get_args

import msgspec

from gatemark.quantity import MEASURED
from gatemark.store.run import Run
from gatemark.tell.export.row import RecordRow, ValueRow

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
KINDS: Final[dict[str, tuple[type[msgspec.Struct], str]]] = {
    "record": (RecordRow, "A trial of Gatemark: a line of trials.jsonl"),
    "run": (Run, "A run of Gatemark: run.json"),
    "value": (ValueRow, "A value that Gatemark judged: a line of gatemark show --json"),
}


def schema(kind: str) -> str:
    """The schema of `record`, `run` or `value` as JSON."""
    shape, title = KINDS[kind]
    made = msgspec.json.schema(shape)
    for struct in set(_structs(shape)):
        _describe(made["$defs"][struct.__name__], struct)
    if kind == "record":
        made["$defs"][shape.__name__]["properties"]["values"]["properties"] = {
            name: {"description": f"{each.words}, in {each.unit}", "type": "number"}
            for name, each in MEASURED.items()
        }
    made = {"$schema": DRAFT, "$id": _name(kind, shape), "title": title, **made}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _name(kind: str, shape: type[msgspec.Struct]) -> str:
    """Its name in other schemas (RFC 8141), with the version that a file of it carries."""
    carried = (each.default for each in msgspec.structs.fields(shape) if each.name == "schema")
    return ":".join(["urn:gatemark", kind, *(text.partition("/")[2] for text in carried)])


def comments(struct: type[msgspec.Struct]) -> dict[str, str]:
    """What stands beside each field of a structure, else in the lines above it."""
    texts: dict[str, str] = {}
    for kind in reversed(struct.__mro__):
        if issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct:
            texts |= _own(inspect.getsource(kind))
    return texts


def _own(source: str) -> dict[str, str]:
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    marks = {t.start[0]: t for t in tokens if t.type == tokenize.COMMENT}
    lines = {number: token.string.lstrip("# ") for number, token in marks.items()}
    alone = {number for number, token in marks.items() if not token.line[: token.start[1]].strip()}
    body = next(node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    texts = {}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            beside = lines.get(node.end_lineno or node.lineno)
            texts[node.target.id] = beside or _above(node.lineno, lines, alone)
    return texts


def _above(number: int, lines: dict[int, str], alone: set[int]) -> str:
    first = number
    while first - 1 in alone:
        first -= 1
    return " ".join(lines[at] for at in range(first, number))


def _describe(made: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    texts = comments(struct)
    for place, field in enumerate(msgspec.structs.fields(struct)):
        # One that is kept as a list has its fields by place.
        kept, key = (
            (made["properties"], field.encode_name)
            if "properties" in made
            else (made["prefixItems"], place)
        )
        kept[key] = {"description": texts[field.name], **kept[key]}


def _structs(part: Any) -> Iterator[type[msgspec.Struct]]:
    """All structures that one is made of, itself among them."""
    if isinstance(part, type) and issubclass(part, msgspec.Struct):
        yield part
        for field in msgspec.structs.fields(part):
            yield from _structs(field.type)
    for inner in get_args(part):
        yield from _structs(inner)
