# SPDX-License-Identifier: Apache-2.0
"""The bounded output of a host: it may print for ever, and this machine's memory stays its own.

A command that is run to its end may print OUTPUT_BYTES. One that goes on is read line by line: each
has a longest line, and all of them together a budget, in which a line counts a little more than its
text since whoever collects lines needs that. Of errors the last ERRORS_BYTES are kept, and the rest
is read all the same: a pipe that nobody reads would stop its writer.
"""

import asyncio
import textwrap
from typing import Final

from gatemark.error import NodeError

OUTPUT_BYTES: Final = 32 << 20  # a kernel's symbols have 5 to 15 MiB
LONGEST_LINE_BYTES: Final = 64 << 20  # a watch over an hour hands over its columns in one line
LINES_BYTES: Final = 256 << 20  # of all lines of one command
LINE_COST_BYTES: Final = 100  # of an object that holds a line, besides the line
ERRORS_BYTES: Final = 64 << 10
STREAM_BYTES: Final = 1 << 20  # of a stream of bytes that nobody has taken; then its writer waits
PIECE_BYTES: Final = 64 << 10  # read at once


async def whole(reader: asyncio.StreamReader, name: str, argv: tuple[str, ...]) -> bytes:
    """All that a command prints, to its end. Raises NodeError where that is too much."""
    read = bytearray()
    while piece := await reader.read(PIECE_BYTES):
        read += piece
        if len(read) > OUTPUT_BYTES:
            raise too_much(name, argv, OUTPUT_BYTES)
    return bytes(read)


class Lines:
    """The lines that a command on the host `name` prints, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, name: str, argv: tuple[str, ...]) -> None:
        self._reader = reader
        self._name = name
        self.argv = argv
        self._left_bytes = LINES_BYTES

    async def next(self) -> bytes:
        """The next one, with its end; without one where the output ends. Raises NodeError."""
        if self._left_bytes < 0:
            raise too_much(self._name, self.argv, LINES_BYTES)
        try:
            line = await self._reader.readline()
        except ValueError:  # longer than the reader's limit
            self._left_bytes = -1
            raise too_much(self._name, self.argv, LONGEST_LINE_BYTES, "in one line") from None
        self._left_bytes -= len(line) + LINE_COST_BYTES
        return line


class Tail:
    """The end of what a command writes to its standard error."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        """Something was written."""
        self._kept += data
        del self._kept[:-ERRORS_BYTES]

    async def drain(self, reader: asyncio.StreamReader) -> None:
        """Read all of it, to its end."""
        while piece := await reader.read(PIECE_BYTES):
            self.feed(piece)

    @property
    def text(self) -> str:
        """Return the text that is kept."""
        return self._kept.decode(errors="replace")


def too_much(name: str, argv: tuple[str, ...], most: int, where: str = "") -> NodeError:
    """Return the error for a command that prints more than there is room for."""
    words = f" {where}" if where else ""
    return NodeError(f"{name}: '{in_short(argv)}' printed more than {most >> 20} MiB{words}")


def in_short(argv: tuple[str, ...]) -> str:
    """A command as a message shows it: one line, of a script its beginning."""
    return textwrap.shorten(" ".join(argv), 120, placeholder=" ...")
