# SPDX-License-Identifier: Apache-2.0
"""Station files: found by name or path, read from TOML, refused with file, line and the fix."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any, Final

from gatemark.error import UsageError
from gatemark.plan.toml import line_of, nearest, read_toml, refuse_unknown_keys
from gatemark.station import netns
from gatemark.station.qemu import lab
from gatemark.station.ssh import box
from gatemark.station.station import Station

STATION_SCHEMA: Final = "gatemark.station/1"
TABLES: Final = ("schema", "gateway", "lan", "wan", "power", "nic", "cable")  # that any kind knows
Table = Mapping[str, Any]

# Kind of gateway -> what makes its station of a file's tables. It refuses keys that it does not
# know, with the file and the line; nothing is built yet.
KINDS: Final[dict[str, Callable[[Table, Path], Station]]] = {
    "netns": netns.from_file,
    "qemu": lab.from_file,
    "ssh": box.from_file,
}


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
        raise UsageError(f"no station '{name}'{nearest(name, stations())}, or a file NAME.toml")
    data = read_toml(path)
    return KINDS[_kind(data, path)](data, path)


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
    if gateway["kind"] not in list(KINDS):
        line, known = line_of(path, "kind", table="gateway"), ", ".join(KINDS)
        raise UsageError(f"{path}:{line}: no kind {gateway['kind']!r}; known: {known}")
    return str(gateway["kind"])
