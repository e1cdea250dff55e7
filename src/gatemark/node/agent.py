# SPDX-License-Identifier: Apache-2.0
"""One job of gm-agent on a host: the laboratory's side of agent/PROTOCOL.md."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

from gatemark.error import NodeError
from gatemark.node import clock, report
from gatemark.node.reader import ODD, odd
from gatemark.node.shell import Clock, Node, Process

PROTOCOL_VERSION = 1
ANSWER_S = 10.0  # hello, ready and the end of a closed job come at once; a slow board is given time
ABORT_S = 0.5
FILTERED = "seccomp"  # `sandbox` of an agent that has a filter

Tick = Callable[[dict[str, Any]], None]


class Agent:
    """A running job. `launch` returns it ready; it is ended by `close`, or killed by `abort`.

    Times that it prints, and is given, are by this machine's clock, wherever it runs.
    """

    program = "gm-agent"

    def __init__(self, node: Node, verb: str, process: Process, its_clock: Clock) -> None:
        self.node = node
        self.verb = verb
        self.process = process
        self.clock = its_clock
        self.hello: dict[str, Any] = {}
        self.ready: dict[str, Any] = {}

    @classmethod
    async def launch(
        cls,
        node: Node,
        verb: str,
        request: dict[str, Any],
        within_s: float = ANSWER_S,
        its_clock: Clock | None = None,
    ) -> Self:
        """Start a job on a host and bring it to `ready`. Raises NodeError.

        `its_clock` is the host's, where that is known already; else it is read.
        """
        its_clock = its_clock or await clock.read(node)
        process = await cls.begin(node, verb)
        agent = cls(node, verb, process, its_clock)
        try:
            agent.tell(request)  # it waits in the pipe: one way there and back less
            agent.hello = await agent.event("hello")
            if (spoken := agent.hello["protocol"]) != PROTOCOL_VERSION:
                raise NodeError(f"{node.name}: agent speaks protocol {spoken}: rebuild it")
            agent.ready = await agent.event("ready", within_s)
        except BaseException:
            await agent.abort()
            raise
        return agent

    @classmethod
    async def begin(cls, node: Node, verb: str) -> Process:
        """Start it on the host. Raises GatemarkError."""
        return await node.job(verb)

    @property
    def alive(self) -> bool:
        """Return whether its process still runs."""
        return not self.process.ended

    def tell(self, message: dict[str, Any]) -> None:
        """Send one line."""
        self.process.write(json.dumps(message).encode() + b"\n")

    async def start(self, **when: int) -> None:
        """Let it begin, at a time (`t0_us`) where its verb takes one; returns when it has heard."""
        ahead_us = self.clock.ahead_ns // 1000
        self.tell({"cmd": "start"} | {key: at_us + ahead_us for key, at_us in when.items()})
        await self.event("start")

    async def report(self, within_s: float, tick: Tick | None = None) -> dict[str, Any]:
        """Wait for the report of a job that ends by itself.

        Its process goes meanwhile, for which the kernel may take 30 ms; `abort` waits for it.
        """
        return await self.event("done", within_s, tick)

    async def done(self, within_s: float, tick: Tick | None = None) -> dict[str, Any]:
        """Wait for a job that ends by itself, and for its process."""
        done = await self.report(within_s, tick)
        await self._left()
        return done

    async def finish(self, tick: Tick | None = None) -> dict[str, Any]:
        """End the job in order and take its report, as `report`."""
        self.process.close_stdin()
        return await self.report(ANSWER_S, tick)

    async def close(self, tick: Tick | None = None) -> dict[str, Any]:
        """End the job in order and take its report; its process has gone."""
        done = await self.finish(tick)
        await self._left()
        return done

    async def _left(self) -> None:
        """Its process goes once it has reported; one that does not is ended."""
        try:
            await asyncio.wait_for(self.process.wait(), ANSWER_S)
        except TimeoutError:
            await self.abort()

    async def abort(self) -> None:
        """End the job without its report: its pipe is closed first, then it is killed."""
        self.process.close_stdin()
        try:
            await asyncio.wait_for(self.process.wait(), ABORT_S)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()

    async def event(
        self, wanted: str, within_s: float = ANSWER_S, tick: Tick | None = None
    ) -> dict[str, Any]:
        """The next event of a kind; ticks go to `tick`, an error is raised as NodeError."""
        try:
            async with asyncio.timeout(within_s):
                return await self._next(wanted, tick)
        except TimeoutError:
            await self.abort()
            late = f"did not say '{wanted}' in {within_s:g} s"
            raise NodeError(f"{self.node.name}: {self.program} {self.verb} {late}") from None

    async def _next(self, wanted: str, tick: Tick | None) -> dict[str, Any]:
        while line := await self.process.line():
            message = self._read(line)
            match message["ev"]:
                case "error":
                    words = _words(message)
                    raise NodeError(f"{self.node.name}: {self.program} {self.verb}: {words}", words)
                case "tick":
                    if tick:
                        tick(message)
                case event if event == wanted:
                    return message
        splitlines = (await self.process.errors()).strip().splitlines()
        why = splitlines[-1] if splitlines else "it ended without a word"
        raise NodeError(f"{self.node.name}: {self.program} {self.verb}: {why}")

    def _read(self, line: bytes) -> dict[str, Any]:
        """A line that it printed, with times by this machine's clock."""
        read = report.message(self.node.name, self.verb, line, self.program)
        try:
            shifted: dict[str, Any] = clock.here(read, self.clock)
        except ODD as error:
            what = f"a time in what {self.program} {self.verb} printed ({error})"
            raise odd(self.node.name, what, line[:200].decode(errors="replace")) from None
        return shifted


def unfiltered(*agents: Agent) -> tuple[str, ...]:
    """A note for each agent whose kernel had no filter of system calls for it."""
    return tuple(
        f"{agent.node.name}: gm-agent {agent.verb} had no filter of system calls: {why}"
        for agent in agents
        if (why := agent.ready.get("sandbox", "").removeprefix("none: ")) not in {"", FILTERED}
    )


def _words(error: dict[str, Any]) -> str:
    key = f"{error['key']}: " if "key" in error else ""
    fix = f"; {error['fix']}" if error.get("fix") else ""
    return f"{key}{error['reason']}{fix}"
