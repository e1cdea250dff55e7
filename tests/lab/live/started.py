# SPDX-License-Identifier: Apache-2.0
"""Real programs on a lab's hosts, each ended with all that it made."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gatemark.node.shell import Here

PATIENCE_S: Final = 30.0  # until a program has said that it works, on a busy machine
END_S: Final = 5.0


@contextmanager
def started(
    node: Here, *command: str, log: Path, env: Mapping[str, str] | None = None
) -> Iterator[Callable[[], str]]:
    """A program on a host, in a session of its own; yields what reads its output so far."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            node.argv(*command),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
    try:
        yield lambda: log.read_text(errors="replace")
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask its session to end, then end it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(END_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def until(true: Callable[[], object], what: str, within_s: float = PATIENCE_S) -> None:
    """Wait until it is so. Raises TimeoutError with what was waited for."""
    end = time.monotonic() + within_s
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {within_s:g} s")
        time.sleep(0.1)
