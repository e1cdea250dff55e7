# SPDX-License-Identifier: Apache-2.0
"""A tool with a client and a server (iperf3, nuttcp) as one direction of a trial."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Self

from gatemark.error import InvalidTrialError, NodeError
from gatemark.kind.tool import host, program, tally
from gatemark.kind.tool.iperf3 import IPERF3
from gatemark.kind.tool.job import Job, Result, Tool
from gatemark.kind.tool.nuttcp import NUTTCP
from gatemark.kind.tool.program import MORTAL, Ended, Program
from gatemark.node import nobody
from gatemark.node.agent import Agent, Tick
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import Port, Wire
from gatemark.workload.way import Drained, Load, Report, Way

PAIRS: Final = {"iperf3": IPERF3, "nuttcp": NUTTCP}
LISTENING_S: Final = 5.0  # a server listens within
BEYOND_S: Final = 15.0  # a client shakes hands, waits for the last packets, fetches the results
SERVER_S: Final = 5.0  # a server ends after its client
WATCH_MS: Final = 50  # how often the sink's port is read, to know when sending began
BEGUN: Final = 0.02  # of all packets: more than a control connection makes
BY_ROUTE: Final = "{} did not choose congestion control: a route of the sending host named it"
ALLOWED: Final = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"  # to who is not root
PREFIX: Final = {"ipv4": ("-4", 32), "ipv6": ("-6", 128)}  # of one host


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One pair for each direction."""
    tool = PAIRS[spec.workload.driver]
    return [Pair(tool, wire, spec.workload, station.placement) for wire in ways]


class Watched:
    """One direction that a tool reports at its end alone: the sink's port tells when it began."""

    def __init__(self, wire: Wire, load: Workload, placement: Placement) -> None:
        self.wire = wire
        self.load = load
        self.placement = placement
        self._watch: Agent | None = None

    async def watch(self) -> None:
        """Be ready to read the sink's port. Raises NodeError."""
        lasts_s = self.load.settle_s + self.load.duration_s + BEYOND_S
        request = {
            "interval_ms": WATCH_MS,
            "samples": round(lasts_s * 1000 / WATCH_MS),
            "what": ["interfaces"],
            "devices": [self.wire.sink.device],
            "cpu": self.placement.sink,
        }
        self._watch = await Agent.launch(self.wire.sink.node, "watch", request)

    async def abort(self) -> None:
        """End what still runs."""
        if self._watch:
            await self._watch.abort()

    def reports(self, result: Result, seen: Report) -> tuple[Report, Report]:
        """Return the sender's and the sink's, with what the sink's port saw."""
        load, column = self.load, seen["interfaces"][self.wire.sink.device]["rx_packets"]
        span_ns = round(load.settle_s * 1e9) + round(result.seconds * 1e9)
        t0_ns = began_ns(seen["t_ns"], column, span_ns)
        source = {
            "t0_ns": t0_ns,
            "t1_ns": t0_ns + max(1, span_ns),
            "scheduled": round(load.rate_pps * load.duration_s if load.kind == "udp" else 0),
            "tried": result.sent,
            "flows": load.flows,
        }
        received = {
            "unique": result.received,
            "seconds": result.seconds,
            "bps": result.bps,
            "more": dict(result.more or {}),
            "port": {"t_ns": seen["t_ns"], "packets": column},
        }
        return source, received


class Pair(Watched):
    """One direction: the client on the LAN host, as through NAT it must be, the server beyond."""

    def __init__(self, tool: Tool, wire: Wire, load: Workload, placement: Placement) -> None:
        super().__init__(wire, load, placement)
        self.tool = tool
        self.job = Job(load, wire.far.address(load.family), wire.away)
        self._programs: list[Program] = []
        self._route: tuple[str, ...] = ()  # that names the congestion control
        self._version = tool.name

    async def ready(self) -> Self:
        """Let the server listen. Raises InvalidTrialError, UnavailableError."""
        self._version = await program.version(self.wire.near.node, self.tool.name)
        if self.load.kind == "tcp" and not await self._may_choose():
            self.job = replace(self.job, by_route=True)
            await self._congestion()
        self._start(self.wire.far, self.tool.serve(self.job), nobody.words())
        await self._listening()
        await self.watch()
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Call the server, wait until nothing is on its way any more, take both reports."""
        del tick  # these tools report at their end alone
        assert self._watch is not None
        ends = self.wire.source.node, self.wire.sink.node
        before = [await host.counts(node) for node in ends]
        await self._watch.start()
        client = self._start(self.wire.near, self.tool.call(self.job))
        ended = await client.ended(self.load.settle_s + self.load.duration_s + BEYOND_S)
        result = self._result(ended)
        served = await self._programs[0].ended(SERVER_S)
        await drained()
        seen = await self._watch.close()
        after = [await host.counts(node) for node in ends]
        moved = [host.risen(*pair) for pair in zip(before, after, strict=True)]
        return self._way(result, (ended, served), moved, seen)

    def _result(self, ended: Ended) -> Result:
        """The tool's report; it explains a failure better than an exit code."""
        if not ended.out.strip():
            program.succeeded(self.tool.name, ended)
        result = self.tool.read(self.job, ended.out)
        program.succeeded(self.tool.name, ended)
        return result

    async def abort(self) -> None:
        """End what still runs; give the sending host its routes back."""
        for process in self._programs:
            await process.abort()
        await super().abort()
        if self._route:
            await self._ip("del")

    def _start(self, end: Port, words: Sequence[str], rights: Sequence[str] = MORTAL) -> Program:
        started = Program.start(end.node, self._cpu(end), words, rights)
        self._programs.append(started)
        return started

    def _cpu(self, end: Port) -> int:
        """Return the CPU that our agents have: a program of the gateway is on the gateway's CPU."""
        if self.wire.own and end is self.wire.far:
            return self.placement.gateway
        return self.placement.sender if end is self.wire.source else self.placement.sink

    async def _listening(self) -> None:
        """Until the server's port is open (/proc/net/tcp: state 0A)."""
        port, loop = self.tool.port(self.job), asyncio.get_running_loop()
        until = loop.time() + LISTENING_S
        while loop.time() < until:
            sockets = await self.wire.far.node.run("cat", "/proc/net/tcp", "/proc/net/tcp6")
            if re.search(rf":{port:04X} \S+ 0A ", sockets):
                return
            await asyncio.sleep(0.02)
        raise InvalidTrialError(f"{self.tool.name}: its server did not listen on port {port}")

    async def _may_choose(self) -> bool:
        """Return whether the tool sets TCP's congestion control, and its server, as nobody, may."""
        allowed = await self.wire.far.node.run("cat", ALLOWED) if self.tool.sets_congestion else ""
        return self.load.congestion in allowed.split()

    async def _congestion(self) -> None:
        """Let a route name it for a tool that may not: a namespace's own preset may not be cubic.

        Congestion control is the sender's alone (ip-route(8), congctl).
        """
        wire, family = self.wire, self.load.family
        hop = ("via", wire.next_hop.address(family)) if wire.next_hop != wire.target else ()
        target = f"{wire.target.address(family)}/{PREFIX[family][1]}"
        route = (target, *hop, "dev", wire.source.device, "congctl", self.load.congestion)
        self._route = route
        try:
            await self._ip("add")
        except NodeError:
            self._route = ()
            raise

    async def _ip(self, verb: str) -> None:
        family = PREFIX[self.load.family][0]
        await self.wire.source.node.run("ip", family, "route", verb, *self._route)

    def _way(
        self, result: Result, ends: tuple[Ended, Ended], moved: list[host.Counts], seen: Report
    ) -> Way:
        client, server = ends
        sender, sink = (client, server) if self.wire.away else (server, client)
        source, received = self.reports(result, seen)
        source |= {"cpu_ns": sender.cpu_ns, "host": moved[0]}
        received |= {"cpu_ns": sink.cpu_ns, "host": moved[1]}
        settle_ns = round(self.load.settle_s * 1e9)
        ports = dict.fromkeys(("sender", "sink"), self._version)
        way = Way(self.wire, source, received, ports, settle_ns, program=self.tool.name)
        if self.load.kind == "udp":
            return way.noted(tally.notes(way))
        return way.noted((BY_ROUTE.format(self.tool.name),)) if self._route else way


def began_ns(t_ns: Sequence[int], packets: Sequence[int], span_ns: int) -> int:
    """When sending began, by a port's counter: a tool reports how long it sent, not when."""
    total = packets[-1] - packets[0]
    for at, count in zip(t_ns, packets, strict=True):
        share = (count - packets[0]) / total if total else 1.0
        if share > BEGUN:
            return int(at - share * span_ns)
    return t_ns[0]
