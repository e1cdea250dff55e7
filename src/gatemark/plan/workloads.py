# SPDX-License-Identifier: Apache-2.0
"""Several workloads in one trial: `[beside.NAME]` tables, their factors, and what stands alone.

A factor of another workload has its name before a dot: `uploads.streams`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from gatemark.plan.kind import RULES
from gatemark.plan.model import Among, Factor, Plan, TrialSpec, Workload
from gatemark.plan.words import WORDS

MAIN: Final = ""  # the plan's own workload among those of a trial
NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,15}")
# A value with one of these before its dot is of a direction, or of the line.
TAKEN: Final = frozenset({"up", "down", "both", "send", "receive", "line", "case", WORDS})
MOST: Final = 15  # beside the first; each has ports and addresses of its own
MOST_FLOWS: Final = 2500  # of each: so many ports of the LAN host are its own
DOT: Final = "."
LINE, WAYS = "line", ("up", "down")  # `line.rate_bps` is a factor of the line, `line.up.rate_bps`


def split(factor: str) -> tuple[str, str]:
    """The part that a factor is of, and the key: `uploads.streams` is ("uploads", "streams")."""
    name, _, key = factor.rpartition(DOT)
    return name, key


def own(point: Mapping[str, Factor], name: str) -> dict[str, Factor]:
    """The levels of one workload's factors, by key."""
    return {split(factor)[1]: point[factor] for factor in point if split(factor)[0] == name}


def by_name(spec: TrialSpec) -> dict[str, Workload]:
    """All of a trial by name, the plan's own first."""
    return {MAIN: spec.workload, **spec.beside}


def parts(spec: TrialSpec) -> dict[str, TrialSpec]:
    """The trial as each workload sees it: that is its only one, with its place among all."""
    loads = by_name(spec)
    return {
        name: replace(spec, workload=load, beside={}, among=Among(at=at, of=len(loads)))
        for at, (name, load) in enumerate(loads.items())
    }


def in_words(load: Workload) -> str:
    """Return the keys other than the kind's defaults: `tcp streams=8 congestion=reno`."""
    preset = msgspec.structs.asdict(Workload(kind=load.kind))
    given = msgspec.structs.asdict(load)
    keys = (f"{key}={value}" for key, value in given.items() if value != preset[key])
    return " ".join((load.kind, *keys))


def name_fault(name: str) -> str:
    """Why a workload may not be called so; nothing if it may."""
    if name in TAKEN:
        return f"[beside.{name}]: that word has a meaning of its own; choose another name"
    if not NAME.fullmatch(name):
        return f"[beside.{name}]: a name is of small letters, digits and dashes, 16 at most"
    return ""


def faults(plan: Plan, loads: Mapping[str, Workload]) -> Iterator[str]:
    """Why these workloads of a point cannot be sent in one trial; nothing if they can."""
    if len(loads) < 2:
        return
    if len(loads) > MOST + 1:
        yield f"[beside] has {len(loads) - 1} workloads; {MOST} at most go into a trial"
    if plan.repeat.turn_ms:
        yield "`turn_ms` of [repeat]: arms that take turns send one workload each; leave it out"
    for name, load in loads.items():
        yield from _alone(load, f" of [beside.{name}]" if name else "")


def _alone(load: Workload, where: str) -> Iterator[str]:
    """Why a workload is the only one of its trials."""
    if why := RULES[load.kind].alone:
        yield f"`kind` = {load.kind}{where}: {why}"
    if load.kind == "udp" and load.flows > MOST_FLOWS:
        yield f"`flows` = {load.flows}{where}: beside others {MOST_FLOWS} at most"
    if load.restart_s:
        yield f"`restart_s`{where}: what else is sent would be cut off; leave it out"
    if load.offload:
        yield f"`offload`{where}: it is of whole ports, and others send there; leave it out"


def over(before: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """The workloads of `[beside]` with a variant's keys put over them, by name."""
    return {name: before.get(name, {}) | load for name, load in keys.items()}


def flat(data: dict[str, Any]) -> dict[str, Any]:
    """A plan file's data with the factors of other workloads, and the line's, by their whole name.

    TOML reads a dotted key, `uploads.streams`, as a table in a table.
    """
    names = set(data["beside"]) if isinstance(data.get("beside"), dict) else set()
    names |= {LINE, WORDS, *(f"{LINE}{DOT}{way}" for way in WAYS)}

    def swept(tables: Any) -> Any:
        if not isinstance(tables, dict) or "sweep" not in tables:
            return tables
        return tables | {"sweep": _flat(tables["sweep"], names)}

    data = swept(data)
    if isinstance(variants := data.get("variant"), dict):
        data = data | {"variant": {name: swept(tables) for name, tables in variants.items()}}
    return data


def _flat(factors: Any, names: Collection[str]) -> Any:
    if not isinstance(factors, dict):
        return factors
    made: dict[str, Any] = {}
    for name, value in factors.items():
        if name in names and isinstance(value, dict):
            made |= _flat({f"{name}{DOT}{key}": levels for key, levels in value.items()}, names)
        elif name == "case" and isinstance(value, list):
            made[name] = [_flat(case, names) for case in value]
        else:
            made[name] = value
    return made
