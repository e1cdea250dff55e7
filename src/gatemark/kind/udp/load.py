# SPDX-License-Identifier: Apache-2.0
"""UDP at a rate: one sender and one sink for each direction, every packet accounted for."""

import math
import secrets
from collections.abc import Sequence
from typing import Any, Self

from msgspec.structs import replace

from gatemark.error import InvalidTrialError, NodeError
from gatemark.node.agent import Agent, Tick, unfiltered
from gatemark.node.clock import Pair
from gatemark.node.shell import Clock, Node
from gatemark.node.shield import together
from gatemark.plan.crowd import is_crowd
from gatemark.plan.feature import TRANSLATED
from gatemark.plan.line.time import line_bits, longest_s
from gatemark.plan.mix import frames
from gatemark.plan.model import Among, Line, TrialSpec, Turn, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import WAN_PORT, Port, Wire, wires
from gatemark.workload.flows import far_address, flows, near_address
from gatemark.workload.way import (
    BIN_MS,
    FAMILY,
    GRACE_S,
    Drained,
    Load,
    Numbering,
    Report,
    Way,
    soon,
    tick_ms,
)

LATE_S = 60.0  # bins of the rate beyond the duration
OPEN_PPS, OPENED_IN_S = 5000, 5.0  # mappings are opened so fast, or all in so long
ALONE = Turn()
ONLY = Among()
RUNS_APART = 37  # between the runs of two workloads of a trial; that of the next trial is 1 away
SPUN_PPS = 2000.0  # the last part of each wait is spun, 0.1 ms of a CPU
# The sink's ledger has room for as many packets as are due; where nothing is due, for as many as
# no sender ever sent. There is none where that is more than one line of a report holds.
MOST_PPS = 6e6
# A number beyond what can have been sent is a stranger's. Where nothing is due, every sender is
# slower than this.
FASTEST_PPS = 3e7
KEY_BYTES = 16
LEDGER_MOST_BYTES = 22 << 20
TIMED_FLOWS, TIMED_PPS = 256, 40_000.0  # at most: of these the delay of each flow is kept
SILENT_GAPS = 5  # of the schedule; a time without an arrival is longer, and than SILENT_US
SILENT_US = 4500  # a sink keeps 256 of them: batches through a slowed gateway leave 2 ms each
AUTO = "auto"  # the best port that opens
OWN_PORT = "udp"  # the gateway itself is a program with a plain socket
OWN_SOURCE = WAN_PORT + 1  # the gateway's own program may be listening on WAN_PORT


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One stream for each direction."""
    load, placement = spec.workload, station.placement
    number = (spec.sequence + RUNS_APART * spec.among.at) % 256
    mapped: list[int] = []
    if spec.arm.path in TRANSLATED and load.direction != "up":
        (up,) = wires(station.ports, spec.arm.path, "up")
        mapped = await open_mappings(up, load, placement, number, spec.among, spec.line)
    streams = [
        Stream(wire, load, placement, number, () if wire.away else mapped, spec.turn)
        for wire in ways
    ]
    for stream in streams:
        stream.seed = spec.repeat  # from 1; the same for all arms, which are compared
        stream.place(spec.among)
    return streams


class Stream:
    """One direction of a trial.

    `mapped` are the ports of the flows at the gateway's WAN side, for traffic down through NAT.
    `turn` is the place of this stream among those that are interleaved. With a `seed` flows'
    order is drawn anew in each round, and the sink keeps which packets came.
    """

    def __init__(
        self,
        wire: Wire,
        load: Workload,
        placement: Placement,
        run: int,
        mapped: Sequence[int] = (),
        turn: Turn = ALONE,
    ) -> None:
        self.wire = wire
        self.load = load
        self.placement = placement
        self.run = run
        self.flows = flows(load)
        self.mapped = list(mapped)
        self.turn = turn
        self.seed = 0
        self.among = ONLY
        self.key = secrets.token_hex(KEY_BYTES) if is_tagged(wire) else ""
        self._why = ""  # the sender has no better port
        self._sender: Agent | None = None
        self._sink: Agent | None = None
        self._clocks: Pair | None = None

    def place(self, among: Among) -> None:
        """Give it the ports of its place among the workloads of a trial."""
        self.among = among
        self.flows = flows(self.load, among.at)

    async def ready(self) -> Self:
        """Bring sink and sender to their start. Raises NodeError."""
        source, sink = self.wire.source.node, self.wire.sink.node
        self._clocks = clocks = await Pair.read(source, sink)
        request = self._sink_request()
        if clocks.wrapped_ns:
            request["clock_ns"] = clocks.wrapped_ns
        if clocks.is_one:
            request["most_pps"] = self.load.rate_pps or FASTEST_PPS
        await together(  # each is kept as it comes, for `abort`
            self._launch_sink(sink, request, clocks.sink),
            self._launch_sender(source, clocks.sender),
        )
        return self

    async def _launch_sink(self, host: Node, request: dict[str, Any], its_clock: Clock) -> None:
        self._sink = await Agent.launch(host, "sink", request, its_clock=its_clock)

    async def _launch_sender(self, host: Node, its_clock: Clock) -> None:
        request, source, longest = self._send_request(), self.wire.source, max(frames(self.load))
        if request["port"] == AUTO and longest in source.reached:
            request["port"], self._why = source.reached[longest]
        try:
            self._sender = await Agent.launch(host, "send", request, its_clock=its_clock)
        except NodeError:
            source.reached.clear()
            raise
        if request["port"] == AUTO:
            self._why = _passed(self._sender.ready)
            if source.shared:
                source.reached[longest] = self._sender.ready["port"], self._why

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Send, wait until nothing is on its way any more, and take both reports."""
        assert self._sender is not None
        assert self._sink is not None
        assert self._clocks is not None
        await self._sink.start()
        await self._sender.start()
        sent = await self.sent(self._sender)
        await drained(self.wire, int(sent["tried"]) - int(sent["refused"]))
        ends = {"sender": self._sender.ready, "sink": self._sink.ready}
        reasons = {"sender": self._why, "sink": _passed(self._sink.ready)}
        return Way(
            self.wire,
            sent,
            await self._sink.finish(tick),
            ports={end: ready["port"] for end, ready in ends.items()},
            port_reasons={end: why for end, why in reasons.items() if why},
            numbering=self._numbering() if self.seed else None,
            notes=unfiltered(self._sender, self._sink),
        ).timed(await self._clocks.again())

    async def sent(self, sender: Agent) -> Report:
        """Wait for the sender's end; returns its report."""
        return await sender.report(self.load.duration_s + GRACE_S)

    async def abort(self) -> None:
        """End both agents, whatever they do."""
        for agent in (self._sender, self._sink):
            if agent:
                await agent.abort()

    def _send_request(self) -> dict[str, Any]:
        load, wire = self.load, self.wire
        own = wire.own and not wire.away
        request = {
            "port": OWN_PORT if own else self._reached(load.sender_port, wire.source, "raw"),
            "device": wire.source.device,
            "family": FAMILY[load.family],
            **(self._up() if wire.away else self._down()),
            "flows": load.flows,
            "seed": self.seed,
            "frame_bytes": list(frames(load)),
            "rate_pps": load.rate_pps,
            "duration_ms": round(load.duration_s * 1000),
            "packets": load.packets,
            "burst": load.burst,
            "cap_pps": load.cap_pps,
            "run": self.run,
            "cpu": self.placement.gateway if own else self.placement.sender,
            "lo_is_silent": int(not (own or wire.source.shared or self.among.is_mixed)),
        }
        request |= self._tag() | self._mark() | _turns(self.turn) | self._beside()
        return request if own else request | {"dst_mac": wire.next_hop.mac}

    def _up(self) -> dict[str, Any]:
        return {
            "src": near_address(self.wire, self.load),
            "src_count": self.load.clients,
            "src_port": self.flows.near,
            "dst": self.wire.target.address(self.load.family)
            if self.wire.hairpin
            else far_address(self.wire, self.load),
            "dst_port": self.flows.far,
        }

    def _down(self) -> dict[str, Any]:
        """The addresses and ports towards the LAN side, or towards the gateway behind NAT."""
        wire, load, translated = self.wire, self.load, bool(self.mapped)
        target = wire.target.address(load.family)
        return {
            "src": far_address(wire, load),
            # The gateway's own program may be listening on WAN_PORT.
            "src_port": OWN_SOURCE if wire.own else self.flows.far,
            "dst": target if translated else near_address(wire, load),
            "dst_count": 1 if translated else load.clients,
            "dst_port": self.mapped if translated else self.flows.near,
        }

    def _sink_request(self) -> dict[str, Any]:
        load = self.load
        own = self.wire.own and self.wire.away
        listened = self.flows.far if self.wire.away else self.flows.near
        request = {
            "port": OWN_PORT if own else self._reached(load.sink_port, self.wire.sink, "ring"),
            "device": self.wire.sink.device,
            "family": FAMILY[load.family],
            "dst_port": [] if is_crowd(load) else listened,  # none: any, of an address without host
            "flows": load.flows,
            "bin_ms": BIN_MS,
            "bins": round((load.duration_s + LATE_S) * 1000 / BIN_MS),
            "run": self.run,
            "cpu": self.placement.gateway if own else self.placement.sink,
            "tick_ms": tick_ms(load.duration_s),
            "most_packets": numbers(load, FASTEST_PPS),
        }
        kept = ledger(load) | {"seed": self.seed} if self.seed else {}
        return request | self._tag() | self._mark() | kept

    def _reached(self, asked: str, port: Port, stack: str) -> str:
        """How an agent reaches a port. Beside others by the stack, as they need the port too."""
        if asked == AUTO and self.among.is_mixed:
            return stack
        return _counted(asked, port, stack)

    def _beside(self) -> dict[str, int]:
        """A fast sender beside others sleeps until a packet is due: it would take all of a CPU."""
        fast = not 0 < self.load.rate_pps <= SPUN_PPS
        return {"rests": 1} if self.among.is_mixed and fast else {}

    def _tag(self) -> dict[str, str]:
        return {"key": self.key} if self.key else {}

    def _mark(self) -> dict[str, int]:
        return {"dscp": self.load.dscp} if self.load.dscp else {}

    def _numbering(self) -> Numbering:
        load, near = self.load, self.flows.near
        ports = near if len(near) == load.flows else near * load.flows
        return Numbering(load.flows, frames(load), tuple(ports), load.rate_pps)


def ledger(load: Workload) -> dict[str, Any]:
    """A sink's keys, so that it keeps which packets came, if they are not too many.

    At a low rate also how late those of each flow were: that takes the sink time.
    """
    kept = numbers(load, MOST_PPS)
    silent_us = max(SILENT_US, math.ceil(SILENT_GAPS * 1e6 / (load.rate_pps or MOST_PPS)))
    fits = -(-kept // 64) * 8 * load.flows <= LEDGER_MOST_BYTES
    is_timed = fits and 1 < load.flows <= TIMED_FLOWS and 0 < load.rate_pps <= TIMED_PPS
    timed = {"delay": "flow"} if is_timed else {}
    return {"silence_us": silent_us} | ({"ledger": kept} if fits else {}) | timed


def numbers(load: Workload, fastest_pps: float) -> int:
    """Return the most packets that a flow sends; `fastest_pps`: where nothing is due."""
    due = load.packets or (load.rate_pps or fastest_pps) * load.duration_s
    return math.ceil(due / load.flows) + 1  # the last round may be a part of one


def is_tagged(wire: Wire) -> bool:
    """On a real cable; but a tag would be the gateway's own work where it is an end itself."""
    return (wire.source.shared or wire.sink.shared) and not wire.own


def _counted(asked: str, port: Port, stack: str) -> str:
    """How an agent reaches a port: as asked, or by the kernel's stack where that alone counts.

    A tap does not count frames that it got or gave by XDP (drivers/net/tun.c, tun_xdp_xmit).
    """
    return stack if asked == AUTO and port.raw else asked


def _turns(turn: Turn) -> dict[str, int]:
    """A sender sleeps until its turn, as others send on the same CPU meanwhile."""
    if not turn.of:
        return {}
    length = {"turn_us": round(turn.ms * 1000)}
    return length | {"turns": turn.of, "turn": turn.at, "rests": 1}


def _passed(ready: dict[str, Any]) -> str:
    """Why an agent had no better port: `live: not permitted; afxdp: ...`."""
    return "; ".join(f"{port}: {why}" for port, why in ready.get("passed_over", {}).items())


async def open_mappings(
    up: Wire,
    load: Workload,
    placement: Placement,
    run: int,
    among: Among = ONLY,
    line: Line | None = None,
) -> list[int]:
    """Send one packet of each flow up through NAT; returns the ports that the WAN host saw.

    Traffic down through a masquerade reaches the LAN host only as the answer to such a flow. An
    emulated line has room for all of them, and none of them in it when the trial begins.
    """
    rate_pps = max(OPEN_PPS, load.flows / OPENED_IN_S)
    if line and line.up.rate_bps:
        rate_pps = min(rate_pps, line.up.rate_bps / line_bits(line.up, max(frames(load))) / 2)
    seconds = max(0.05, load.flows / rate_pps * 1.5)
    few = replace(load, rate_pps=rate_pps, duration_s=seconds, cap_pps=0.0, packets=0)
    stream = Stream(up, few, placement, run)
    stream.place(among)
    try:
        await stream.ready()
        way = await stream.go(soon(0.05 + (longest_s(line) if line else 0.0)))
    finally:
        await stream.abort()
    known = list(way.sink["flow"]["source_port"])
    if lost := sum(port < 1 for port in known):
        raise InvalidTrialError(f"{lost} of {load.flows} flows could not be opened through NAT")
    return known
