# SPDX-License-Identifier: Apache-2.0
"""A device's values with their definitions, as one file: `reference/devices/NAME.toml`.

`gatemark export --reference` writes such files. Those that ship stand beside a run's own values as
a study's do, and `gatemark rank` reads them.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

import msgspec

from gatemark import number
from gatemark.error import GatemarkError, UsageError
from gatemark.plan.toml import read_toml
from gatemark.quantity import UNITS, judged_unit
from gatemark.store.published import REFERENCE_UNITS, Published
from gatemark.store.record import Definition, Scalar

DEVICE_VALUES: Final = "gatemark.device-values/1"
FOLDER: Final = "devices"
STUDY: Final = "devices"  # the name that stands in the place of a study's
# What is told and not compared: how long, and which gateway it is.
APART: Final = ("duration_s", "slow_to_pps")


class Box(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The device that was measured, by its inventory; what that does not know is left out."""

    name: str  # for tables: its model, or what its owner calls it
    virtual: bool  # a namespace or a virtual machine: no device
    facts: dict[str, str] = {}  # model, processor, cpu_mhz, memory, firmware, kernel, ...


class Origin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The run that the values are of."""

    run: str  # its name
    started: str  # ISO 8601, UTC
    command: str  # that repeats it
    gatemark: str  # version
    records: str = ""  # SHA-256 of what it measured


class DeviceValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value; its definition has only what is not the default."""

    quantity: str
    value: float
    lo: float
    hi: float
    n: int
    level: float
    unit: str
    limit: str
    at_least: bool = False
    plan: str
    arm: str
    point: dict[str, Scalar] = {}
    definition: dict[str, Any]

    @property
    def defined(self) -> Definition:
        """The whole definition. Raises msgspec.ValidationError."""
        return msgspec.convert(self.definition, Definition)


class DeviceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device with its values."""

    schema: str
    device: Box
    run: Origin
    value: tuple[DeviceValue, ...] = ()


def read(path: Traversable) -> DeviceFile:
    """A device's file. Raises UsageError with its name and what is wrong."""
    data = read_toml(path)
    try:
        made = msgspec.convert(data, DeviceFile)
        for value in made.value:
            _check(value)
    except (ValueError, KeyError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from None
    if made.schema != DEVICE_VALUES:
        raise UsageError(f'{path}: schema is {made.schema!r}; write "{DEVICE_VALUES}"')
    return made


def _check(value: DeviceValue) -> None:
    """Raises ValueError for what cannot be."""
    _ = value.defined
    known = UNITS.get(value.quantity) or judged_unit(value.quantity)
    if value.unit != known:
        raise ValueError(f"{value.quantity} is in {known}, not {value.unit}")
    if not value.lo <= value.value <= value.hi:
        raise ValueError(f"{value.quantity}: {value.value:g} is not within its interval")


@cache
def shipped() -> tuple[DeviceFile, ...]:
    """The devices that ship, by name. Raises GatemarkError for a virtual or slowed one."""
    folder = files("gatemark") / "reference" / FOLDER
    return tuple(_real(path) for path in sorted(_toml(folder), key=lambda path: path.name))


def _toml(folder: Traversable) -> Iterator[Traversable]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if path.name.endswith(".toml"))


def _real(path: Traversable) -> DeviceFile:
    kept = read(path)
    if reason := no_device(kept):
        raise GatemarkError(f"{path.name}: {reason}: it cannot stand among devices")
    return kept


def no_device(kept: DeviceFile) -> str:
    """Why a file is of no device; nothing: it is of one."""
    if kept.device.virtual:
        return "a virtual gateway"
    if any(value.defined.slow_to_pps for value in kept.value):
        return "a gateway that was slowed on purpose"
    return ""


def published(kept: DeviceFile) -> Iterator[Published]:
    """A device's values as those of a study: every field of a definition is stated."""
    for value in kept.value:
        if value.quantity not in REFERENCE_UNITS:
            continue
        definition = value.defined
        stated = {
            name: getattr(definition, name)
            for name in definition.__struct_fields__
            if name not in ("quantity", "rate_layer", *APART)
        }
        rate = value.point.get("rate_bps", 0.0)
        yield Published(
            study=STUDY,
            device=kept.device.name,
            experiment=value.plan,
            parameter=value.arm,
            quantity=value.quantity,
            value=value.value,
            printed=number.quantity(value.value, value.unit),
            kind="printed",
            note=f"printed; run {kept.run.run}, gatemark {kept.run.gatemark}",
            stated=stated | {"duration_s": definition.duration_s},
            at_bps=float(rate) if isinstance(rate, int | float) else 0.0,
        )
