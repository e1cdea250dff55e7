# SPDX-License-Identifier: Apache-2.0
"""UDP at a rate: one sender and one sink for each direction, every packet accounted for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Self

from msgspec.structs import replace

from gatemark.node.agent import Agent, Tick
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.netns import Lab
from gatemark.station.wiring import LAN_PORT, WAN_PORT, Wire, wires
from gatemark.workload.way import BIN_MS, FAMILY, GRACE_S, Load, Way, tick_ms

OPEN_PPS = 5000
# How the agents reach the wire; the gateway itself is a program with a plain socket.
SENDER_PORT, SINK_PORT, OWN_PORT = "raw", "ring", "udp"
OWN_SOURCE = WAN_PORT + 1  # the gateway's own program may be listening on WAN_PORT


async def loads(station: Lab, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One stream for each direction."""
    load, placement, number = spec.workload, station.placement, spec.sequence % 256
    own = lan_ports(load.flows)
    mapped = own
    if spec.arm.path == "nat" and load.direction != "up":
        (up,) = wires(station.ports, "nat", "up")
        mapped = await open_mappings(up, load, placement, number)
    return [Stream(wire, load, placement, number, own if wire.away else mapped) for wire in ways]


class Stream:
    """One direction of a trial.

    `flow_ports` are the LAN side's ports as the sender must use them: its own for traffic up, and
    down those by which the flows are known at the gateway's WAN side.
    """

    def __init__(
        self, wire: Wire, load: Workload, placement: Placement, run: int, flow_ports: Sequence[int]
    ) -> None:
        self.wire = wire
        self.load = load
        self.placement = placement
        self.run = run
        self.flow_ports = list(flow_ports)
        self._sender: Agent | None = None
        self._sink: Agent | None = None

    async def ready(self) -> Self:
        """Bring sink and sender to their start. Raises NodeError."""
        self._sink = await Agent.launch(self.wire.sink.node, "sink", self._sink_request())
        self._sender = await Agent.launch(self.wire.source.node, "send", self._send_request())
        return self

    async def go(self, drained: Callable[[], Awaitable[None]], tick: Tick | None = None) -> Way:
        """Send, wait until nothing is on its way any more, and take both reports."""
        assert self._sender is not None
        assert self._sink is not None
        await self._sink.start()
        await self._sender.start()
        sent = await self._sender.done(self.load.duration_s + GRACE_S)
        await drained()
        ports = {"sender": self._sender.ready["port"], "sink": self._sink.ready["port"]}
        return Way(self.wire, sent, await self._sink.close(tick), ports)

    async def abort(self) -> None:
        """End both agents, whatever they do."""
        for agent in (self._sender, self._sink):
            if agent:
                await agent.abort()

    def _send_request(self) -> dict[str, Any]:
        load, wire = self.load, self.wire
        own = wire.own and not wire.away
        far_port = OWN_SOURCE if own else WAN_PORT
        request = {
            "port": OWN_PORT if own else SENDER_PORT,
            "device": wire.source.device,
            "family": FAMILY[load.family],
            "src": wire.source.address(load.family),
            "dst": wire.target.address(load.family),
            "src_port": self.flow_ports if wire.away else far_port,
            "dst_port": WAN_PORT if wire.away else self.flow_ports,
            "flows": load.flows,
            "frame_bytes": load.frame_bytes,
            "rate_pps": load.rate_pps,
            "duration_ms": round(load.duration_s * 1000),
            "burst": load.burst,
            "cap_pps": load.cap_pps,
            "run": self.run,
            "cpu": self.placement.gateway if own else self.placement.sender,
        }
        return request if own else request | {"dst_mac": wire.next_hop.mac}

    def _sink_request(self) -> dict[str, Any]:
        load = self.load
        own = self.wire.own and self.wire.away
        return {
            "port": OWN_PORT if own else SINK_PORT,
            "device": self.wire.sink.device,
            "family": FAMILY[load.family],
            "dst_port": WAN_PORT if self.wire.away else lan_ports(load.flows),
            "flows": load.flows,
            "bin_ms": BIN_MS,
            "run": self.run,
            "cpu": self.placement.gateway if own else self.placement.sink,
            "tick_ms": tick_ms(load.duration_s),
        }


def lan_ports(flows: int) -> list[int]:
    """The LAN side's own port of each flow."""
    return [LAN_PORT + flow for flow in range(flows)]


async def open_mappings(up: Wire, load: Workload, placement: Placement, run: int) -> list[int]:
    """Send one packet of each flow up through NAT; returns the ports that the WAN host saw.

    Traffic down through a masquerade reaches the LAN host only as the answer to such a flow.
    """
    few = replace(
        load, rate_pps=OPEN_PPS, duration_s=max(0.05, load.flows / OPEN_PPS * 1.5), cap_pps=0.0
    )
    stream = Stream(up, few, placement, run, lan_ports(load.flows))
    try:
        await stream.ready()
        way = await stream.go(partial(asyncio.sleep, 0.05))
    finally:
        await stream.abort()
    return list(way.sink["flow"]["source_port"])
