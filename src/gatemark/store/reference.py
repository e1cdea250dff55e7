# SPDX-License-Identifier: Apache-2.0
"""The published values that are shipped: `reference/published.csv`, read by `reference/map.toml`.

Every row of the CSV is either a measurement with a definition or named with the reason why it
stands beside nothing of ours; a row that is neither is an error, so nothing drops out silently.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from gatemark.error import GatemarkError
from gatemark.store.mapping import MAP, Counted, Key, Mapping, Measured, Ratio, read_map
from gatemark.store.published import REFERENCE_UNITS, Published
from gatemark.store.study import device

__all__ = ["Published", "published", "read"]

VALUES: Final = "published.csv"
COLUMNS: Final = ["seed", "device", "experiment", "parameter", "value", "unit", "note"]

# A unit of the CSV: the same in a record's units, and by how much its numbers are multiplied.
SCALE: Final[dict[str, tuple[str, float]]] = {
    "Mbit/s": ("bit/s", 1e6),
    "kbit/s": ("bit/s", 1e3),
    "pps": ("packets/s", 1.0),
    "%": ("ratio", 0.01),
    "fraction": ("ratio", 1.0),
    "ms": ("ns", 1e6),
    "s": ("ns", 1e9),
    "MB": ("bytes", 1e6),
    "kB": ("bytes", 1e3),
    "B/flow": ("bytes", 1.0),
    "calls": ("calls", 1.0),
    "iterations/s": ("operations/s", 1.0),
    "MHz": ("Hz", 1e6),
    "MB/s": ("bytes/s", 1e6),
    "CoreMark/MHz": ("CoreMark/MHz", 1.0),
    "x": ("times", 1.0),
    "B": ("bytes", 1.0),
    "KiB": ("bytes", 1024.0),
    "bit": ("bytes", 0.125),
    "count": ("states", 1.0),
    "flows": ("connections", 1.0),
}
NUMBER: Final = re.compile(r"(?:[<>]=?)?(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?(K?)")
KIBI: Final = 1024.0  # what the letter K in a number means
OF_ENTRY: Final = (
    *("quantity", "stated", "implied", "unstated", "assumed", "remark"),
    "at_pps",
)
OF_ROW: Final = ("device", "experiment", "parameter", "note")

Row = dict[str, str]
SEVERAL: Final = "several studies"  # the name of what a seed such as K+R is of


class Tally(NamedTuple):
    """The number of published values."""

    rows: int  # all of them
    mapped: int  # with a definition, a claim that is tested, or a ratio: can stand beside ours
    describing: int  # of a device, a method or a tester: nothing that a run could yield


@cache
def published() -> tuple[Published, ...]:
    """Every shipped value that has a definition, in the order of the CSV; then those of devices."""
    devices = (value for kept in device.shipped() for value in device.published(kept))
    return (*read(files("gatemark") / "reference"), *devices)


def read(folder: Traversable) -> tuple[Published, ...]:
    """The values in a folder's two files. Raises GatemarkError with file and entry."""
    mapping = read_map(_text(folder, MAP))
    values, seen = list[Published](), set[Key]()
    rows = list(_rows(_text(folder, VALUES)))
    for place, row in rows:
        key = _key(row)
        seen |= {key, key.whole}
        if entry := mapping.measured.get(key):
            if row["device"] not in entry.worded:
                value = _value(row, entry, mapping.studies[entry.study].name, place)
                values.append(replace(value, at_bps=_at(row, entry, rows)))
        elif not mapping.reason(key) and not mapping.is_shown(key):
            raise GatemarkError(f"{place}: add [[measured]] or [[unmapped]] for {key} to {MAP}")
    _refuse_idle(mapping, seen)
    return tuple(values)


class Entry(NamedTuple):
    """A published value as printed, whether or not it can stand beside ours."""

    device: str
    experiment: str
    parameter: str
    value: str
    unit: str
    kind: str  # printed, approx, derived, qual, bound
    why: str  # it stands beside nothing of ours; "": it has a definition, or is a claim
    claim: str = ""  # that is tested, by its name
    ratio: Ratio | None = None  # of two devices
    counted: Counted | None = None  # the size of a workload, which a kernel's report has


def entries(seed: str) -> list[Entry]:
    """Every value of a study, in the order of the CSV."""
    folder = files("gatemark") / "reference"
    mapping = read_map(_text(folder, MAP))
    return [
        Entry(
            row["device"],
            row["experiment"],
            row["parameter"],
            row["value"],
            row["unit"],
            row["note"].split(";")[0],
            mapping.reason(_key(row)) or "",
            mapping.claims.get(_key(row), ""),
            mapping.ratios.get(_key(row)),
            mapping.counted.get(_key(row)),
        )
        for _, row in _rows(_text(folder, VALUES))
        if row["seed"] == seed
    ]


def tallies(folder: Traversable | None = None) -> dict[str, Tally]:
    """Study -> how many values it published, in the order of the CSV."""
    folder = folder or files("gatemark") / "reference"
    mapping = read_map(_text(folder, MAP))
    made: dict[str, Tally] = {}
    for _, row in _rows(_text(folder, VALUES)):
        key = _key(row)
        study = mapping.studies.get(key.study)
        name = study.name if study else SEVERAL
        before, entry = made.get(name, Tally(0, 0, 0)), mapping.measured.get(key)
        made[name] = Tally(
            before.rows + 1,
            before.mapped + (mapping.is_shown(key) or _numbered(row, entry)),
            before.describing + bool({key, key.whole} & mapping.describing),
        )
    return made


def _numbered(row: Row, entry: Measured | None) -> bool:
    """Return whether a row has a definition, and a number."""
    return entry is not None and row["device"] not in entry.worded


def printed(seed: str, experiment: str) -> list[Row]:
    """The rows of a study whose experiment begins so, as they were printed."""
    text = _text(files("gatemark") / "reference", VALUES)
    rows = (row for _, row in _rows(text))
    return [row for row in rows if row["seed"] == seed and row["experiment"].startswith(experiment)]


def _text(folder: Traversable, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise GatemarkError(f"{name}: cannot be read ({error}): install gatemark again") from None


def _rows(text: str) -> Iterator[tuple[str, Row]]:
    """Every row with its place, `published.csv:7`."""
    reader = csv.DictReader(text.splitlines())
    if reader.fieldnames != COLUMNS:
        raise GatemarkError(f"{VALUES}:1: the columns are {','.join(COLUMNS)}")
    for row in reader:
        place = f"{VALUES}:{reader.line_num}"
        if None in row or None in row.values():
            raise GatemarkError(f"{place}: not {len(COLUMNS)} columns; quote what has a comma")
        yield place, row


def _key(row: Row) -> Key:
    return Key(row["seed"], row["experiment"], row["parameter"])


def _refuse_idle(mapping: Mapping, seen: set[Key]) -> None:
    """An entry for rows that are not there is a slip of the pen."""
    for key in (
        *mapping.measured,
        *mapping.claims,
        *mapping.ratios,
        *mapping.reasons,
        *mapping.counted,
    ):
        if key not in seen:
            raise GatemarkError(f"{MAP}: {key}: no such row in {VALUES}")


def _at(row: Row, entry: Measured, rows: Sequence[tuple[str, Row]]) -> float:
    """The rate at which a value holds, in bit/s: stated, or another value of the same device."""
    if not isinstance(entry.at, str):
        return entry.at
    for place, other in rows:
        key = f"{other['experiment']} {other['parameter']}"
        if (other["seed"], other["device"], key) == (row["seed"], row["device"], entry.at):
            unit, factor = SCALE.get(other["unit"], ("", 0.0))
            if unit == "bit/s":
                return float(other["value"]) * factor
            raise GatemarkError(f"{place}: `at` of {MAP} wants a rate here")
    raise GatemarkError(f"{MAP}: at = {entry.at!r}: {row['device']} has no such value in {VALUES}")


def _value(row: Row, entry: Measured, study: str, place: str) -> Published:
    number = NUMBER.fullmatch(row["value"])
    unit, factor = SCALE.get(row["unit"], ("", 0.0))
    printed = f"{row['value']} {row['unit']}"
    wanted = REFERENCE_UNITS[entry.quantity]
    if number is None or wanted not in (unit, row["unit"]):
        raise GatemarkError(f"{place}: {printed} is no {entry.quantity}: fix it, or {MAP}")
    fields = {name: getattr(entry, name) for name in OF_ENTRY} | {
        name: row[name] for name in OF_ROW
    }
    low, high = float(number[1]), float(number[2] or number[1])
    size = (low + high) / 2 * (KIBI if number[3] else 1.0)  # of a range its middle
    made = {"study": study, "value": size * factor, "printed": printed}
    try:
        return msgspec.convert({**fields, **made, "kind": row["note"].split(";")[0]}, Published)
    except msgspec.ValidationError as error:
        raise GatemarkError(f"{place}: the note begins with how it is known: {error}") from None
