# SPDX-License-Identifier: Apache-2.0
"""QEMU's monitor, over a pair of sockets that only we and QEMU have (QEMU Machine Protocol)."""

import asyncio
import json
import socket
from collections.abc import Mapping
from typing import Any, Final

from gatemark.error import StationError
from gatemark.node.reader import reader

LONGEST_BYTES = 1 << 20  # of an answer: a guest's console is in one
GONE: Final = "the virtual machine's monitor is gone"
ANSWER_S = 20.0  # a machine whose processor emulates the start of a kernel answers late


class Monitor:
    """One machine's monitor."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._asked = 0  # questions: each has a number, and so has its answer

    @classmethod
    async def open(cls, ours: socket.socket) -> "Monitor":
        """Greet and be greeted. Raises StationError if there is nobody."""
        monitor = cls(*await asyncio.open_connection(sock=ours, limit=LONGEST_BYTES))
        await monitor._answer("QMP")
        await monitor.ask("qmp_capabilities")
        return monitor

    async def ask(self, command: str, **arguments: Any) -> Any:
        """Return the answer to a command. Raises StationError."""
        try:
            self._writer.write(self._line(command, arguments))
            await self._writer.drain()
        except OSError:
            raise StationError(GONE) from None
        return await self._answer("return")

    async def hand(self, name: str, file: int) -> None:
        """Give QEMU an open file, which it knows by a name then. Raises StationError.

        Nothing waits to be written: each command was answered.
        """
        try:
            with self._writer.get_extra_info("socket").dup() as end:
                socket.send_fds(end, [self._line("getfd", {"fdname": name})], [file])
        except OSError:
            raise StationError(GONE) from None
        await self._answer("return")

    def _line(self, command: str, arguments: Mapping[str, Any]) -> bytes:
        self._asked += 1
        line = json.dumps({"execute": command, "arguments": arguments, "id": self._asked})
        return line.encode() + b"\n"

    async def _answer(self, wanted: str) -> Any:
        """The next answer. Events besides are passed over.

        Nor is what comes late, of a question that was given up.
        """
        try:
            async with asyncio.timeout(ANSWER_S):
                while line := await self._reader.readline():
                    answer = _read(line)
                    if answer.get("id", self._asked) != self._asked:
                        continue
                    if "error" in answer:
                        raise StationError(f"virtual machine: {_why(answer['error'])}")
                    if wanted in answer:
                        return answer[wanted]
        except (OSError, TimeoutError, ValueError):  # ValueError: longer than LONGEST_BYTES
            pass
        raise StationError("the virtual machine's monitor does not answer")

    def close(self) -> None:
        """Leave it."""
        self._writer.close()


@reader("the virtual machine's monitor")
def _read(line: bytes) -> dict[str, Any]:
    answer = json.loads(line)
    if not isinstance(answer, dict):
        raise TypeError(line)
    return answer


def _why(error: Any) -> str:
    return str(error.get("desc", error)) if isinstance(error, dict) else str(error)
