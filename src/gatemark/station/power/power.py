# SPDX-License-Identifier: Apache-2.0
"""The `[power]` table of a station file: which meter tells what the gateway draws."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gatemark.error import UsageError
from gatemark.plan.toml import line_of, nearest, refuse_unknown_keys
from gatemark.station.power.log import Typed
from gatemark.station.power.meter import Meter
from gatemark.station.power.plug import KINDS, Plug

CSV = "csv"
KEYS = {CSV: ["kind", "file"]} | {kind: ["kind", "address", "channel"] for kind in KINDS}


def meter(table: Mapping[str, Any], path: Path) -> Meter:
    """The meter that it names; nothing is asked yet. Raises UsageError with file and line."""
    kind = table.get("kind")
    if kind not in KEYS:
        line = line_of(path, "kind", "power", table="power")
        raise UsageError(f"{path}:{line}: [power] kind {kind!r}{nearest(str(kind), list(KEYS))}")
    refuse_unknown_keys(table, KEYS[kind], path, "power")
    if kind == CSV:
        return Typed(path.parent / _text(table, "file", path))
    channel = table.get("channel", 0)
    if not isinstance(channel, int) or channel < 0:
        line = line_of(path, "channel", table="power")
        raise UsageError(f"{path}:{line}: [power] channel: write 0 for the first socket")
    return Plug(kind, _text(table, "address", path), channel)


def _text(table: Mapping[str, Any], key: str, path: Path) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        line = line_of(path, key, "power", table="power")
        raise UsageError(f'{path}:{line}: [power] needs {key} = "..."')
    return value
