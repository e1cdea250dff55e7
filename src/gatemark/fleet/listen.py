# SPDX-License-Identifier: Apache-2.0
"""Dask's scheduler and worker as they listen and as they end: TLS, and each in bounded time.

Dask (2026.8) begins a plain HTTP server on all addresses, also where no dashboard is wanted, and
waits for ever for the first word of a connection. At a signal it cancels what it does, itself
closing too where its scheduler has gone in that moment, and then waits for ever to be closed.
Nothing is lost by an end at once: a block is a process of its own, and the ledger remembers.
"""

import asyncio
import os
import threading
from types import ModuleType
from typing import Any, Final

HANDSHAKE_S = 10.0
LEAVE_S: Final = 10.0


def tighten() -> None:
    """Have Dask listen so in this process."""
    from distributed.comm.tcp import TLSBackend, TLSListener
    from distributed.node import ServerNode

    class Listener(TLSListener):  # type: ignore[misc]
        """A connection whose handshake is not over in time is ended."""

        async def _prepare_stream(self, stream: Any, address: str) -> Any:
            try:
                made = super()._prepare_stream(stream, address)
                return await asyncio.wait_for(made, HANDSHAKE_S)
            except TimeoutError:
                stream.close()
                return None

    TLSBackend._listener_class = Listener
    ServerNode.start_http_server = lambda *_args, **_named: None


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
