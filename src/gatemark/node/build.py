# SPDX-License-Identifier: Apache-2.0
"""The parts that a repository builds or installs at first use; a wheel brings all of them."""

import importlib.util
import os
import subprocess
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.isolated import INTERPRETER

AGAIN: Final = "install gatemark's wheel for this kind of machine (the one for any only reads)"
BUILD: Final = "GATEMARK_BUILD"  # in the environment: `no` builds and installs nothing
ZIG: Final = "ziglang"


def package() -> Path:
    """The folder that holds our modules, and what was built."""
    return Path(str(resources.files("gatemark")))


def repository() -> Path | None:
    """The repository whose sources run here; None where gatemark came as a wheel."""
    folder = package().parents[1]
    return folder if (folder / "agent" / "Makefile").exists() else None


def build_or_install(command: str) -> str:
    """Return the way to get a missing part: by `command`, in a repository."""
    return f"run `{command}`" if repository() else AGAIN


def built(path: Path, what: str) -> Path:
    """A file of the package, built first where a repository lacks it. Raises UnavailableError."""
    if path.exists():
        return path
    if not _may_build():
        command = f"setup/build {path.relative_to(package().parents[1])}"
        raise UnavailableError(f"no {what} is here; {build_or_install(command)}")
    build(path, what)
    return path


def build(path: Path, what: str) -> None:
    """Build a file of the package in its repository. Raises UnavailableError."""
    zig = {"ZIG_PYTHON": INTERPRETER[0]} if importlib.util.find_spec(ZIG) else {}
    if fault := _set_up("build", str(path.relative_to(package().parents[1])), **zig):
        raise UnavailableError(f"{what} was not built: {fault}")


def require_zig() -> None:
    """Install the compiler where a repository lacks it. Raises UnavailableError."""
    if importlib.util.find_spec(ZIG):
        return
    fix = "setup/install zig" if repository() else "pip install ziglang"
    fault = _set_up("install", "zig") if _may_build() else f"run `{fix}`"
    importlib.invalidate_caches()
    if not importlib.util.find_spec(ZIG):
        why = fault or f"{INTERPRETER[0]} is not of .venv: pip install ziglang"
        raise UnavailableError(f"the compiler zig is not here; {why}")


def _may_build() -> bool:
    return repository() is not None and os.environ.get(BUILD) != "no"


def _set_up(program: str, what: str, **environment: str) -> str:
    """Run a program of setup/, which tells on stderr what it does; returns how it failed, if so."""
    command = [str(package().parents[1] / "setup" / program), what]
    env = {**os.environ, **environment}
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, env=env)
    return f"`setup/{program} {what}` failed, and said why above" if done.returncode else ""
