# SPDX-License-Identifier: Apache-2.0
"""Our side of a program on the gateway: supervisor.sh runs it there, and ends it if we die.

One channel each way; the script goes in by stdin, since old SSH servers take short commands alone.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final, Self

from gatemark.error import InvalidTrialError, NodeError, StuckError, UnavailableError
from gatemark.gateway.program import GOES, Program
from gatemark.node import leftover, shared
from gatemark.node.quoted import sh
from gatemark.node.reader import Printed, reader
from gatemark.node.script import OVER, READ
from gatemark.node.shell import LocalProcess, Node, Process
from gatemark.node.shield import whole
from gatemark.station import blocking

MARK: Final = "@@"
ANSWER_S = 30.0  # the end of a program that does not want to takes up to 12 s
READY_S = 30.0  # a verifier takes seconds on a slow processor that is busy
AGAIN_S = 0.05  # between two looks whether it is ready
NOT_THERE: Final = (126, 127)  # exit codes of a shell: it may not start the program; there is none
TICK_NS: Final = 10_000_000  # USER_HZ is 100 (proc_stat(5))


@dataclass(frozen=True, slots=True)
class Use:
    """The use of CPU and memory by a program and all that it made, since they started."""

    user_ns: int = 0  # in steps of 10 ms
    system_ns: int = 0
    run_ns: int = 0  # both together, to the ns where the kernel tells (schedstat), of what lives
    most_bytes: int = 0  # of memory, at any time
    processes: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """The end of a program."""

    by: str  # term, kill: the signal that it took; itself: before it was told to
    code: int  # its exit code
    left: int  # processes that it made and that could not be ended
    last_words: str


class Supervised:
    """A program on a gateway. `start` returns it working; `end` or `abort` ends it."""

    def __init__(self, node: Node, program: Program, process: Process) -> None:
        self.node = node
        self.program = program
        self.process = process

    @classmethod
    async def start(
        cls, node: Node, program: Program, first: Sequence[str] = (), apart: Sequence[str] = ()
    ) -> Self:
        """Start it and wait until it works; `first` goes before the command, as taskset does.

        `apart` goes before the supervisor: it has a CPU that the program cannot take from it.

        Raises UnavailableError if it is not on the gateway, NodeError if it ends at once.
        """
        heard = await _listeners(node, program)
        words = sh(READ, "gatemark", *first, *program.command)
        running = cls(node, program, await node.start(*apart, *words))
        script = (resources.files("gatemark.gateway") / "supervisor.sh").read_text()
        running.process.write(f"{shared.SHELL}{script}{OVER}\n".encode())
        try:
            await running._ready(heard)
        except BaseException:
            await whole(running.abort())
            raise
        return running

    async def look(self) -> Use:
        """Return the use until now. Raises NodeError."""
        return use(await self._ask("look"))

    async def question(self) -> None:
        """Let the question tell what the program counted; its answer is among the last words."""
        if self.program.question:
            await self._ask(f"ask {self.program.question}")

    async def goes(self) -> None:
        """Have it know that the traffic begins. Raises NodeError."""
        if self.program.waits:
            await self._ask(f"ask : > {GOES}")

    async def end(self) -> End:
        """End it and what it made. Raises NodeError."""
        ended, *lines = await self._ask("end")
        by, code, left = _ended(ended)
        self.process.close_stdin()
        await self.process.wait()
        await self.clear()
        here = isinstance(self.process, LocalProcess)
        return End(by, code, 0 if here else left, "\n".join(lines))

    def require_lasted(self, end: End) -> None:
        """Raise InvalidTrialError if it had ended by itself, UnavailableError if it is not there.

        A command without a word that it works by is found missing only at its end.
        """
        if end.by != "itself":
            return
        last = _last(end.last_words.splitlines())
        if end.code in NOT_THERE:
            raise UnavailableError(f"{self._name}: {last}")
        raise InvalidTrialError(
            f"{self._name} ended before the trial did (exit code {end.code}): {last}"
        )

    async def abort(self) -> None:
        """End it without its last words: the supervisor does so when its stdin ends.

        Raises StuckError if it may still run.
        """
        self.process.close_stdin()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
            if not isinstance(self.process, LocalProcess):
                raise StuckError(f"{self._name} may still run: it had no answer") from None
        await self.clear()

    async def clear(self) -> None:
        """End, from outside, what its supervisor could not. Raises StuckError if that stays."""
        if not isinstance(self.process, LocalProcess):
            return
        if left := await blocking.run(leftover.end, self.process.pid):
            pids = ", ".join(map(str, left))
            raise StuckError(f"{self._name}: pids {pids} cannot be ended")

    async def _ready(self, heard: frozenset[str]) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + READY_S
        while loop.time() < until:
            if await self._works(heard):
                return
            await asyncio.sleep(AGAIN_S)
        raise NodeError(f"{self._name} was not ready in {READY_S:g} s: {await self._why()}")

    async def _works(self, heard: frozenset[str]) -> bool:
        runs, *lines = await self._ask("running")
        if runs == "no":
            end = await self.end()
            if end.code in NOT_THERE:
                raise UnavailableError(f"{self._name}: {_last(end.last_words.splitlines())}")
            raise NodeError(f"{self._name} ended at once (exit code {end.code}): {_last(lines)}")
        if self.program.device and not self.program.ready:
            receives = bool(await _listeners(self.node, self.program) - heard)
            await asyncio.sleep(AGAIN_S * receives)  # libpcap sets its filter only now
            return receives
        return self.program.ready in "\n".join(lines)

    async def _why(self) -> str:
        return _last((await self._ask("running"))[1:])

    async def _ask(self, word: str) -> list[str]:
        """An answer's lines, without its mark."""
        self.process.write(f"{word}\n".encode())
        lines: list[str] = []
        try:
            async with asyncio.timeout(ANSWER_S):
                while line := await self.process.line():
                    if (text := line.decode(errors="replace").rstrip("\r\n")) == MARK:
                        return lines or [""]
                    lines.append(Printed.by(self.node.name, text))
        except TimeoutError:
            raise NodeError(f"{self._name}: no answer in {ANSWER_S:g} s") from None
        raise NodeError(f"{self._name}: {_last((await self.process.errors()).splitlines())}")

    @property
    def _name(self) -> str:
        return f"{self.node.name}: {self.program.name}"


def _last(lines: Sequence[str]) -> str:
    """The last word of a program that has something to say; its error before what it points at."""
    texts = [line.strip() for line in lines if line.strip()]
    errors = [line for line in texts if "error" in line.lower()]
    return (errors or texts or ["it said nothing"])[-1]


async def _listeners(node: Node, program: Program) -> frozenset[str]:
    """The packet sockets that receive at the program's device, each by its inode."""
    if not program.device:
        return frozenset()
    text = await node.run("cat", f"/sys/class/net/{program.device}/ifindex", "/proc/net/packet")
    return receiving(text)


@reader("its packet sockets")
def receiving(text: str) -> frozenset[str]:
    """The sockets of /proc/net/packet that receive from the port whose index is the first line.

    One that libpcap binds without a protocol, to make its buffer, receives nothing yet.
    """
    index, *rows = text.splitlines()
    sockets = [row.split() for row in rows[1:]]  # address, references, type, protocol, index, runs
    return frozenset(row[-1] for row in sockets if row[4:6] == [index.strip(), "1"])


@reader("how a program ended")
def _ended(line: str) -> tuple[str, int, int]:
    by, code, left = line.split()
    return by, int(code), int(left)


@reader("what a program used")
def use(lines: Sequence[str]) -> Use:
    """Return the use in `look`'s answer: of each process its stat, VmHWM and threads' schedstat."""
    user = system = run = most = processes = 0
    for line in lines:
        match line.split():
            case ["stat", *fields]:  # from the state on; utime, stime, and those of dead children
                ticks = [int(field) for field in fields[11:15]]
                user, system = user + ticks[0] + ticks[2], system + ticks[1] + ticks[3]
                processes += 1
            case ["VmHWM:", kib, "kB"]:
                most += int(kib) * 1024
            case [ns, _, _] if re.fullmatch(r"\d+", ns):
                run += int(ns)
    return Use(user * TICK_NS, system * TICK_NS, run, most, processes)
