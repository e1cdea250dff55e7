# SPDX-License-Identifier: Apache-2.0
"""What some tests need; without it they are skipped, with the reason."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.node.binary import agent_path


def _built() -> bool:
    try:
        return agent_path().exists()
    except UnavailableError:
        return False


agent = pytest.mark.skipif(not _built(), reason="no agent built: make agent")


def two_cpus() -> None:
    """Skip the test, or the module that is imported."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs: a gateway has one for itself", allow_module_level=True)


def installed(folder: Path, lock: str) -> Path:
    """The folder of the programs of a lock of setup/lock, installed into an environment."""
    uv = [sys.executable, "-m", "uv", "-q"]
    packages = Path(__file__).parents[1] / "setup/lock" / f"{lock}.txt"
    subprocess.run([*uv, "venv", str(folder), "--python", sys.executable], check=True)
    install = ("pip", "install", "--python", f"{folder}/bin/python", "--require-hashes", "-r")
    subprocess.run([*uv, *install, str(packages)], check=True)
    return folder / "bin"
