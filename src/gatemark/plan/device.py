# SPDX-License-Identifier: Apache-2.0
"""Devices whose time is estimated: described by a shipped file, by its name, or by the user's.

`devices` of a plan's [gateway] names them; in the plan that is run they stand whole, so that a run
tells what it assumed.
"""

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec

from gatemark.error import UsageError
from gatemark.plan.model import DEVICE_SCHEMA, Cache, Device, Plan, Reference
from gatemark.plan.toml import line_of, nearest, read_toml, refuse_unknown_keys

KEY: Final = "devices"
FIGURE: Final = "estimate"
MOST_PAIRS: Final = 4  # of caches at once (MOST_PAIRS of counter/table.h)
MOST_WAYS: Final = 16  # counter/cache.h
LEAST_LINE_BYTES: Final = 4  # an instruction
MOST_MHZ: Final = 10_000.0
MOST_MBPS: Final = 1e6
MOST_CYCLES: Final = 10_000.0
OWN: Final = [key for key in Device.__struct_fields__ if key != "name"]
TABLES: Final = {"instruction_cache": Cache, "data_cache": Cache, "reference": Reference}


def folder() -> Path:
    """The folder of the shipped ones."""
    return Path(str(resources.files("gatemark") / "devices"))


def shipped() -> list[str]:
    """Their names."""
    return sorted(path.stem for path in folder().glob("*.toml"))


def described(devices: object, home: Path) -> object:
    """Devices as a plan in `home` names them, each whole. Raises UsageError."""
    if not isinstance(devices, list):
        return devices  # what is no list is refused as any other key of the plan
    return [
        msgspec.to_builtins(read(_file(device, home))) if isinstance(device, str) else device
        for device in devices
    ]


def _file(name: str, home: Path) -> Path:
    if name.endswith(".toml"):
        return home / Path(name).expanduser()
    if name not in shipped():
        fix = nearest(name, shipped())
        raise UsageError(f"`{KEY}`: no device '{name}'{fix}; or write the path of a TOML file")
    return folder() / f"{name}.toml"


def read(path: Path) -> Device:
    """A device from its file. Raises UsageError with file and line."""
    data = read_toml(path)
    refuse_unknown_keys(data, OWN, path, "")
    for table, struct in TABLES.items():
        if isinstance(row := data.get(table), dict):
            refuse_unknown_keys(row, list(struct.__struct_fields__), path, table)
    if data.get("schema") != DEVICE_SCHEMA:
        line = line_of(path, "schema", table="")
        was = data.get("schema", "none")
        raise UsageError(f'{path}:{line}: schema is {was!r}; write "{DEVICE_SCHEMA}"')
    try:
        device = msgspec.convert(data | {"name": path.stem}, Device)
    except msgspec.ValidationError as error:
        message, key = str(error).partition(" - at `$.")[::2]
        raise _fault(path, re.findall(r"\w+", key), f"{key.rstrip('`')}: {message}") from None
    for keys, why in _faults(device):
        raise _fault(path, keys, why)
    return device


def _fault(path: Path, keys: list[str], why: str) -> UsageError:
    return UsageError(f"{path}:{line_of(path, *keys[::-1])}: {why.removeprefix(': ')}")


def _faults(device: Device) -> Iterator[tuple[list[str], str]]:
    """The keys that cannot be, and why."""
    if not 0 < device.clock_mhz <= MOST_MHZ:
        yield ["clock_mhz"], f"`clock_mhz` = {device.clock_mhz:g}: above 0, to {MOST_MHZ:g}"
    for name in ("instruction_cache", "data_cache"):
        if why := _no_cache(getattr(device, name)):
            yield [name], f"`{name}`: {why}"
    if not 0 <= device.stream_copy_mbps <= MOST_MBPS:
        yield (
            ["stream_copy_mbps"],
            f"`stream_copy_mbps` = {device.stream_copy_mbps:g}: above 0, to {MOST_MBPS:g}",
        )
    if bool(device.stream_copy_mbps) == (device.line_cycles is not None):
        why = "what a line costs is told by `stream_copy_mbps` or by `line_cycles`; write one"
        yield ["stream_copy_mbps", "line_cycles"], why
    for name in ("line_cycles", "load_cycles", "branch_cycles", "multiply_cycles", "divide_cycles"):
        cycles = getattr(device, name)
        if cycles and not 0 <= cycles[0] <= cycles[1] <= cycles[2] <= MOST_CYCLES:
            why = "[the least, the likely, the most], each from the one before"
            yield [name], f"`{name}` = {list(cycles)}: {why}, 0 to {MOST_CYCLES:g}"


def _no_cache(cache: Cache) -> str:
    if not 1 <= cache.ways <= MOST_WAYS:
        return f"ways = {cache.ways}: 1 to {MOST_WAYS}"
    if not _is_power(cache.line_bytes) or cache.line_bytes < LEAST_LINE_BYTES:
        return f"line_bytes = {cache.line_bytes}: a power of two, {LEAST_LINE_BYTES} or more"
    sets, rest = divmod(cache.bytes, cache.ways * cache.line_bytes)
    if rest or not _is_power(sets):
        return f"bytes = {cache.bytes}: lines in {cache.ways} ways, their sets a power of two"
    return ""


def _is_power(number: int) -> bool:
    return number > 0 and not number & (number - 1)


def pairs(plans: Iterable[Plan]) -> list[str]:
    """The pairs of caches that plans ask for, each once, as the plugin takes them."""
    return list(dict.fromkeys(device.caches for plan in plans for device in plan.gateway.devices))


def misfits(plan: Plan) -> Iterator[str]:
    """Why a plan cannot be estimated; nothing if it can, or does not ask."""
    devices = plan.gateway.devices
    if bool(devices) != (plan.figure == FIGURE):
        yield f'`{KEY}` of [gateway] and figure = "{FIGURE}" go together: write both, or neither'
        return
    names = [device.name for device in devices]
    if len(set(names)) < len(names):
        yield f"`{KEY}`: two are named '{max(names, key=names.count)}'; leave one out"
    if len(pairs([plan])) > MOST_PAIRS:
        yield f"`{KEY}`: {len(pairs([plan]))} pairs of caches; {MOST_PAIRS} go at once"
    if devices and plan.search:
        yield f"`{KEY}` and [search] exclude each other: an estimate is of packets at overload"
    if devices and any(arm.path == "direct" for arm in plan.arm):
        yield f"`{KEY}`: an arm on the path direct has no gateway to estimate; leave it out"
