# SPDX-License-Identifier: Apache-2.0
"""Rows as typed columns: `definition.frame_bytes`, `point.rate_pps`. What CSV and Parquet share."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args, get_origin

import msgspec

from gatemark.tell.export.row import Row

Cell = str | int | float | bool | datetime | None
FIRST = (
    *("run", "station", "virtual", "started", "plan", "arm", "setup"),
    *("direction", "frame_bytes", "payload_bytes", "mix", "write_bytes", "rate_pps"),
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `kind` is bool, int, float or str, or datetime (export/moment.py)."""

    name: str
    kind: type
    cells: list[Cell]


def columns(rows: Sequence[Row], shape: type[msgspec.Struct]) -> list[Column]:
    """The fields of `shape`, the same in all exports, then those that these rows have besides."""
    flat = [dict(_flat(row)) for row in rows]
    typed = kinds(shape)
    fromkeys = dict.fromkeys((*typed, *(name for cells in flat for name in cells)))
    # What is a table in one row and nothing in another has columns below its name.
    names = [
        name for name in fromkeys if not any(other.startswith(f"{name}.") for other in fromkeys)
    ]
    names.sort(key=_place)
    return [column(name, [cells.get(name) for cells in flat], typed.get(name)) for name in names]


def _place(name: str) -> tuple[int, bool, bool]:
    """The run first; how it was measured last, its factors at the very end."""
    first = FIRST.index(name) if name in FIRST else len(FIRST)
    return first, name.startswith("definition."), name.startswith("point.")


def column(name: str, values: Iterable[object], kind: type | None = None) -> Column:
    """One column of values; without a kind it has the narrowest that holds them all."""
    cells = [value if isinstance(value, Cell) else _text(value) for value in values]
    kind = kind or _common({type(cell) for cell in cells if cell is not None})
    if kind is str:
        cells = [cell if cell is None else _text(cell) for cell in cells]
    return Column(name, kind, cells)


def _common(kinds: set[type]) -> type:
    for kind in (bool, int, float):
        if kinds and kinds <= ({int, float} if kind is float else {kind}):
            return kind
    return str


def _flat(row: Mapping[str, object], before: str = "") -> Iterable[tuple[str, Cell]]:
    for name, value in row.items():
        match value:
            case Mapping():
                yield from _flat(value, f"{before}{name}.")
            case None | str() | int() | float():
                yield f"{before}{name}", value
            case _:
                yield f"{before}{name}", _text(value)


def _text(value: object) -> str:
    """A list of words as words; anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def kinds(shape: type[msgspec.Struct], before: str = "") -> dict[str, type]:
    """The columns that a structure has whatever it holds."""
    types: dict[str, type] = {}
    for field in msgspec.structs.fields(shape):
        name, parts = f"{before}{field.encode_name}", get_args(field.type) or (field.type,)
        inner = next((part for part in parts if _is_struct(part)), None)
        if get_origin(field.type) is dict:
            continue
        if get_origin(field.type) is tuple:  # a list is one cell of text
            types[name] = str
        elif inner:
            types |= kinds(inner, f"{name}.")
        else:
            types[name] = next((kind for kind in (bool, int, float) if kind in parts), str)
    return types


def _is_struct(part: object) -> bool:
    return isinstance(part, type) and issubclass(part, msgspec.Struct)
