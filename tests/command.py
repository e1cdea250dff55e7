# SPDX-License-Identifier: Apache-2.0
"""The command line as its user has it: a process of its own, its two streams and its exit code."""

import os
import pty
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
GATEMARK = (sys.executable, "-m", "gatemark")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, with the sources of this checkout; an empty value in `more` takes a name away."""
    env = os.environ | {"PYTHONPATH": str(SOURCES), "COLUMNS": "100"} | dict(more or {})
    return {name: value for name, value in env.items() if value}


def gatemark(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    before: Sequence[str] = (),
) -> Done:
    """`gatemark WORDS`, started through the command `before` where one is given."""
    done = subprocess.run(
        [*before, *GATEMARK, *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(env),
        cwd=cwd,
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def on_terminal(*words: str | Path, env: dict[str, str]) -> str:
    """What `gatemark WORDS` writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*GATEMARK, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment({"TERM": "xterm-256color", **env}),
    ):
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 1 << 16):
                said += part
        except OSError:  # EIO: nobody has the other end open any more
            pass
    os.close(ours)
    return said.decode()
