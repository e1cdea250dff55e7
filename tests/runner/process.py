# SPDX-License-Identifier: Apache-2.0
"""The commands that a stage runs: each in a process group of its own, and none for ever."""

import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
BEGAN = time.monotonic()
# Whoever runs us has patience of his own, and would show nothing of what hangs.
WHOLE_S = 60 * int(os.environ.get("MINUTES", "75"))
# Tests start hundreds of interpreters, each of which would compile all modules again.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
GROUPS: set[int] = set()  # process groups that run now
POLL_S = 0.05


class Ended(NamedTuple):
    """How a command ended: its exit code, all that it printed, what it and its children used."""

    code: int
    output: str
    cpu_s: float


def call(command: Sequence[str]) -> Ended:
    """Run one command at the top of the repository.

    One that is not over at the end of `WHOLE_S` is ended with all that it started, and has failed.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as output:  # a pipe may be held by others
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=ENVIRONMENT,
            process_group=0,
        )
        GROUPS.add(process.pid)
        cpu_s = wait(process)
        GROUPS.discard(process.pid)
        output.seek(0)
        late = "ended: no time is left (WHOLE_S)\n" if time.monotonic() > BEGAN + WHOLE_S else ""
        text = f"$ {' '.join(command)}\n{output.read()}{late}"
        return Ended(process.returncode, text, cpu_s)


def wait(process: "subprocess.Popen[bytes]") -> float:
    """Wait for it as long as there is time; Ctrl-C has pytest say where it is. Its CPU seconds."""
    for seconds, number in (
        (BEGAN + WHOLE_S - time.monotonic(), signal.SIGINT),
        (20, signal.SIGKILL),
        (math.inf, 0),
    ):
        until = time.monotonic() + max(1.0, seconds)
        while time.monotonic() < until:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return usage.ru_utime + usage.ru_stime
            time.sleep(POLL_S)
        os.killpg(process.pid, number)
    raise AssertionError("it waited for ever")


def interrupted(*_: object) -> None:
    """Ctrl-C is for what we started, too: each is a process group of its own, and cleans up."""
    for group in [*GROUPS]:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGINT)
    os._exit(130)
