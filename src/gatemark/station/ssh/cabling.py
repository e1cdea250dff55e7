# SPDX-License-Identifier: Apache-2.0
"""The NICs and cables of a bench in a station file: stated by a person, never measured.

It is kept in the inventory, so that runs on other cables differ from those on the same.
"""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, Final

from gatemark.error import UsageError
from gatemark.plan.toml import line_of, nearest, refuse_unknown_keys

Table = Mapping[str, Any]

TABLES: Final = ("nic", "cable")
NIC_KEYS: Final = ("at", "model", "speed_mbit")
CABLE_KEYS: Final = ("from", "to", "type", "length_m", "speed_mbit")
# A cable may end elsewhere, too: at a switch.
ENDS: Final = ("lan", "gateway lan", "gateway wan", "wan")


def cabling(data: Table, path: Path) -> dict[str, str]:
    """`[[nic]]` and `[[cable]]` of a station file, a text for each by what it is.

    Raises UsageError with file, line and the fix.
    """
    stated: dict[str, str] = {}
    for kind, read in (("nic", _nic), ("cable", _cable)):
        for place, table in enumerate(_tables(data, kind, path)):
            item = _Item(path, f"{kind}[{place}]", table)
            name, text = read(item)
            if name in stated:
                raise item.fault(kind, f"{name} is described twice: keep one of the two")
            stated[name] = text
    return stated


class _Item:
    """One table of the file, and its faults with their lines."""

    def __init__(self, path: Path, place: str, table: Table) -> None:
        self.path = path
        self.place = place
        self.table = table

    def fault(self, key: str, text: str) -> UsageError:
        line = line_of(self.path, key, self.place.partition("[")[0], table=self.place)
        return UsageError(f"{self.path}:{line}: {key}: {text}")

    def text(self, key: str, example: str = "") -> str:
        """A text of one line; it must be there if an example is given."""
        value = self.table.get(key, "")
        if not isinstance(value, str) or not value.isprintable():
            raise self.fault(key, "a text of one line in quotes")
        if example and not value.strip():
            kind = self.place.partition("[")[0]
            raise self.fault(kind, f'give its `{key}`: {key} = "{example}"')
        return value.strip()

    def number(self, key: str, unit: str) -> str:
        """A positive number with its unit; nothing where it is not given."""
        if key not in self.table:
            return ""
        value = self.table[key]
        if type(value) not in (int, float) or not (isfinite(value) and value > 0):
            raise self.fault(key, f"a number of {unit} above 0")
        return f"{value:g} {unit}" if isinstance(value, float) else f"{value} {unit}"


def _tables(data: Table, kind: str, path: Path) -> list[Table]:
    tables = data.get(kind, [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise UsageError(f"{path}:{line_of(path, kind, table=kind)}: {kind}: write [[{kind}]]")
    return tables


def _nic(item: _Item) -> tuple[str, str]:
    refuse_unknown_keys(item.table, list(NIC_KEYS), item.path, "nic", item.place)
    at = item.text("at", ENDS[0])
    if at not in ENDS:
        raise item.fault("at", f"no '{at}'{nearest(at, list(ENDS))}")
    facts = item.text("model"), item.number("speed_mbit", "Mbit/s")
    return f"NIC of {at}", _joined(item, "nic", "model", facts)


def _cable(item: _Item) -> tuple[str, str]:
    refuse_unknown_keys(item.table, list(CABLE_KEYS), item.path, "cable", item.place)
    ends = item.text("from", ENDS[0]), item.text("to", ENDS[1])
    if ends[0] == ends[1]:
        raise item.fault("to", f"'{ends[1]}' is where it comes from: name its other end")
    facts = (
        item.text("type"),
        item.number("length_m", "m"),
        item.number("speed_mbit", "Mbit/s"),
    )
    return f"cable {ends[0]} to {ends[1]}", _joined(item, "cable", "type", facts)


def _joined(item: _Item, kind: str, key: str, facts: tuple[str, ...]) -> str:
    if text := ", ".join(filter(None, facts)):
        return text
    raise item.fault(kind, f"nothing is said of it: give its `{key}`, or leave it out")
