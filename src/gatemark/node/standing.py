# SPDX-License-Identifier: Apache-2.0
"""A shell that stays on a host of this machine and runs one command after the other.

To enter a namespace for a single `cat` takes three programs and a mount of /sys, and a trial asks a
dozen times. The shell enters once. Its standard input is its lease: it ends when whoever started it
is gone, however that ended.
"""

import asyncio
import os
import secrets
import shlex
import signal
from asyncio.subprocess import Process
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from gatemark.error import NodeError
from gatemark.node.bound import OUTPUT_BYTES, PIECE_BYTES, Tail, in_short, too_much
from gatemark.node.reader import reader
from gatemark.node.shield import end

Spawn = Callable[[], Coroutine[Any, Any, Process]]

# The command has a subshell of its own, so it leaves no variable, folder or option behind. The mark
# is on a line of its own at the end of what the command writes to either pipe.
ASK: Final = """\
( exec {command} ) < /dev/null
printf '\\n%d {mark}\\n' $?; printf '\\n{mark}\\n' >&2
"""


class Standing:
    """The shell; `spawn` starts one. It is begun when first asked, and anew where it is gone."""

    def __init__(self, spawn: Spawn) -> None:
        self._spawn = spawn
        self._process: Process | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._busy = False

    @property
    def busy(self) -> bool:
        """Return True while it runs a command: it has no time for another."""
        return self._busy

    async def run(self, name: str, argv: tuple[str, ...]) -> tuple[int, bytes, str]:
        """Run a command of the host `name`; return its exit code, its output, its last errors.

        Raises NodeError where it prints too much, or the shell ends before it. The shell is gone
        then, and where this is cancelled.
        """
        self._busy = True
        try:
            process = await self._there()
            return await _ask(process, name, argv)
        except BaseException:
            await self.close()
            raise
        finally:
            self._busy = False

    async def close(self) -> None:
        """End it, and what it runs."""
        process, self._process = self._process, None
        if process and self._loop is asyncio.get_running_loop():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await end(process)

    async def _there(self) -> Process:
        loop = asyncio.get_running_loop()
        if self._process is None or self._process.returncode is not None or self._loop is not loop:
            self._process, self._loop = await self._spawn(), loop
        return self._process


async def _ask(process: Process, name: str, argv: tuple[str, ...]) -> tuple[int, bytes, str]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    mark = secrets.token_hex(8)
    process.stdin.write(ASK.format(command=shlex.join(argv), mark=mark).encode())
    try:
        out, errors = await asyncio.gather(
            _output(process.stdout, f" {mark}\n".encode(), name, argv),
            _errors(process.stderr, f"\n{mark}\n"),
        )
    except EOFError:
        raise NodeError(f"{name}: '{in_short(argv)}' failed: its shell was ended") from None
    text, _, code = out.rpartition(b"\n")
    return _code(code), text, errors


async def _output(
    reader: asyncio.StreamReader, ending: bytes, name: str, argv: tuple[str, ...]
) -> bytes:
    """All up to the mark. Raises EOFError, and NodeError where that is too much."""
    read = bytearray()
    while not read.endswith(ending):
        if len(read) > OUTPUT_BYTES:
            raise too_much(name, argv, OUTPUT_BYTES)
        read += await _piece(reader)
    return bytes(read.removesuffix(ending))


async def _errors(reader: asyncio.StreamReader, ending: str) -> str:
    """The end of all up to the mark, without it. Raises EOFError."""
    tail = Tail()
    while not tail.text.endswith(ending):
        tail.feed(await _piece(reader))
    return tail.text.removesuffix(ending)


async def _piece(reader: asyncio.StreamReader) -> bytes:
    if piece := await reader.read(PIECE_BYTES):
        return piece
    raise EOFError


@reader("an exit code")
def _code(text: bytes) -> int:
    return int(text)
