# SPDX-License-Identifier: Apache-2.0
"""gm-agent's binaries, one for each processor: where they are in this installation."""

import platform
from importlib import resources
from pathlib import Path

from gatemark.error import UnavailableError


def agent_path(arch: str | None = None) -> Path:
    """The agent's binary for an architecture (default: this machine's)."""
    arch = arch or platform.machine()
    path = Path(str(resources.files("gatemark") / "agents" / arch / "gm-agent"))
    if not path.exists():
        raise UnavailableError(f"no agent built for {arch}: `gatemark agent build --target {arch}`")
    return path
