# SPDX-License-Identifier: Apache-2.0
"""QEMU's monitor, over a pair of sockets that only we and QEMU have (QEMU Machine Protocol)."""

import asyncio
import json
import socket
from typing import Any

from gatemark.error import StationError

ANSWER_S = 20.0  # a machine whose processor emulates the start of a kernel answers late


class Monitor:
    """One machine's monitor."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, ours: socket.socket) -> "Monitor":
        """Greet and be greeted. Raises StationError if there is nobody."""
        monitor = cls(*await asyncio.open_connection(sock=ours))
        await monitor._answer("QMP")
        await monitor.ask("qmp_capabilities")
        return monitor

    async def ask(self, command: str, **arguments: Any) -> Any:
        """What it returns to a command. Raises StationError."""
        line = json.dumps({"execute": command, "arguments": arguments})
        try:
            self._writer.write(line.encode() + b"\n")
            await self._writer.drain()
        except OSError:
            raise StationError("the virtual machine's monitor is gone") from None
        return await self._answer("return")

    async def _answer(self, wanted: str) -> Any:
        """The next answer; what happens besides, and is told as well, is of no interest."""
        try:
            async with asyncio.timeout(ANSWER_S):
                while line := await self._reader.readline():
                    loads = json.loads(line)
                    if "error" in loads:
                        raise StationError(f"virtual machine: {loads['error']['desc']}")
                    if wanted in loads:
                        return loads[wanted]
        except (OSError, TimeoutError):
            pass
        raise StationError("the virtual machine's monitor does not answer")

    def close(self) -> None:
        """Leave it."""
        self._writer.close()
