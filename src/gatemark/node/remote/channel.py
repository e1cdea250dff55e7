# SPDX-License-Identifier: Apache-2.0
"""A command on a host over SSH: one channel of its connection, with the pipes of a process."""

import asyncio
import re
import shlex
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, cast

import asyncssh

from gatemark.error import NodeError
from gatemark.node.bound import (
    LONGEST_LINE_BYTES,
    PIECE_BYTES,
    STREAM_BYTES,
    Lines,
    Tail,
    in_short,
    whole,
)
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import odd
from gatemark.node.remote.connect import Link

LOST = 255  # the exit code of a command whose connection was lost, as of ssh(1)
START_S = 60.0  # a busy device is given time
ENDING_S = 10.0  # that a command which is told to end gets before others have their turn

# Signals are not dropbear's strength (it knows a few, by the shell's pid, and tells nobody), so a
# command says first which process it is, and is ended by `kill`.
TELL_PID = literal('type "$0" > /dev/null 2>&1 || exit 127; echo $$; exec "$0" "$@"')


class Pipes(asyncssh.SSHClientSession[bytes]):
    """The pipes of a channel."""

    def __init__(self) -> None:
        self.out = asyncio.StreamReader(limit=LONGEST_LINE_BYTES)
        self.err = Tail()
        self.silent = asyncio.Event()  # nothing more will be printed
        self.over = asyncio.Event()
        self.why = ""  # it ended before its command did

    def connection_made(self, chan: Any) -> None:
        """The channel stands: who does not read makes it wait."""
        self.out.set_transport(chan)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Something was printed."""
        if datatype:
            self.err.feed(data)
        else:
            self.out.feed_data(data)

    def eof_received(self) -> bool:
        """Nothing more will be printed; we may go on writing."""
        self.out.feed_eof()
        self.silent.set()
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """The channel is closed."""
        self.eof_received()
        self.why = str(exc or "closed by the host")
        self.over.set()


class RawPipes(Pipes):
    """The pipes of a channel whose standard error is a stream of bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.raw = asyncio.StreamReader(limit=STREAM_BYTES)

    def connection_made(self, chan: Any) -> None:
        """The channel stands: who does not read either makes it wait."""
        super().connection_made(chan)
        self.raw.set_transport(chan)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Something was printed."""
        (self.raw if datatype else self.out).feed_data(data)

    def eof_received(self) -> bool:
        """Nothing more will be printed."""
        self.raw.feed_eof()
        return super().eof_received()


@dataclass(slots=True)
class Remote:
    """A command that runs on a host over SSH.

    A channel is opened, and a command of ours ended, in turns. Where a process ends between the
    opening of a channel and its command, dropbear 2022.82 to 2024.85 takes the new one for ended,
    and may break the whole connection (github.com/mkj/dropbear/pull/326).
    """

    PIPES: ClassVar[type[Pipes]] = Pipes

    name: str  # the host's
    link: Link
    channel: "asyncssh.SSHClientChannel[bytes]"
    pipes: Pipes
    lines: Lines
    pid: str = ""
    _ends: list["asyncio.Task[None]"] = field(default_factory=list, repr=False)

    @classmethod
    async def open(cls, name: str, link: Link, text: str, command: tuple[str, ...] = ()) -> Self:
        """Begin a text of the host's shell; it is the caller's turn. Raises NodeError.

        `command` is what messages call it.
        """
        if link.client.lost:
            raise lost(name, link.client.lost)
        try:
            channel, pipes = await link.connection.create_session(cls.PIPES, text, encoding=None)
        except (OSError, asyncssh.Error) as error:
            raise lost(name, link.client.lost or str(error)) from None
        pipes = cast(Pipes, pipes)
        return cls(name, link, channel, pipes, Lines(pipes.out, name, command or (text,)))

    @classmethod
    async def start(cls, name: str, link: Link, command: tuple[str, ...]) -> Self:
        """Begin a command that can be killed. Raises NodeError, also if there is none such."""
        argv = sh(TELL_PID, *command)
        async with link.turn:
            process = await cls.open(name, link, f"exec {shlex.join(argv)}", command)
            try:
                async with asyncio.timeout(START_S):
                    process.pid = await process._read_pid()
            except TimeoutError:
                process.channel.abort()
                late = f"'{in_short(command)}' did not start in {START_S:g} s"
                raise NodeError(f"{name}: {late}") from None
            except BaseException:
                process.channel.abort()
                raise
        return process

    async def _read_pid(self) -> str:
        pid = (await self.line()).decode(errors="replace").strip()
        if not pid:
            await self.wait()
            raise NodeError(f"{self.name}: no '{self.lines.argv[0]}' on it")
        if not re.fullmatch("[0-9]+", pid):
            raise odd(self.name, "the number of a process", pid)
        return pid

    @classmethod
    async def complete(
        cls, name: str, link: Link, command: tuple[str, ...], stdin: bytes
    ) -> tuple[Self, bytes]:
        """Run a command to its end; returns it and all that it printed. Raises NodeError."""
        async with link.turn:
            process = await cls.open(name, link, shlex.join(command), command)
            try:
                process.write(stdin)
                process.channel.write_eof()
                output = await whole(process.pipes.out, name, command)
                await process.wait()
            finally:
                process.channel.abort()  # of use only where it is given up
        process._require_end()
        return process, output

    @property
    def ended(self) -> bool:
        """Return whether it has ended, or its connection."""
        return self.pipes.over.is_set()

    def write(self, data: bytes) -> None:
        """Give it something to read."""
        if not self.channel.is_closing():
            self.channel.write(data)

    def close_stdin(self) -> None:
        """Let it read the end, as soon as it is its turn."""
        self._ends.append(asyncio.get_running_loop().create_task(self._close_stdin()))

    async def line(self) -> bytes:
        """The next line that it prints; empty at the end.

        Raises NodeError if its host is lost, and if it prints too much.
        """
        line = await self.lines.next()
        if not line.endswith(b"\n"):
            self._require_end()
        return line

    async def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        await self.pipes.silent.wait()
        return self.pipes.err.text

    async def wait(self) -> int:
        """Wait for its end; returns its exit code, LOST where that will never be known."""
        await self.pipes.over.wait()
        code = self.channel.get_returncode()
        return LOST if code is None else code

    def kill(self) -> None:
        """End it as soon as it is its turn, if it still runs."""
        self._ends.append(asyncio.get_running_loop().create_task(self._kill()))

    async def _close_stdin(self) -> None:
        async with self.link.turn:
            if not self.channel.is_closing():
                self.channel.write_eof()
            await self._over()

    async def _kill(self) -> None:
        async with self.link.turn:
            with suppress(NodeError):  # the connection is lost, and the command with it
                if not self.ended:
                    killer = await Remote.open(
                        self.name, self.link, shlex.join(("kill", "-9", self.pid))
                    )
                    await killer._left()
            await self._left()

    async def _left(self) -> None:
        """Give it the time to end, then leave it: a host may print for ever, and close nothing."""
        await self._over()
        self.channel.abort()
        await self._over()
        if not self.ended:
            self.pipes.connection_lost(None)

    async def _over(self) -> None:
        """Give it the time to end."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.pipes.over.wait(), ENDING_S)

    def _require_end(self) -> None:
        """Raise NodeError if the channel is gone without the command's exit code."""
        if self.ended and self.channel.get_returncode() is None:
            raise lost(self.name, self.link.client.lost or self.pipes.why)


class RemoteStream(Remote):
    """A command on a host over SSH whose standard error is a stream of bytes."""

    __slots__ = ()
    PIPES: ClassVar[type[Pipes]] = RawPipes

    async def errors(self) -> str:
        """None."""
        return ""

    async def piece(self) -> bytes:
        """The next bytes; empty at the end. Raises NodeError if its host is lost."""
        piece = await cast(RawPipes, self.pipes).raw.read(PIECE_BYTES)
        if not piece:
            self._require_end()
        return piece


def lost(name: str, why: str) -> NodeError:
    """Return the error for a host whose connection is gone."""
    return NodeError(f"{name}: its SSH connection was lost ({why}): is it up, and reachable?")
