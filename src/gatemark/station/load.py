# SPDX-License-Identifier: Apache-2.0
"""Station files: found by name or path, read from TOML, refused with file, line and the fix."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any, Final

from gatemark.error import UsageError
from gatemark.plan.toml import line_of, nearest, read_toml, refuse_unknown_keys
from gatemark.station.station import Station

STATION_SCHEMA: Final = "gatemark.station/1"
TABLES: Final = ("schema", "gateway", "lan", "wan", "power", "nic", "cable")  # that any kind knows
Table = Mapping[str, Any]

KINDS: Final = ("netns", "qemu", "ssh")  # of gateways


def stations_folder() -> Path:
    """The folder of the shipped stations."""
    return Path(str(resources.files("gatemark") / "stations"))


def stations() -> list[str]:
    """Names of the shipped stations."""
    return sorted(path.stem for path in stations_folder().glob("*.toml"))


def load(name: str) -> Station:
    """A shipped station by name, or one from a file. Raises UsageError; nothing is built yet."""
    path = Path(name) if name.endswith(".toml") else stations_folder() / f"{name}.toml"
    if not name.endswith(".toml") and name not in stations():
        ours = f"{nearest(name, stations())} (a file of your own ends in .toml)"
        raise UsageError(f"no station '{name}'{ours}")
    data = read_toml(path, "gatemark station introduce root@ADDRESS")
    return _maker(_kind(data, path))(data, path)


def _maker(kind: str) -> Callable[[Table, Path], Station]:
    """Return the maker of a kind's station from a file's tables; nothing is built yet.

    It refuses keys that it does not know, with the file and the line. Only the kind that is asked
    for is imported: a run in the lab would wait for what speaks SSH.
    """
    if kind == "qemu":
        from gatemark.station.qemu import lab

        return lab.from_file
    if kind == "ssh":
        from gatemark.station.ssh import box

        return box.from_file
    from gatemark.station import netns

    return netns.from_file


def _kind(data: Table, path: Path) -> str:
    if data.get("schema") != STATION_SCHEMA:
        raise UsageError(f'{path}:{line_of(path, "schema")}: write schema = "{STATION_SCHEMA}"')
    refuse_unknown_keys(data, list(TABLES), path, "")
    gateway = data.get("gateway")
    if isinstance(gateway, dict) and "kind" not in gateway:
        mistyped = get_close_matches("kind", gateway, 1)
        refuse_unknown_keys(mistyped, ["kind"], path, "gateway")
    if not isinstance(gateway, dict) or "kind" not in gateway:
        raise UsageError(
            f"{path}:{line_of(path, 'gateway')}: a station needs [gateway] with a kind"
        )
    if gateway["kind"] not in KINDS:
        line, known = line_of(path, "kind", table="gateway"), ", ".join(KINDS)
        raise UsageError(f"{path}:{line}: no kind {gateway['kind']!r}; known: {known}")
    return str(gateway["kind"])
