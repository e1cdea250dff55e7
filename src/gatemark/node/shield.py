# SPDX-License-Identifier: Apache-2.0
"""Work that is over before whoever waits for it goes on, also who is cancelled.

A process is begun so. asyncio, cancelled in the middle of that (CPython 3.11, base_subprocess.py),
kills it, and then waits until nobody has its pipes open, among them those that it has not connected
yet and so never closes: a child of the killed process that reads one lives on, and all wait.
"""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Made = TypeVar("Made")
Ending = Callable[[Process], Coroutine[Any, Any, None]]
ENDING_S = 1.0


async def whole(work: Coroutine[Any, Any, Made] | asyncio.Task[Made]) -> Made:
    """Return the work's result. Raises what it raises; CancelledError when it is over."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        raise


async def together(*works: Coroutine[Any, Any, Any]) -> list[Any]:
    """Return what each returns. Raises what the first raises, when all are over."""
    done = await asyncio.gather(*works, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return done


def kill(process: Process) -> None:
    """End it at once, if it still runs.

    asyncio's own `kill` first asks whether it runs (CPython 3.11, subprocess.py, `send_signal`).
    Where it has just ended by itself, that takes its exit code away from asyncio's thread, which
    then warns on stderr of an unknown child.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


async def end(process: Process) -> None:
    """Kill it, and close its pipes: that ends what it has started and prints on, too."""
    kill(process)
    for number in range(3):
        if pipe := process._transport.get_pipe_transport(number):  # type: ignore[attr-defined]
            pipe.close()
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), ENDING_S)


async def begun(making: Coroutine[Any, Any, Process], ending: Ending = end) -> Process:
    """A process, of `create_subprocess_exec`. `ending` ends it if this is cancelled meanwhile."""
    task = asyncio.create_task(making)
    try:
        return await whole(task)
    except asyncio.CancelledError:
        if not task.cancelled() and task.exception() is None:
            await whole(ending(task.result()))
        raise
