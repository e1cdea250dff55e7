# SPDX-License-Identifier: Apache-2.0
"""A gateway's table of flows, filled in steps: one packet opens a flow, and must come through.

    flows |            ,---- read      a step: its flows are opened at a rate; memory is read while
          |       ,----'               they are idle, or while packets go over all in a round.
          |  ,----'                    The fill ends with the first flow that is lost, or where
          |--'                         the gateway's kernel begins to kill for memory
          +------------------------------ time

Packets of a step may be lost by a hiccup of the tester, so these are sent once more. Where they are
more than a few, the gateway is left alone first for as long as its kernel takes to kill for memory.

Flows are UDP without sockets: the addresses are those of a crowd (workload/flows.py), which no host
owns, so nothing is allocated for them anywhere but in the gateway, and nobody answers.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Self

from msgspec.structs import replace

from gatemark.error import InvalidTrialError, NodeError
from gatemark.gateway import guard
from gatemark.kind.fill.plan import lasts_s, opened_pps
from gatemark.kind.udp.load import Stream
from gatemark.node.agent import Tick
from gatemark.node.reader import reader
from gatemark.node.shell import Here, Node
from gatemark.plan.model import TrialSpec, Workload
from gatemark.probe import connections
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import LAN_PORT, WAN_PORT, Wire
from gatemark.workload.flows import Flows
from gatemark.workload.way import Drained, Load, Report, Way

TIMEOUT: Final = "/proc/sys/net/netfilter/nf_conntrack_udp_timeout"  # of a flow without an answer
LATE: Final = 1.5  # times a step's own time that its sender is given
GRACE_S: Final = 1.0
BREATH_S: Final = 3.0  # between two looks whether a gateway is back
RECOVERY_S: Final = 30.0  # that it gets for that
RUNS: Final = 256  # numbers that tell one step's packets from another's
# Senders and sinks that load no program into the kernel: its memory is what is measured.
PORTS: Final = ("raw", "ring")
# Of a step's packets: a few, as any hiccup's. 0.05 to 0.2 % were seen lost below the knee.
HICCUP: Final = 0.002
KILLS_S: Final = 1.0  # within which memory that has ended kills: 0.1 to 0.2 s were seen


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One fill: flows are opened from the LAN side alone."""
    node, empty = station.gateway.node, station.flush
    return [Fill(wire, spec.workload, station.placement, node, empty) for wire in ways]


@dataclass(frozen=True, slots=True)
class Part:
    """Flows that are opened together: their ports, of which flow i is of client i mod clients."""

    near: list[int]
    far: list[int]

    @property
    def count(self) -> int:
        """The number of flows."""
        return len(self.near)


def part(load: Workload, first: int, count: int) -> Part:
    """Flows `first` and so many after it; `first` is a multiple of the clients.

    Flow i is of client i mod clients. A client's flows take one server after the other, and
    a port more after each round, so that no two have the same addresses and ports.
    """
    of_client = [at // load.clients for at in range(first, first + count)]
    near = [LAN_PORT + at // load.servers for at in of_client]
    return Part(near, [WAN_PORT + at % load.servers for at in of_client])


@dataclass(slots=True)
class Step:
    """The outcome of a step; times are of this machine's CLOCK_MONOTONIC."""

    flows: int  # that came through so far, up to the first that did not
    lost: int = 0  # of this step
    t0_ns: int = 0  # memory was read from here
    t1_ns: int = 0  # to here; 0: not


@dataclass(slots=True)
class Spent:
    """CPU time of the tester's ends, over all steps."""

    sender_ns: int = 0
    sink_ns: int = 0

    def add(self, way: Way) -> None:
        """Count one stream's."""
        self.sender_ns += int(way.sender["cpu_ns"])
        self.sink_ns += int(way.sink["cpu_ns"])


@dataclass(slots=True)
class Fill:
    """The fill of a trial."""

    wire: Wire
    load: Workload
    placement: Placement
    gateway: Node
    empty: Callable[[], Awaitable[None]]  # the gateway's table
    timeout_s: float = 0.0  # of an entry on the gateway; 0: not known
    spare_bytes: int = 0  # of its memory, besides what is free; less than 0: its reserve
    steps: list[Step] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    runs: int = 0
    ended_ns: int = 0
    stream: Stream | None = None
    ballast: guard.Ballast | None = None  # on a gateway with memory of its own

    async def ready(self) -> Self:
        """See that entries last as long as the fill. Raises InvalidTrialError, NodeError."""
        with suppress(NodeError):  # a kernel that does not report it
            self.timeout_s = seconds(await self.gateway.run("cat", TIMEOUT))
        self.spare_bytes = await connections.spare_bytes(self.gateway)
        wanted_s = lasts_s(self.load)
        if self.timeout_s and wanted_s > self.timeout_s:
            raise InvalidTrialError(
                f"the fill takes about {wanted_s:.0f} s and an entry lasts {self.timeout_s:.0f}: "
                f"add the feature conntrack-timeout:{int(wanted_s) + 60}, or open fewer flows"
            )
        if not isinstance(self.gateway, Here):
            self.ballast = await guard.Ballast.hold(self.gateway)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Open flows step by step until all are open, or until one does not come through."""
        del tick
        t0_ns, each = time.monotonic_ns(), self.load.flows // self.load.steps
        self.steps.append(await self._idle(Step(0)))
        for at in range(self.load.steps):
            opened = part(self.load, at * each, each)
            self.steps.append(await self._step(opened, drained))
            if self.steps[-1].lost or self._killed:
                break
        self.ended_ns = time.monotonic_ns()
        killed = self._killed
        if self.steps[-1].lost or killed:
            await self._recover()
        emptied_ns = time.monotonic_ns()
        await self.empty()  # what undoes the setup needs memory, and is guarded until it does
        emptied_ns = time.monotonic_ns() - emptied_ns
        return self._way(t0_ns, emptied_ns, killed=killed)

    @property
    def _killed(self) -> bool:
        """Return whether the gateway's kernel had no memory left but the ballast's."""
        return self.ballast is not None and self.ballast.killed

    async def abort(self) -> None:
        """End the step's agents, whatever they do, and let the ballast go."""
        if self.stream:
            await self.stream.abort()
        if self.ballast:
            await self.ballast.end()

    async def _step(self, opened: Part, drained: Drained) -> Step:
        came = await self._open(opened, drained)
        if came.count(False) > max(1, HICCUP * opened.count):
            await asyncio.sleep(KILLS_S)
        if not all(came) and not self._killed:
            again = await self._open(opened, drained)
            came = [first or second for first, second in zip(came, again, strict=True)]
        lost = came.count(False)
        here = came.index(False) if lost else len(came)
        step = Step(self.steps[-1].flows + here, lost)
        if lost:
            with suppress(NodeError):  # only for a kill, which shows that it was for memory
                await self._serves()
            return step
        if not await self._serves():
            return step
        if not self.load.active_pps:
            return await self._idle(step)
        step.t0_ns = time.monotonic_ns()
        await self._work(step.flows, drained)
        step.t1_ns = time.monotonic_ns()
        return step

    async def _serves(self) -> bool:
        """Whether a gateway with memory of its own could start a program and kill none for it.

        Packets may use the kernel's last reserve. Without this test nobody would ask for memory
        before the reserve is used up, and then the kernel leaves no process alive.
        """
        if self.ballast:
            await self.gateway.run("true")
        return not self._killed

    async def _idle(self, step: Step) -> Step:
        step.t0_ns = time.monotonic_ns()
        await asyncio.sleep(self.load.duration_s)
        step.t1_ns = time.monotonic_ns()
        return step

    async def _open(self, opened: Part, drained: Drained) -> list[bool]:
        """Send one packet of each flow; returns which of them came through."""
        rate_pps = opened_pps(self.load)
        seconds = opened.count / rate_pps * LATE + GRACE_S
        few = replace(self.load, rate_pps=rate_pps, packets=opened.count, duration_s=seconds)
        way = await self._send(few, opened, drained)
        return [count > 0 for count in way.sink["flow"]["unique"]]

    async def _work(self, count: int, drained: Drained) -> None:
        """Keep all flows so far at work, one after the other."""
        at_work = replace(self.load, rate_pps=self.load.active_pps)
        await self._send(at_work, part(self.load, 0, count), drained)

    async def _send(self, load: Workload, opened: Part, drained: Drained) -> Way:
        sender, sink = PORTS
        # Ports at random have addresses that no host owns; which ports, we choose.
        shape = replace(load, kind="udp", flow_ports="random", flows=opened.count)
        shape = replace(shape, sender_port=sender, sink_port=sink)
        self.runs += 1
        self.stream = stream = Stream(self.wire, shape, self.placement, self.runs % RUNS)
        stream.flows = Flows(opened.near, opened.far)
        try:
            await stream.ready()
            way = await stream.go(drained)
        finally:
            await stream.abort()
        self.spent.add(way)
        return way

    async def _recover(self) -> None:
        """Wait a while for a gateway with memory of its own to answer again.

        It may be out of memory, and a command needs some (gateway/guard.py).
        """
        until = time.monotonic() + RECOVERY_S
        if self.ballast:
            self.ballast.release()
        while not isinstance(self.gateway, Here) and time.monotonic() < until:
            await asyncio.sleep(BREATH_S)
            with suppress(NodeError):
                await self.gateway.run("true")
                return

    def _way(self, t0_ns: int, emptied_ns: int, *, killed: bool) -> Way:
        steps = [
            {"flows": step.flows, "lost": step.lost, "t0_ns": step.t0_ns, "t1_ns": step.t1_ns}
            for step in self.steps
        ]
        sent: Report = {
            "t0_ns": t0_ns,
            "t1_ns": self.ended_ns,
            "cpu_ns": self.spent.sender_ns,
            "emptied_ns": emptied_ns,
            "asked": self.load.flows,
            "servers": self.load.servers,
            "killed": killed,
            "spare_bytes": self.spare_bytes,
            "steps": steps,
        }
        sender, sink = PORTS
        return Way(
            self.wire, sent, {"cpu_ns": self.spent.sink_ns}, {"sender": sender, "sink": sink}
        )


@reader("how long an entry of its table lasts")
def seconds(text: str) -> float:
    """A time that the kernel tells in seconds."""
    return float(int(text))
