# SPDX-License-Identifier: Apache-2.0
"""TCP as fast as it goes: a source that writes blocks and a sink that reads them.

Connections are opened from the LAN side, whichever way the data goes, as NAT requires; the far end
listens. Goodput counts: bytes that the receiving program read while the source wrote.
"""

from collections.abc import Sequence
from typing import Any, Self

from gatemark.kind.tcp.plan import MOST_STREAMS
from gatemark.node.agent import Agent, Tick, unfiltered
from gatemark.plan.model import Among, TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import LAN_PORT, Port, Wire
from gatemark.workload.peers import peers, strangers
from gatemark.workload.way import BIN_MS, FAMILY, GRACE_S, Drained, Load, Way, tick_ms

# The far end listens on a port of its own for each direction, so that both can run at once.
LISTEN_PORT = {"up": 5001, "receive": 5001, "down": 5002, "send": 5002}
NEAR_PORT = {"up": LAN_PORT, "receive": LAN_PORT, "down": LAN_PORT + 1000, "send": LAN_PORT + 1000}
# Beside others: below all ports of flows and connections, MOST_STREAMS for each direction.
BESIDE_PORT, BESIDE_PORTS = 10_000, 512
ALONE = Among()
SAMPLES = 50  # of TCP_INFO in a trial, at least every SLOWEST_MS
FASTEST_MS, SLOWEST_MS = 20, 500


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One transfer for each direction."""
    load, path = spec.workload, spec.arm.path
    return [
        Transfer(wire, load, station.placement, peers(station.ports, wire, path, load), spec.among)
        for wire in ways
    ]


def listening(direction: str, among: Among = ALONE) -> int:
    """Return the port of the far end."""
    return LISTEN_PORT[direction] + 2 * among.at


class Transfer:
    """One direction of a TCP trial. `peers`: whose connections the far end takes; none: any."""

    def __init__(
        self,
        wire: Wire,
        load: Workload,
        placement: Placement,
        peers: Sequence[str] = (),
        among: Among = ALONE,
    ) -> None:
        self.among = among
        self.wire = wire
        self.peers = peers
        self.load = load
        self.placement = placement
        self._listener: Agent | None = None
        self._connector: Agent | None = None

    async def ready(self) -> Self:
        """Open the connections. Raises NodeError."""
        near, far = self.wire.near, self.wire.far
        self._listener = await Agent.launch(far.node, "stream", self.request(far))
        self._connector = await Agent.launch(near.node, "stream", self.request(near))
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Write until the time is over, and take both reports."""
        assert self._listener is not None
        assert self._connector is not None
        ends = self._connector, self._listener
        source, sink = ends if self.wire.away else ends[::-1]
        await sink.start()
        await source.start()
        sent = await source.report(self.load.settle_s + self.load.duration_s + GRACE_S)
        await drained()
        ports = {"sender": "tcp", "sink": "tcp"}
        settle_ns = round(self.load.settle_s * 1e9)
        read = await sink.finish(tick)
        way = Way(self.wire, sent, read, ports, settle_ns, notes=strangers(sent, read))
        return way.noted(unfiltered(source, sink))

    async def abort(self) -> None:
        """End both agents, whatever they do."""
        for agent in (self._connector, self._listener):
            if agent:
                await agent.abort()

    def request(self, end: Port) -> dict[str, Any]:
        """Return the request to one end (agent/PROTOCOL.md, stream)."""
        load = self.load
        duration_ms = round((load.settle_s + load.duration_s) * 1000)
        return {
            "device": end.device,
            "family": FAMILY[load.family],
            "src": end.address(load.family),
            "streams": load.streams,
            "write_bytes": load.write_bytes,
            "socket_buffer_bytes": load.socket_buffer_bytes,
            "congestion": load.congestion,
            "dscp": load.dscp,
            "duration_ms": duration_ms,
            "cpu": self._cpu(end),
            **self._opening(end),
            **self._role(end, duration_ms),
        }

    def _opening(self, end: Port) -> dict[str, Any]:
        listen = {"open": "listen", "src_port": listening(self.wire.direction, self.among)}
        if end is self.wire.far:
            return listen | {"peers": list(self.peers)}
        return {
            "open": "connect",
            "src_port": self._near_port(),
            "dst": self.wire.reached(self.load.family),
            "dst_port": listen["src_port"],
        }

    def _near_port(self) -> int:
        if not self.among.at:
            return NEAR_PORT[self.wire.direction]
        return BESIDE_PORT + BESIDE_PORTS * self.among.at + (0 if self.wire.away else MOST_STREAMS)

    def _role(self, end: Port, duration_ms: int) -> dict[str, Any]:
        if end is self.wire.source:
            sample_ms = min(SLOWEST_MS, max(FASTEST_MS, duration_ms // SAMPLES))
            return {"role": "source", "sample_ms": sample_ms}
        return {"role": "sink", "bin_ms": BIN_MS, "tick_ms": tick_ms(self.load.duration_s)}

    def _cpu(self, end: Port) -> int:
        """The gateway's program on the gateway's CPU; the hosts' where their ports are steered."""
        if self.wire.own and end is self.wire.far:
            return self.placement.gateway
        return self.placement.sender if end is self.wire.near else self.placement.sink
