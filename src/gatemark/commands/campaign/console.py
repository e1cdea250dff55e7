# SPDX-License-Identifier: Apache-2.0
"""The output of a station's serial console while a block lasts: it has why a gateway was lost.

The user's command prints it: `cat /dev/ttyUSB0`, or what speaks with a server of serial lines.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gatemark.printable import printable
from gatemark.store.folder import Folder, ForeignError

LOG: Final = "console.log"  # in a block's folder, then in its run's
LINES: Final = 5  # of its end, in the reason of a block that failed
LAST: Final = 4096  # characters
LEAVE_S: Final = 2.0


@contextmanager
def kept(command: str, log: Path) -> Iterator[None]:
    """Keep what a command prints; it may end early. An empty command: nothing."""
    if not command:
        yield
        return
    with Folder(log.parent).appending(log.name) as file:
        process = subprocess.Popen(  # noqa: S602  the user's own command, as `switch` is
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(LEAVE_S)


def last(log: Path) -> str:
    """Its last lines, as they end a reason; nothing where it said none."""
    try:
        text = Folder(log.parent).read(log.name).decode(errors="replace")[-LAST:]
    except (OSError, ForeignError):
        return ""
    lines = [line for line in map(printable, text.splitlines()) if line.strip()][-LINES:]
    return f"; its console: {' | '.join(lines)}" if lines else ""


def move(log: Path, run: Path) -> None:
    """Have it with the run, where there is one."""
    if log.exists() and run.is_dir():
        Folder(run).append(LOG, Folder(log.parent).read(log.name))
        log.unlink()
