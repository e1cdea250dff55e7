# SPDX-License-Identifier: Apache-2.0
"""A host that takes commands: its own way in is all that differs between kinds of host."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

from gatemark.error import NodeError, UnavailableError
from gatemark.node.binary import agent_path
from gatemark.node.bound import (
    LONGEST_LINE_BYTES,
    PIECE_BYTES,
    STREAM_BYTES,
    Lines,
    Tail,
    in_short,
    whole,
)
from gatemark.node.inside.door import Door
from gatemark.node.inside.standing import Standing, no_program
from gatemark.node.inside.staying import Staying
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import Printed
from gatemark.node.shield import begun, end, kill

# The tester goes before whatever else runs on its CPU. Where the kernel groups tasks by session
# (sched(7), autogroup), niceness counts only within one: an agent gets a session of its own, and
# the group is made nice as well. No real-time class: that is throttled, and its holes of 50 ms a
# second are worse than what it would win.
# An ordinary user may do neither and goes on without.
FIRST = sh(
    literal(
        '{ echo -20 > /proc/self/autogroup; renice -n -20 $$; } > /dev/null 2>&1; exec "$0" "$@"'
    )
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A host's CLOCK_MONOTONIC beside this machine's, at one moment."""

    ahead_ns: int = 0  # the host's reading less this machine's
    error_ns: int = 0  # at most so much is wrong with that


class Process(Protocol):
    """A command that runs on a host, with its three pipes."""

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""

    def write(self, data: bytes) -> None:
        """Give it something to read."""

    def close_stdin(self) -> None:
        """Let it read the end."""

    async def line(self) -> bytes:
        """The next line that it prints; empty at the end.

        Raises NodeError if its host is lost, and if it prints more than bound.py has room for.
        """

    async def errors(self) -> str:
        """The end of what it wrote to its standard error."""

    async def wait(self) -> int:
        """Wait for its end; returns its exit code."""

    def kill(self) -> None:
        """End it at once, if it still runs."""


@runtime_checkable
class Stream(Process, Protocol):
    """A command whose standard error is no text but bytes for us; it has no errors to show.

    Its writer waits while nobody takes them.
    """

    async def piece(self) -> bytes:
        """The next bytes; empty at the end. Raises NodeError if its host is lost."""


class Node(Protocol):
    """One host of a station."""

    @property
    def name(self) -> str:
        """Return the name in messages: `LAN host`, `gateway`, `WAN host`."""

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""

    async def start(self, *command: str) -> Process:
        """Run it in a session of its own, with pipes. Raises NodeError if it cannot be run."""

    async def agent(self, verb: str) -> str:
        """The path of a gm-agent with this verb; put there if it is not. Raises GatemarkError."""

    async def job(self, verb: str) -> Process:
        """Start a job of gm-agent, before all else on its CPU. Raises GatemarkError."""

    async def clock(self) -> Clock:
        """Return its clock, which is the same on all hosts of this machine."""


@runtime_checkable
class Streaming(Node, Protocol):
    """A host from which a command can send bytes while it runs and is talked with."""

    async def stream(self, *command: str) -> Stream:
        """Start as `start` does; standard error is a stream of bytes. Raises NodeError."""


@runtime_checkable
class Here(Node, Protocol):
    """A host that is this machine, or a namespace of it: others' programs can be started there."""

    def argv(self, *command: str) -> tuple[str, ...]:
        """The local command line that runs `command` on this host."""


def here(node: Node) -> Here:
    """The same host. Raises UnavailableError where it is not of this machine."""
    if isinstance(node, Here):
        return node
    raise UnavailableError(f"{node.name}: another machine, where only gm-agent can be started")


class _Here:
    """The common part of all hosts on this machine."""

    name: str

    def argv(self, *command: str) -> tuple[str, ...]:
        raise NotImplementedError

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""
        return await run(self.name, self.argv(*command), stdin)

    async def start(self, *command: str) -> Process:
        """Run it in a session of its own, with pipes. Raises NodeError if it cannot be run."""
        return LocalProcess(await _spawn(self.argv(*command)), self.name, command)

    async def stream(self, *command: str) -> Stream:
        """Start as `start` does; standard error is a stream of bytes. Raises NodeError."""
        return LocalStream(await _spawn(self.argv(*command), STREAM_BYTES), self.name, command)

    async def agent(self, verb: str) -> str:
        """The path of this machine's gm-agent. Raises UnavailableError if it is not built."""
        del verb  # it has all
        return str(agent_path())

    async def job(self, verb: str) -> Process:
        """Start a job of gm-agent. Raises UnavailableError if it is not built, NodeError."""
        return await self.start(*FIRST, await self.agent(verb), verb)

    async def clock(self) -> Clock:
        """This machine's own."""
        return Clock()


@dataclass(frozen=True, slots=True)
class Inside:
    """The helpers that stay in a namespace: a shell, an agent, and a door through which we look."""

    shell: Standing
    agent: Staying
    door: Door

    def close(self) -> None:
        """End the shell, with what it runs, and let the namespace go."""
        self.shell.close()
        self.door.close()


@dataclass(frozen=True, slots=True)
class Namespace(_Here):
    """A host that is a network namespace of this machine."""

    name: str
    netns: str
    inside: Inside | None = field(default=None, compare=False, repr=False)

    @classmethod
    def inhabited(cls, name: str, netns: str) -> Self:
        """A host that is ours until it is removed: whoever does so closes what is `inside`."""
        shell = Standing(cls(name, netns).argv("sh"))
        return cls(name, netns, Inside(shell, Staying(name), Door(name, netns)))

    def argv(self, *command: str) -> tuple[str, ...]:
        """Through `ip netns exec`, which also shows the namespace's own /sys/class/net."""
        return ("ip", "netns", "exec", self.netns, *command)

    async def run(self, *command: str, stdin: str = "") -> str:
        """Run to the end and return what it printed. Raises NodeError if it fails."""
        if not self.inside or self.inside.shell.busy:
            return await run(self.name, self.argv(*command), stdin)
        done = await self.inside.shell.run(self.name, command, stdin)
        return _printed(self.name, command, *done)

    async def job(self, verb: str) -> Process:
        """Start a job, by the agent that stays here. Raises UnavailableError, NodeError."""
        path = await self.agent(verb)
        if not self.inside:
            return await self.start(*FIRST, path, verb)
        return await self.inside.agent.job(lambda: self.stream(path, "stay"), verb)


def door(node: Node) -> Door | None:
    """The door of a host that is a namespace of ours."""
    return node.inside.door if isinstance(node, Namespace) and node.inside else None


@dataclass(frozen=True, slots=True)
class Local(_Here):
    """This machine itself: for reading its kernel threads and inventory, never for traffic."""

    name: str = "this machine"

    def argv(self, *command: str) -> tuple[str, ...]:
        """The command as it is."""
        return command


@dataclass(slots=True)
class LocalProcess:
    """A process of this machine, for the host `name`."""

    process: asyncio.subprocess.Process
    name: str
    command: tuple[str, ...]
    _lines: Lines = field(init=False, repr=False)
    _tail: Tail = field(init=False, repr=False, default_factory=Tail)
    _draining: asyncio.Task[None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._lines = Lines(self.process.stdout, self.name, self.command)
        self._draining = asyncio.create_task(self._tail.drain(self.process.stderr))

    @property
    def pid(self) -> int:
        """Its own, as all of this machine see it."""
        return self.process.pid

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""
        return self.process.returncode is not None

    def write(self, data: bytes) -> None:
        """Give it something to read."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def close_stdin(self) -> None:
        """Let it read the end."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def line(self) -> bytes:
        """The next line that it prints; empty at the end. Raises NodeError if that is too much."""
        return await self._lines.next()

    async def errors(self) -> str:
        """The end of what it wrote to its standard error."""
        await asyncio.shield(self._draining)
        return self._tail.text

    async def wait(self) -> int:
        """Wait for its end; returns its exit code."""
        return await self.process.wait()

    def kill(self) -> None:
        """End it at once, if it still runs."""
        kill(self.process)


class LocalStream(LocalProcess):
    """A process of this machine whose standard error is a stream of bytes."""

    __slots__ = ()

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        self._lines = Lines(self.process.stdout, self.name, self.command)

    async def errors(self) -> str:
        """None."""
        return ""

    async def piece(self) -> bytes:
        """The next bytes; empty at the end."""
        assert self.process.stderr is not None
        return await self.process.stderr.read(PIECE_BYTES)


async def _spawn(
    argv: tuple[str, ...], limit: int = LONGEST_LINE_BYTES
) -> asyncio.subprocess.Process:
    """In a session of its own: Ctrl-C is for us, not for what sets a host or gives it back."""
    try:
        return await begun(
            asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=limit,
                start_new_session=True,
            )
        )
    except FileNotFoundError:
        raise no_program(argv) from None


async def run(name: str, argv: tuple[str, ...], stdin: str = "") -> str:
    """Run a command for the host `name`; the error says what failed and where.

    Who is cancelled meanwhile has ended it.
    """
    process = await _spawn(argv)
    assert process.stdout is not None
    assert process.stderr is not None
    tail = Tail()
    others = [
        asyncio.create_task(_feed(process, stdin)),
        asyncio.create_task(tail.drain(process.stderr)),
    ]
    try:
        out = await whole(process.stdout, name, argv)
        await asyncio.gather(*others)
        await process.wait()
    except BaseException:  # it prints on, or nobody waits for it any more
        await end(process)
        raise
    finally:
        for task in others:
            task.cancel()
    return _printed(name, argv, process.returncode or 0, out, tail.text)


def _printed(name: str, argv: tuple[str, ...], code: int, out: bytes, errors: str) -> str:
    """The output of a command that has ended. Raises NodeError if it failed."""
    if code:
        raise failure(name, argv, errors, code)
    return Printed.by(name, out.decode(errors="replace"))


async def _feed(process: asyncio.subprocess.Process, stdin: str) -> None:
    """Give a command all of its input; it need not read it."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(stdin.encode())
        await process.stdin.drain()
    process.stdin.close()


def failure(name: str, argv: tuple[str, ...], errors: str, code: int = 1) -> NodeError:
    """Return the error for a command that failed on the host `name`, in one line: its last word.

    Or the signal that ended it: `code` is its exit code, negative then.
    """
    mute = f"it was ended by signal {-code}" if code < 0 else "no message"
    text = _last_word(errors, mute)
    return NodeError(f"{name}: '{in_short(argv)}' failed: {text}", text, code, errors)


def _last_word(errors: str, mute: str) -> str:
    """The last line; of nft and tc, which may go on to show where, the one that says what."""
    lines = errors.strip().splitlines() or [mute]
    texts = (line.partition("Error: ")[2] for line in reversed(lines))
    return next(filter(None, texts), lines[-1])
