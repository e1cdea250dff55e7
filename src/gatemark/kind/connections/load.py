# SPDX-License-Identifier: Apache-2.0
"""Many TCP connections: opened until one fails, opened and closed as fast as it goes, or held.

The LAN host opens, the far end accepts and echoes a message of 16 bytes. LAN hosts beyond the first
are further addresses of its port.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Self

from gatemark.error import GatemarkError
from gatemark.kind.connections.plan import MOST_CONNECTIONS, most_connections
from gatemark.node.agent import Agent, Tick, unfiltered
from gatemark.node.shell import Node
from gatemark.plan.model import TrialSpec, Workload
from gatemark.plan.sane import MOST_CLIENTS, PORTS_A_CLIENT
from gatemark.probe import connections
from gatemark.station.cpu import Placement
from gatemark.station.lent import alias
from gatemark.station.lent.borrowed import Borrowed
from gatemark.station.station import Station
from gatemark.station.wiring import LAN_PORT, Wire
from gatemark.workload.peers import peers, strangers
from gatemark.workload.way import FAMILY, GRACE_S, Drained, Load, Way, tick_ms

SERVER_PORT: Final = 6001  # the first; there are as many as clients
AHEAD: Final = 64  # opened at the same time
TIMEOUT_S: Final = 5.0  # an answer that takes longer is none: two repetitions of a SYN (RFC 6298)
VERIFY_S: Final = 120.0  # to ask a million once more, on a slow tester
OPENING_S: Final = 600.0  # what an agent gives itself to open those that are to be held
CRR_AT_ONCE: Final = 64
MODE: Final = {"open": "open", "crr": "crr", "hold": "hold"}

# Memory of this machine that is not given to connections; what one takes, both ends, at the most.
SPARE_BYTES: Final = 1 << 30
CONNECTION_BYTES: Final = 10_000


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One set of connections: they are opened from the LAN side alone."""
    gateway = None if spec.arm.path == "direct" else station.gateway.node
    load, path = spec.workload, spec.arm.path
    return [
        Connections(
            wire,
            load,
            station.placement,
            gateway,
            peers(station.ports, wire, path, load),
            SERVER_PORT + MOST_CLIENTS * spec.among.at,
        )
        for wire in ways
    ]


def asked_for(load: Workload, available_bytes: int) -> tuple[int, str]:
    """How many connections a trial tries, and what bounds them: `asked`, `tuples`, `memory`."""
    if load.connecting == "crr":
        return load.connections or CRR_AT_ONCE, "asked"
    wanted = load.connections or MOST_CONNECTIONS
    most = {
        "asked": wanted,
        "tuples": most_connections(load.clients),
        "memory": max(1000, (available_bytes - SPARE_BYTES) // CONNECTION_BYTES),
    }
    bound = min(most, key=lambda name: most[name])
    return most[bound], bound


class Connections:
    """The connections of a trial.

    `served` is how many the far end takes at once, `peers` are the hosts of which; none: any.
    """

    def __init__(
        self,
        wire: Wire,
        load: Workload,
        placement: Placement,
        gateway: Node | None = None,
        peers: Sequence[str] = (),
        server_port: int = SERVER_PORT,
    ) -> None:
        self.wire = wire
        self.server_port = server_port
        self.peers = peers
        self.load = load
        self.placement = placement
        self.gateway = gateway
        self.count, self.bound = asked_for(load, connections.available_bytes())
        self.served = MOST_CONNECTIONS if load.connecting == "crr" else self.count
        self.addresses = alias.clients(wire.near, load.family, load.clients)
        self._server: Agent | None = None
        self._client: Agent | None = None
        self._lent: Borrowed | None = None  # the clients' addresses

    async def ready(self) -> Self:
        """Bring both ends to their start. Raises NodeError, StationError."""
        if len(self.addresses) > 1:
            near, hop = self.wire.near, self.wire.next_hop
            self._lent = await alias.lend(near, self.load.family, len(self.addresses))
            if hop.node != self.gateway:
                await alias.introduce(near, hop, self.addresses)
        self._server = await Agent.launch(self.wire.far.node, "connect", self.server_request())
        self._client = await Agent.launch(self.wire.near.node, "connect", self.client_request())
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Open, ask, hold; read what that takes; take both reports."""
        assert self._server is not None
        assert self._client is not None
        before, kernel_bytes = await self._table(), connections.kernel_bytes()
        await self._server.start()
        await self._client.start()
        if self.load.connecting == "crr":
            sent = await self._client.done(self.load.duration_s + TIMEOUT_S + GRACE_S, tick)
            table = connections.rise(before, await self._table())
        else:
            await self._client.event("opened", self._opening_s(), tick)
            kernel_bytes = connections.kernel_bytes() - kernel_bytes
            table = connections.rise(before, await self._table())
            sent = await self._held(tick)
        await drained()
        served = await self._server.close()
        await self._clear()
        seen = {"conntrack": table, "kernel_bytes": kernel_bytes, "bound": self.bound}
        ports = {"sender": "tcp", "sink": "tcp"}
        way = Way(self.wire, sent, self._sink(served) | seen, ports, notes=strangers(sent, served))
        return way.noted(unfiltered(self._client, self._server))

    async def abort(self) -> None:
        """End both agents, whatever they do, and take the addresses away."""
        for agent in (self._client, self._server):
            if agent:
                await agent.abort()
        with suppress(GatemarkError):  # the lab may be gone
            await self._clear()

    async def _clear(self) -> None:
        if self._lent:
            lent, self._lent = self._lent, None
            await lent.give_back()

    async def _table(self) -> dict[str, int]:
        return await connections.table(self.gateway) if self.gateway else {}

    async def _held(self, tick: Tick | None) -> dict[str, Any]:
        """Those of `open` are held until they are let go, the others for their time."""
        assert self._client is not None
        if self.load.connecting == "open":
            return await self._client.close(tick)
        return await self._client.done(self.load.duration_s + VERIFY_S + GRACE_S, tick)

    def _opening_s(self) -> float:
        is_open = self.load.connecting == "open"
        return (self.load.duration_s if is_open else OPENING_S) + VERIFY_S + TIMEOUT_S + GRACE_S

    def _sink(self, served: dict[str, Any]) -> dict[str, Any]:
        """The server's report, its CPU time being that of what is measured."""
        opening_ns = served["cpu_accept_ns"]
        match self.load.connecting:
            case "open":
                return served | {"cpu_ns": opening_ns}
            case "hold":
                return served | {"cpu_ns": served["cpu_ns"] - opening_ns}
        return served

    def server_request(self) -> dict[str, Any]:
        """Return the request to the far end (agent/PROTOCOL.md, connect)."""
        return {
            "role": "server",
            "mode": MODE[self.load.connecting],
            "family": FAMILY[self.load.family],
            "src": self.wire.far.address(self.load.family),
            "src_port": self.server_port,
            "src_ports": self.load.clients,
            "peers": list(self.peers),
            "connections": self.served,
            "cpu": self.placement.gateway if self.wire.own else self.placement.sink,
        }

    def client_request(self) -> dict[str, Any]:
        """Return the request to the LAN host."""
        load = self.load
        return {
            "role": "client",
            "mode": MODE[load.connecting],
            "family": FAMILY[load.family],
            "src": self.addresses[0],
            "src_count": len(self.addresses),
            "src_port": LAN_PORT,
            "src_ports": PORTS_A_CLIENT,
            "dst": self.wire.reached(load.family),
            "dst_port": self.server_port,
            "dst_ports": load.clients,
            "connections": self.count,
            "ahead": AHEAD,
            "active_pps": load.active_pps,
            "duration_ms": round(load.duration_s * 1000),
            "timeout_ms": round(TIMEOUT_S * 1000),
            "cpu": self.placement.sender,
            "tick_ms": tick_ms(load.duration_s),
        }
