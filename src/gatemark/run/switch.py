# SPDX-License-Identifier: Apache-2.0
"""The user's command that switches the gateway to an arm: it flashes, reboots, sets a knob.

It is run by the shell before each boot, with the arm's name, and returns when the gateway has the
arm, or boots into it. Its output is kept in a file of the run.
"""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from gatemark.error import GatemarkError
from gatemark.node.shield import begun, whole
from gatemark.store.directory import telling
from gatemark.store.folder import Folder

LOG: Final = "switch.log"  # in the run's directory: what the command printed
ARM: Final = "{arm}"  # in the command: old, or new
LEAVE_S = 10.0  # to end by itself once it was asked to


async def switch(command: str, arm: str, folder: Folder, at: Path | None = None) -> None:
    """Run it to its end, in the folder `at` or in the current one.

    Raises GatemarkError if it fails, with the last line that it printed.
    """
    line = command.replace(ARM, arm)
    with telling(folder.path):
        folder.append(LOG, f"$ {line}\n".encode())
    with telling(folder.path), folder.appending(LOG) as out:
        began = os.fstat(out.fileno()).st_size
        # Ctrl-C ends us, and we end it: a command that flashes must not get two signals.
        process = await begun(
            asyncio.create_subprocess_shell(
                line,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
                cwd=at,
            ),
            _end,
        )
    try:
        code = await process.wait()
    except BaseException:
        await whole(_end(process))
        raise
    if code:
        lines = folder.read(LOG)[began:].decode(errors="replace").strip().splitlines()
        last = lines[-1].strip() if lines else "it said nothing"
        raise GatemarkError(f"'{line}' ended with {code} ({last})")


async def _end(process: asyncio.subprocess.Process) -> None:
    """End it and what it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                await process.wait()
                return
