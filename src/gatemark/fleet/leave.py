# SPDX-License-Identifier: Apache-2.0
"""The end of Dask's processes by a signal: in bounded time.

Dask (2026.8) cancels what it does, itself closing too where its scheduler has gone in that moment.
It then waits for ever to be closed. Nothing is lost by an end at once: a block is a process of its
own, and the ledger remembers.
"""

import os
import threading
from types import ModuleType
from typing import Final

LEAVE_S: Final = 10.0


def bound(program: ModuleType, within_s: float = LEAVE_S) -> None:
    """Have a program of `distributed.cli` end so long after the first signal at the latest."""
    signalled = program.wait_for_signals

    async def wait_for_signals() -> int:
        number: int = await signalled()
        end = threading.Timer(within_s, os._exit, (0,))
        end.daemon = True
        end.start()
        return number

    program.wait_for_signals = wait_for_signals  # type: ignore[attr-defined]
