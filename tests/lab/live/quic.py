# SPDX-License-Identifier: Apache-2.0
"""python quic.py serve|send ADDRESS PORT FOLDER: a bulk upload by QUIC, with aioquic.

`serve` reads what comes and throws it away. `send` uploads for as long as it is let, as fast as its
congestion control does. FOLDER has the server's certificate and its key, which a client trusts.
"""

import asyncio
import sys
from pathlib import Path
from typing import Final

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import QuicEvent

ALPN: Final = ["gatemark"]
CERTIFICATE: Final = "certificate.pem"
KEY: Final = "key.pem"
BYTES: Final = 64_000_000  # more than any line here takes while a test lasts
CREDIT: Final = 1 << 24  # bytes on their way: the congestion control bounds it, not the reader


class Sink(QuicConnectionProtocol):
    """A server's side of a connection that keeps nothing."""

    def quic_event_received(self, event: QuicEvent) -> None:
        """Nothing is kept."""
        del event


def configuration(folder: Path, *, is_client: bool) -> QuicConfiguration:
    """TLS and flow control of one side."""
    made = QuicConfiguration(
        alpn_protocols=ALPN, is_client=is_client, max_data=CREDIT, max_stream_data=CREDIT
    )
    if is_client:
        made.load_verify_locations(str(folder / CERTIFICATE))
    else:
        made.load_cert_chain(folder / CERTIFICATE, folder / KEY)
    return made


async def receive(address: str, port: int, folder: Path) -> None:
    """Serve until it is ended."""
    made = configuration(folder, is_client=False)
    await serve(address, port, configuration=made, create_protocol=Sink)
    print("listening", flush=True)  # noqa: T201 (a test waits for it)
    await asyncio.Event().wait()


async def send(address: str, port: int, folder: Path) -> None:
    """Upload until it is ended."""
    made = configuration(folder, is_client=True)
    async with connect(address, port, configuration=made) as client:
        _, writer = await client.create_stream()
        writer.write(bytes(BYTES))
        print("sending", flush=True)  # noqa: T201
        await client.wait_closed()


if __name__ == "__main__":
    what, address_, port_, folder_ = sys.argv[1:]
    asyncio.run((receive if what == "serve" else send)(address_, int(port_), Path(folder_)))
