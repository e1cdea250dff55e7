# SPDX-License-Identifier: Apache-2.0
"""A build of foreign sources: as nobody, without a network, in a folder that is its own.

An archive's Makefile, its cmake and whatever a generator of its own does are programs of strangers.
They see no process but theirs, no secret in the environment, and write to nothing but the folder
and what every user may write to. Who is no root builds as himself, but without a network too.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from gatemark.error import UnavailableError
from gatemark.node import nobody
from gatemark.node.quoted import literal, sh

APART: Final = ("unshare", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child")
PYTHON: Final = "python"  # in the folder: ours, wherever nobody may not look for it
MOUNT: Final = literal('mount --bind -o ro "$0" "$1" && shift && exec "$@"')
KEPT: Final = ("PATH", "TMPDIR")  # of our environment


def is_nobody() -> bool:
    """Return whether there is a nobody here whom we can become."""
    return os.geteuid() == 0 and nobody.is_there()


def give(folder: Path) -> Path:
    """Have a folder with all in it belong to who builds; the folder of Python there."""
    (folder / PYTHON).mkdir(exist_ok=True)
    if is_nobody():
        for path in (folder, *folder.rglob("*")):
            os.chown(path, nobody.NOBODY, nobody.NOBODY, follow_symlinks=False)
        return folder / PYTHON
    return Path(sys.prefix)


def words(folder: Path, command: Sequence[str]) -> tuple[str, ...]:
    """Return the words that run a command so, in a folder that was given."""
    if not is_nobody():
        return (*APART, "--user", "--map-current-user", "--mount-proc", *nobody.BOUND, *command)
    bind = sh(MOUNT, sys.prefix, str(folder / PYTHON))
    return (*APART, "--mount-proc", *bind, *nobody.words(), *command)


def run(
    folder: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: "IO[Any] | int" = subprocess.DEVNULL,
    timeout_s: float | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run a command so to its end. Raises TimeoutExpired, UnavailableError."""
    own = {name: os.environ[name] for name in KEPT if name in os.environ}
    try:
        return subprocess.run(
            words(folder, command),
            cwd=folder,
            env={**own, "HOME": str(folder), "LC_ALL": "C", **environment},
            stdin=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout_s,
        )
    except FileNotFoundError as error:
        raise UnavailableError(
            f"{error.filename} is not here: apt-get install util-linux"
        ) from None
