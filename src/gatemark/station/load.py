# SPDX-License-Identifier: Apache-2.0
"""Station files: found by name or path, read from TOML, refused with file, line and the mend."""

from importlib import resources
from pathlib import Path
from typing import Any

from gatemark.error import UsageError
from gatemark.plan.toml import line_of, nearest, read_toml, refuse_unknown_keys
from gatemark.station.netns import Lab

STATION_SCHEMA = "gatemark.station/1"
KINDS = ("netns",)


def stations_folder() -> Path:
    """The folder of the shipped stations."""
    return Path(str(resources.files("gatemark") / "stations"))


def stations() -> list[str]:
    """Names of the shipped stations."""
    return sorted(path.stem for path in stations_folder().glob("*.toml"))


def load(name: str) -> Lab:
    """A shipped station by name, or one from a file. Raises UsageError; nothing is built yet."""
    path = Path(name) if name.endswith(".toml") else stations_folder() / f"{name}.toml"
    if not name.endswith(".toml") and name not in stations():
        raise UsageError(f"no station '{name}'{nearest(name, stations())}, or a file NAME.toml")
    _check(read_toml(path), path)
    return Lab(path.stem)


def _check(data: dict[str, Any], path: Path) -> None:
    if data.get("schema") != STATION_SCHEMA:
        raise UsageError(f'{path}:{line_of(path, "schema")}: write schema = "{STATION_SCHEMA}"')
    refuse_unknown_keys(data, ["schema", "gateway"], path, "")
    gateway = data.get("gateway")
    if isinstance(gateway, dict):
        refuse_unknown_keys(gateway, ["kind"], path, "gateway")
    if not isinstance(gateway, dict) or "kind" not in gateway:
        raise UsageError(
            f"{path}:{line_of(path, 'gateway')}: a station needs [gateway] with a kind"
        )
    if gateway["kind"] not in KINDS:
        line, known = line_of(path, "kind", table="gateway"), ", ".join(KINDS)
        raise UsageError(f"{path}:{line}: no kind {gateway['kind']!r}; known: {known}")
