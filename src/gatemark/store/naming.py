# SPDX-License-Identifier: Apache-2.0
"""`subsystems.toml`: the shipped one (counter/subsystems.toml), or a file of the user's."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec

from gatemark.error import UsageError
from gatemark.plan.toml import line_of, read_toml, refuse_unknown_keys
from gatemark.store.subsystem import SUBSYSTEMS_SCHEMA, File, Subsystem

# Below the package; in a repository whose plugin was not built yet, where it comes from.
SHIPPED: Final = ("counters/subsystems.toml", "../../counter/subsystems.toml")
TABLE: Final = "subsystem"


@cache
def shipped() -> tuple[Subsystem, ...]:
    """The one that is installed, or the repository's. Raises UsageError."""
    paths = (Path(str(files("gatemark"))) / name for name in SHIPPED)
    return next((read(path) for path in paths if path.exists()), ())


def read(path: Path) -> tuple[Subsystem, ...]:
    """The subsystems of a file, in order. Raises UsageError with file, line and fix."""
    data = read_toml(path)
    refuse_unknown_keys(data, list(File.__struct_fields__), path, "", "")
    if data.get("schema") != SUBSYSTEMS_SCHEMA:
        line = line_of(path, "schema", table="")
        raise UsageError(f'{path}:{line}: write schema = "{SUBSYSTEMS_SCHEMA}"')
    tables = data.get(TABLE)
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{path}:{line_of(path, TABLE)}: write each subsystem as a [[{TABLE}]]")
    for place, table in enumerate(tables):
        refuse_unknown_keys(
            table, list(Subsystem.__struct_fields__), path, TABLE, f"{TABLE}[{place}]"
        )
        for key, fault in _faults(table, tables[:place]):
            line = line_of(path, key, "name", TABLE, table=f"{TABLE}[{place}]")
            raise UsageError(f"{path}:{line}: {fault}")
    return msgspec.convert(data, File).subsystem


def _faults(table: dict[str, Any], above: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the faults of one, by key."""
    for key in ("name", "patterns"):
        if key not in table:
            yield key, f"a [[{TABLE}]] needs a `{key}`"
            return
    try:
        made = msgspec.convert(table, Subsystem)
    except msgspec.ValidationError as error:
        match = re.search(r"at `\$\.(\w+)", str(error))
        key = match[1] if match else "name"
        yield key, f"`{key}`: {str(error).partition(' - ')[0]}"
        return
    if not made.name:
        yield "name", "`name` is empty"
    if any(made.name == other["name"] for other in above):
        yield "name", f"two subsystems are named '{made.name}'; put their patterns together"
    if not made.patterns or not all(made.patterns):
        yield "patterns", "`patterns` is empty, or one of them is"
