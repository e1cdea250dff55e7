# SPDX-License-Identifier: Apache-2.0
"""The path of one packet where nobody counts instructions: traced by the gateway's own kernel.

In this order: its function_graph, while one packet passes; samples of perf, while many do. Neither:
not available here, and why.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final, Self

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.kind.walk import load as walk
from gatemark.kind.walk.load import Step, Walk
from gatemark.kind.walk.plan import UNCOUNTED
from gatemark.node.agent import Tick
from gatemark.node.shell import Here
from gatemark.plan.model import TrialSpec
from gatemark.probe import graph, sampled
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.store.record import Call
from gatemark.workload.way import Drained, Load, Way

SETTLED_S: Final = 0.3  # until what turns tracing on, and the packet, have come to rest
SAMPLED_S: Final = 3.0
SAMPLED_PPS: Final = 5000  # so that a packet is sampled as one by itself, and still many are


@dataclass(frozen=True, slots=True)
class Traced:
    """What was traced."""

    tracer: str
    packets: int  # that were traced; of samples, all that were sent meanwhile
    path: tuple[Call, ...]
    functions: dict[str, tuple[int, int]]  # ns, calls


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one direction: counted where it can be, traced where just the path is asked for."""
    if station.counting or not spec.workload.ordered:
        return await walk.loads(station, spec, ways)
    return [Tracing(station, await walk.walk(station, spec, ways))]


class Tracing:
    """A trial: some packets to warm up, then those that are traced."""

    def __init__(self, station: Station, walked: Walk) -> None:
        self.walk = walked
        self.gateway = station.gateway.node
        own = isinstance(self.gateway, Here)  # a namespace: its work is on one CPU of this machine
        self.cpu = station.placement.gateway if own else None
        self._graph = graph.Graph(self.gateway)
        self._why = ""  # no function_graph
        walked.own_pps = SAMPLED_PPS if own else walked.own_pps

    async def ready(self) -> Self:
        """Start the gateway's own program if it is an end."""
        await self.walk.ready()
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Trace; returns what was seen as the sender's report."""
        del drained, tick
        await self.walk.begin()
        t0_ns = time.monotonic_ns()
        with ExitStack() as stack:
            traced = await self._traced(self.walk.stepper(stack))
        await self.walk.abort()
        ends: dict[str, Any] = {"t0_ns": t0_ns, "t1_ns": time.monotonic_ns(), "cpu_ns": 0}
        ports = {"sender": "raw", "sink": "raw"}
        notes = (self._why,) if self._why else ()
        return Way(self.walk.wire, ends | {"traced": traced}, ends, ports=ports, notes=notes)

    async def abort(self) -> None:
        """End tracing, and the gateway's own program."""
        await self._graph.abort()
        await self.walk.abort()

    async def _traced(self, step: Step) -> Traced:
        await asyncio.to_thread(_all, step, range(-UNCOUNTED, 0))
        try:
            return await self._graphed(step)
        except UnavailableError as error:
            self._why = str(error)
        try:
            return await self._sampled(step)
        except UnavailableError as error:
            raise UnavailableError(f"{self._why}; {error}") from None

    async def _graphed(self, step: Step) -> Traced:
        await self._graph.on()
        await asyncio.sleep(SETTLED_S)
        came = await asyncio.to_thread(step, 0)
        await asyncio.sleep(SETTLED_S)
        lines = await self._graph.off()
        if not came:
            raise InvalidTrialError("the packet did not come through")
        path = graph.packet(lines, self._direction)
        return Traced(graph.TRACER, 1, path, graph.sizes(path))

    async def _sampled(self, step: Step) -> Traced:
        sampling = asyncio.create_task(sampled.sample(self.gateway, self.cpu, SAMPLED_S))
        sent = await asyncio.to_thread(_paced, step, sampling.done)
        path = sampled.calls(await sampling, sent)
        return Traced(sampled.TOOL, sent, path, sampled.sizes(path))

    @property
    def _direction(self) -> str:
        return self.walk.load.direction


def _all(step: Step, numbers: range) -> None:
    came = [step(number) for number in numbers]
    if not any(came):
        raise InvalidTrialError("no packet came through")


def _paced(step: Step, is_done: Callable[[], bool]) -> int:
    """Packets one after the other, until it is done; returns how many."""
    sent, begun = 0, time.monotonic()
    while not is_done():
        step(sent)
        sent += 1
        time.sleep(max(0.0, begun + sent / SAMPLED_PPS - time.monotonic()))
    return sent
