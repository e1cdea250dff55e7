# SPDX-License-Identifier: Apache-2.0
"""An agent that stays on a host and does one job after the other (agent/PROTOCOL.md, "stay").

To reach a host and start a program there costs ten times what the agent needs to fork. Its standard
input is its lease: it ends its jobs, and itself, when whoever started it is gone.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

from gatemark.error import NodeError
from gatemark.node.bound import LONGEST_LINE_BYTES, Lines, Tail
from gatemark.node.reader import Printed, reader

PIECE_BYTES: Final = 64 << 10  # of an order or a frame, at most
LINE_BYTES: Final = 48  # of a frame's first line, at most
LOST: Final = 255  # the exit code of a job whose agent has gone, as of ssh(1)
ENDING_S: Final = 1.0
KILLING_S: Final = 10.0  # from the order to kill a job to its end; a busy device is given time

# What `Staying` needs of a process: `node/shell.py` has the whole of it.
Starts = Callable[[], Coroutine[Any, Any, Any]]


class Job:
    """A job of an agent that stays, with the pipes of a process."""

    def __init__(self, agent: "_Talk", number: int, argv: tuple[str, ...]) -> None:
        self._agent = agent
        self._number = number
        self._out = asyncio.StreamReader(limit=LONGEST_LINE_BYTES)
        self._out.set_transport(agent)  # type: ignore[arg-type]  # all that it asks for
        self._lines = Lines(self._out, agent.name, argv)
        self._tail = Tail()
        self._gone = asyncio.Event()
        self._code = LOST
        self._lost: NodeError | None = None
        self._killing: asyncio.Task[None] | None = None

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""
        return self._gone.is_set()

    def write(self, data: bytes) -> None:
        """Give it something to read."""
        for at in range(0, len(data), PIECE_BYTES):
            piece = data[at : at + PIECE_BYTES]
            self._agent.order(b"in %d %d\n%b" % (self._number, len(piece), piece))

    def close_stdin(self) -> None:
        """Let it read the end."""
        self._agent.order(b"end %d\n" % self._number)

    async def line(self) -> bytes:
        """The next line that it prints; empty at the end.

        Raises NodeError if that is too much, or its host is lost.
        """
        line = await self._lines.next()
        if not line and self._lost:
            raise self._lost
        return line

    async def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        await self._gone.wait()
        return self._tail.text

    async def wait(self) -> int:
        """Wait for its end; returns its exit code."""
        await self._gone.wait()
        return self._code

    def kill(self) -> None:
        """End it at once, if it still runs; with its agent, where that does not."""
        if not self.ended and not self._killing:
            self._agent.order(b"kill %d\n" % self._number)
            self._killing = asyncio.create_task(self._see_it_gone())

    def take(self, word: str, code: int, data: bytes) -> None:
        """Something came of it: output, words on its standard error, or its end."""
        if word == "out":
            self._out.feed_data(data)
        elif word == "err":
            self._tail.feed(data)
        else:
            self._go(code)

    def lose(self, error: NodeError | None) -> None:
        """Its agent has ended: by itself, or for a reason that it names."""
        self._lost = error
        self._tail.feed(b"its agent was ended")
        self._go(LOST)

    async def _see_it_gone(self) -> None:
        try:
            await asyncio.wait_for(self._gone.wait(), KILLING_S)
        except TimeoutError:
            self._agent.kill()

    def _go(self, code: int) -> None:
        self._code = code
        self._out.feed_eof()
        self._gone.set()


class _Talk:
    """One agent that stays, while it lives: orders to it, frames of its jobs from it."""

    def __init__(self, name: str, process: Any) -> None:
        self.name = name
        self._process = process
        self._jobs: dict[int, Job] = {}
        self._last = 0
        self._room = asyncio.Event()
        self._room.set()
        self._reading = asyncio.create_task(self._read())

    @property
    def lives(self) -> bool:
        """Return whether it takes jobs."""
        return not self._reading.done()

    def begin(self, verb: str) -> Job:
        """Start a job."""
        self._last += 1
        job = self._jobs[self._last] = Job(self, self._last, ("gm-agent", verb))
        self.order(b"begin %d %b\n" % (self._last, verb.encode()))
        return job

    def order(self, data: bytes) -> None:
        """Tell it something."""
        if self.lives:
            self._process.write(data)

    def pause_reading(self) -> None:
        """Let it wait, since nobody reads what a job printed."""
        self._room.clear()

    def resume_reading(self) -> None:
        """Go on."""
        self._room.set()

    def kill(self) -> None:
        """End it with all its jobs: it does not follow orders."""
        self._reading.cancel()
        self._process.kill()

    async def end(self) -> None:
        """End it in order with all its jobs, or kill it."""
        self._process.close_stdin()
        self._room.set()
        try:
            await asyncio.wait_for(self._process.wait(), ENDING_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        lost: NodeError | None = None
        try:
            await self._frames()
        except NodeError as error:
            lost = error
            self._process.kill()
        finally:
            jobs, self._jobs = self._jobs, {}
            for job in jobs.values():
                job.lose(lost)

    async def _frames(self) -> None:
        """Hand over frames until it ends. Raises NodeError for what is none."""
        read = bytearray()
        while piece := await self._process.piece():
            read += piece
            while size := self._frame(read):
                del read[:size]
            await self._room.wait()

    def _frame(self, read: bytearray) -> int:
        """Hand over the first frame, if it is whole; returns its bytes, or 0. Raises NodeError."""
        end = read.find(b"\n", 0, LINE_BYTES)
        if end < 0 and len(read) < LINE_BYTES:
            return 0
        line = Printed.by(
            self.name, read[: end if end >= 0 else LINE_BYTES].decode("ascii", "replace")
        )
        word, number, value = _head(line)
        size = end + 1 + (0 if word == "gone" else value)
        if len(read) < size:
            return 0
        if job := self._jobs.get(number):
            job.take(word, value, bytes(read[end + 1 : size]))
        if word == "gone":
            self._jobs.pop(number, None)
        return size


@reader("what its agent passed on")
def _head(line: str) -> tuple[str, int, int]:
    """The first line of a frame: what it is, of which job, and how many bytes, or the exit code."""
    word, number, value = line.split(" ")
    if word not in ("out", "err", "gone") or (word != "gone" and not 0 < int(value) <= PIECE_BYTES):
        raise ValueError(line)
    return word, int(number), int(value)


class Staying:
    """The one agent that stays on a host: started for the first job, and anew where it is gone."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting: asyncio.Task[_Talk] | None = None

    async def job(self, starts: Starts, verb: str) -> Job:
        """Start a job of a verb; `starts` begins the agent. Raises GatemarkError."""
        if not self._stands():
            self._loop = asyncio.get_running_loop()
            self._starting = asyncio.create_task(self._start(starts))
        assert self._starting
        talk = await asyncio.shield(self._starting)
        return talk.begin(verb)

    async def end(self) -> None:
        """End it, if it is there; another loop's goes with its pipes."""
        task, self._starting = self._starting, None
        if task and self._loop is asyncio.get_running_loop():
            await asyncio.wait([task])
            if not task.cancelled() and not task.exception():
                await task.result().end()

    def _stands(self) -> bool:
        task = self._starting
        if task is None or self._loop is not asyncio.get_running_loop():
            return False  # a host may outlive a loop; the agent has ended with its pipes
        if not task.done():
            return True
        return not task.cancelled() and not task.exception() and task.result().lives

    async def _start(self, starts: Starts) -> _Talk:
        return _Talk(self._name, await starts())
