# SPDX-License-Identifier: Apache-2.0
"""A guest's serial line: the end of what it writes is kept, and one can log in there."""

import asyncio
import re
import socket
from contextlib import suppress
from typing import Final

from gatemark.error import StationError
from gatemark.node.bound import ERRORS_BYTES, PIECE_BYTES
from gatemark.node.quoted import Script, literal

LINES = 5  # of its end, in a message
LINE_SHOWN = 160  # characters of each
# What OpenWrt's init asks for on a serial line, before it starts a shell (inittab: askfirst).
INVITATION: Final = re.compile(r"press Enter to activate this console")
ANSWER_S: Final = 120.0  # of one line that is typed, on a machine that is busy
# What is typed is echoed, too; the exit code in an answer is what only the shell can put there.
# Each line has a number: the answer to one that was given up may still come.
MARK: Final = "echo gatemark{number}=$?="
ANSWER: Final = r"gatemark{number}=(\d+)="
SOUND: Final = "0"
NOTHING: Final = literal(":")
LOGINS, LOGIN_S = 4, 20.0


class Console:
    """One machine's serial line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._kept = bytearray()  # its end
        self._more = asyncio.Event()
        self._typed = 0  # lines
        self._is_over = False
        self._draining = asyncio.create_task(self._drain(reader))

    @classmethod
    async def open(cls, ours: socket.socket) -> "Console":
        """Listen from now on."""
        return cls(*await asyncio.open_connection(sock=ours))

    async def _drain(self, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):  # its other end is gone
            while piece := await reader.read(PIECE_BYTES):
                self._kept += piece
                del self._kept[:-ERRORS_BYTES]
                self._more.set()
        self._is_over = True
        self._more.set()

    @property
    def last(self) -> str:
        """Its last lines, of each the beginning; they may hold anything."""
        return last(self._text)

    @property
    def _text(self) -> str:
        return self._kept.decode(errors="replace")

    def forget(self) -> None:
        """Leave out what it has written so far: the machine begins anew."""
        self._kept.clear()

    async def login(self, within_s: float) -> None:
        """Press Enter where one is asked to, as OpenWrt does. Raises StationError."""
        await self._seen(INVITATION, within_s)
        for _ in range(LOGINS - 1):  # what is typed while the shell starts may be lost
            with suppress(StationError):
                await self.type(NOTHING, LOGIN_S)
                return
        await self.type(NOTHING, LOGIN_S)

    async def type(self, line: Script, within_s: float = ANSWER_S) -> None:
        """Have the shell there run a line. Raises StationError if it fails or does not answer."""
        self._kept.clear()
        self._typed += 1
        try:
            self._writer.write(f"\n{line}; {MARK.format(number=self._typed)}\n".encode())
            await self._writer.drain()
        except OSError:
            raise StationError("the virtual machine's console is gone") from None
        answer = re.compile(ANSWER.format(number=self._typed))
        if (code := await self._seen(answer, within_s)) != SOUND:
            raise StationError(f"'{line}' failed ({code}) on its console: {self.last}")

    async def _seen(self, wanted: re.Pattern[str], within_s: float) -> str:
        """Wait for a text; its first group, if it has one. Raises StationError."""
        try:
            async with asyncio.timeout(within_s):
                while not (match := wanted.search(self._text)):
                    if self._is_over:
                        raise StationError(f"its console ended: {self.last or 'nothing'}")
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise StationError(
                f"no '{wanted.pattern}' on its console in {within_s:g} s: {self.last or 'nothing'}"
            ) from None
        return match[match.re.groups]

    def close(self) -> None:
        """Leave it."""
        self._draining.cancel()
        self._writer.close()


def last(text: str) -> str:
    """The last lines of what a console has, of each the beginning."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(line[:LINE_SHOWN] for line in lines[-LINES:])
