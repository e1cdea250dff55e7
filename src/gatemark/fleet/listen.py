# SPDX-License-Identifier: Apache-2.0
"""The listeners of Dask, of a scheduler and of a worker: TLS, for those who say something.

Dask (2026.8) begins a plain HTTP server on all addresses, also where no dashboard is wanted, and
waits for ever for the first word of a connection.
"""

import asyncio
from typing import Any

HANDSHAKE_S = 10.0


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
