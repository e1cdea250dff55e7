# SPDX-License-Identifier: Apache-2.0
"""The keys of `[line]`, and its factors.

A key of `[line]` is of both ways, one of `[line.up]` or `[line.down]` of that way. Factors are
with one pattern of names: `line.rate_bps`, `line.up.buffer_packets`.
"""

from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec

from gatemark.error import UsageError
from gatemark.plan.model import Aqm, Factor, Line, LineWay, Plan

LINE: Final = "line"
WAYS: Final = ("up", "down")
OF_WAY: Final = tuple(LineWay.__struct_fields__)
OF_LINE: Final = tuple(name for name in Line.__struct_fields__ if name not in WAYS)
# A factor, and a key of `--set`: of both ways, of one.
LINE_FACTORS: Final = (
    *(f"{LINE}.{key}" for key in (*OF_LINE, *OF_WAY)),
    *(f"{LINE}.{way}.{key}" for way in WAYS for key in OF_WAY),
)
BUFFERS: Final = frozenset({"buffer_packets", "buffer_bytes"})  # two words for one thing
AQMS: Final = get_args(Aqm)


def keys_of(table: str) -> list[str]:
    """The keys of `line`, `line.up` or `line.down`; none of another table."""
    if table == LINE:
        return [*OF_WAY, *OF_LINE, *WAYS]
    return [*OF_WAY] if table in [f"{LINE}.{way}" for way in WAYS] else []


def ways(table: Any) -> Any:
    """`[line]` as the structure has it: keys of both ways put into each, below its own."""
    if not isinstance(table, dict):
        return table
    both = {key: value for key, value in table.items() if key in OF_WAY}
    own = {key: value for key, value in table.items() if key not in OF_WAY}
    return own | {way: _over(both, own.get(way, {})) for way in WAYS}


def varied(before: Any, keys: Any) -> Any:
    """`[line]` with a variant's keys put over it."""
    made, over = ways(before), ways(keys)
    if not (isinstance(made, dict) and isinstance(over, dict)):
        return over
    return made | over | {way: _over(made[way], over[way]) for way in WAYS}


def _over(base: Any, keys: Any) -> Any:
    """One way with others of its keys; what is no table is left for who reads it."""
    if not (isinstance(base, dict) and isinstance(keys, dict)):
        return keys
    return _apart(base, keys) | keys


def _apart(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The base without its buffer where that is given anew in the other word."""
    taken = BUFFERS if BUFFERS & over.keys() else frozenset[str]()
    return {key: value for key, value in base.items() if key not in taken}


def overlap(factor: str, other: str) -> bool:
    """Return whether two factors set one value: `line.rate_bps`, `line.up.rate_bps`."""
    _, *way, key = factor.split(".")
    _, *others, its = other.split(".")
    return (key == its or {key, its} == BUFFERS) and (not way or not others or way == others)


def line_at(plan: Plan, point: Mapping[str, Factor]) -> Line | None:
    """The plan's line with the factors of one point put in. Raises UsageError."""
    given: dict[str, Any] = {}
    for factor, level in point.items():
        match factor.split("."):
            case [table, key] if table == LINE:
                given[key] = level
            case [table, way, key] if table == LINE:
                given.setdefault(way, {})[key] = level
    if plan.line is None:
        if given:
            raise UsageError(f"`{LINE}.{next(iter(given))}`: this plan has no [line]; write it")
        return None
    table = msgspec.to_builtins(plan.line)
    try:
        return msgspec.convert(varied(table, given), Line)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$.")
        raise UsageError(f"{LINE}.{place.rstrip('`')}: {reason}") from None
