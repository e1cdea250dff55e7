# SPDX-License-Identifier: Apache-2.0
"""gm-agent's binaries, one for each processor: where they are in this installation."""

import hashlib
import platform
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from gatemark.error import UnavailableError


def agent_path(arch: str | None = None) -> Path:
    """The agent's binary for an architecture (default: this machine's)."""
    arch = arch or platform.machine()
    path = _folder() / arch / "gm-agent"
    if not path.exists():
        raise UnavailableError(f"no agent built for {arch}: `gatemark agent build --target {arch}`")
    return path


def builds() -> Iterator[tuple[str, str]]:
    """Of each agent here: its architecture; its SHA-256, compiler and flags."""
    for path in sorted(_folder().glob("*/gm-agent")):
        stamp = path.with_name("build.txt")  # none where the agent was put there by hand
        built = stamp.read_text().strip() if stamp.exists() else "built by an unknown compiler"
        yield path.parent.name, f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}, {built}"


def _folder() -> Path:
    return Path(str(resources.files("gatemark") / "agents"))
