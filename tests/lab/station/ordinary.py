# SPDX-License-Identifier: Apache-2.0
"""Commands as an ordinary user has them: root lays its rights down, with a home of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import GATEMARK, environment

NOBODY = 65534
# A job in the background is started with Ctrl-C ignored, and tests may be such a job.
HEEDING = ("env", "--default-signal=INT")
LAID_DOWN = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


def user() -> int:
    """Whose files a run leaves."""
    return NOBODY if os.geteuid() == 0 else os.geteuid()


def words(*command: str | Path) -> list[str]:
    """The command line that runs a command as an ordinary user."""
    return [*HEEDING, *(LAID_DOWN if os.geteuid() == 0 else ()), *map(str, command)]


def require() -> None:
    """Skip where an ordinary user cannot read this checkout, or gets no namespaces."""
    for why, command in (
        ("an ordinary user cannot read this checkout", (sys.executable, "-c", "import gatemark")),
        ("this kernel gives an ordinary user no namespaces", ("unshare", "-Urnm", "true")),
    ):
        done = subprocess.run(
            words(*command), capture_output=True, text=True, check=False, env=environment(), cwd="/"
        )
        if done.returncode:
            pytest.skip(f"{why}: {(done.stderr.strip().splitlines() or ['no word'])[-1]}")


@contextmanager
def home() -> Iterator[Path]:
    """A folder of that user, below one that everybody may pass."""
    path = Path(tempfile.mkdtemp(prefix="gatemark-ordinary-"))
    os.chown(path, user(), -1)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def start(place: Path, *asked: str) -> "subprocess.Popen[str]":
    """`gatemark ASKED` in that home, with both streams to be read."""
    return subprocess.Popen(
        words(*GATEMARK, *asked),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({"HOME": str(place)}),
        cwd=place,
    )


def processes(space: Path) -> list[str]:
    """Who lives in a user namespace, by its link in /proc."""
    left = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            left += [path.name] if (path / "ns/user").readlink() == space else []
        except OSError:
            continue
    return left
