# SPDX-License-Identifier: Apache-2.0
"""End in order on a signal: the station is given back before the process ends."""

import asyncio
import os
import signal
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def on_stop(callback: Callable[[], object]) -> None:
    """Have the running loop call `callback` on SIGTERM or SIGHUP; Ctrl-C is asyncio's own.

    Not by `loop.add_signal_handler`: a library of ours forks and ends its child by SIGTERM, and
    the signal would come back to us through the loop's wake-up pipe, which the child shares.
    """
    loop = asyncio.get_running_loop()
    us = os.getpid()

    def stop(*_: object) -> None:
        if os.getpid() == us:
            loop.call_soon_threadsafe(callback)

    for number in SIGNALS:
        signal.signal(number, stop)
