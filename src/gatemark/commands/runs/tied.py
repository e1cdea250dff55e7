# SPDX-License-Identifier: Apache-2.0
"""A test of a device's file against the records of its run: anybody can write such a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gatemark.commands.runs import locate, reading

if TYPE_CHECKING:
    from gatemark.store.study.device import DeviceFile


def made(run: Path) -> "DeviceFile":
    """The file that a run makes, with the hash of its records. Raises GatemarkError."""
    from gatemark.fleet import kept
    from gatemark.tell.export import device
    from gatemark.tell.group import source

    return device.of(source.judged(reading.read(run), run, drawn=False), kept.hash_of(run))


def differences(file: "DeviceFile", run: Path) -> list[str]:
    """Return each part of a file that its run does not confirm; its owner's name for it is free."""
    return list(_differences(file, made(run)))


def untied(path: Path, file: "DeviceFile") -> str:
    """Why nothing shows that a file is of its records; nothing: the run here says the same."""
    runs = [entry.path for entry in locate.known() if entry.path.name == file.run.run]
    if not runs:
        check = f"`gatemark export {path} --reference --check RUN` does"
        return f"not held against its records, as run {file.run.run} is not here: {check}"
    if faults := differences(file, runs[0]):
        return f"not what {runs[0]} says: {faults[0]}"
    return ""


def _differences(file: "DeviceFile", run: "DeviceFile") -> Iterator[str]:
    import msgspec

    if file.device.virtual != run.device.virtual:
        yield f"virtual is {str(run.device.virtual).lower()} there"
    if file.device.facts != run.device.facts:
        yield "the facts of its device are others"
    for name in run.run.__struct_fields__:
        if getattr(file.run, name) != getattr(run.run, name):
            yield f"{name} of its run is {getattr(run.run, name) or 'nothing'!s:.100} there"
    own, there = (
        {msgspec.json.encode(value, order="deterministic"): value for value in each.value}
        for each in (file, run)
    )
    for text, value in own.items():
        if text not in there:
            yield f"{value.quantity} of {value.plan}, {value.arm}, is not {value.value:g} there"
    if missing := len(there.keys() - own.keys()):
        yield f"{missing} of its values are not in the file"
