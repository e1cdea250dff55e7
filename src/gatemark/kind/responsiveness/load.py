# SPDX-License-Identifier: Apache-2.0
"""A responsiveness test as one load of a trial: a server on the WAN host, a client on the LAN's.

Both are Python programs of ours, so their hosts are of this machine. The gateway only forwards.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Self

from gatemark.error import NodeError
from gatemark.kind.responsiveness.draft import IDLE_PAIRS, LATE_S, MAD, most_intervals
from gatemark.kind.responsiveness.tls import certificate
from gatemark.node import isolated
from gatemark.node.agent import Agent, Tick
from gatemark.node.shell import FIRST, Node, Process, here
from gatemark.plan.model import Among, Line, TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.peers import peers, strangers
from gatemark.workload.way import FAMILY, GRACE_S, Drained, Load, Report, Way, tick_ms

PORT: Final = 4043  # of the first workload
ALONE: Final = Among()
SEED: Final = 1  # of which load connection a self probe is beside
STARTING_S: Final = 20.0  # Python, its modules, on a machine with other work
# Opening the first connections, and the idle probes, on the slowest of ways.
BEFORE_S: Final = (3 + IDLE_PAIRS / 10) * LATE_S


class Program(Agent):
    """One of our two programs, which talks as gm-agent does."""

    program = "responsiveness"

    @classmethod
    async def begin(cls, node: Node, verb: str) -> Process:
        """Start another Python. Raises UnavailableError where the host is another machine."""
        here(node)
        return await node.start(*FIRST, *isolated.python(f"gatemark.kind.responsiveness.{verb}"))


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One test, whichever directions it loads."""
    load, path = spec.workload, spec.arm.path
    allowed = peers(station.ports, ways[0], path, load)
    return [Pair(ways, load, station.placement, allowed, spec.among, spec.line)]


def capacity_bps(line: Line | None, directions: Sequence[str]) -> float:
    """Return the rate that the line's loaded directions take together; 0: not known."""
    if line is None:
        return 0.0
    rates = [{"up": line.up, "down": line.down}[way].rate_bps for way in directions]
    return sum(rates) if all(rates) else 0.0


def reopened(client: Report) -> tuple[str, ...]:
    """A note on load connections whose handshakes were lost in a full queue."""
    count = int(client.get("reopened", 0))
    note = f"{count} load connections did not open at first and were opened again"
    return (note,) if count else ()


class Pair:
    """Client and server. `wires` are the loaded directions, `peers` whom the server answers."""

    def __init__(
        self,
        wires: Sequence[Wire],
        load: Workload,
        placement: Placement,
        peers: Sequence[str] = (),
        among: Among = ALONE,
        line: Line | None = None,
    ) -> None:
        self.among = among
        self.line = line
        self.wires = wires
        self.load = load
        self.placement = placement
        self.peers = peers
        self._server: Agent | None = None
        self._client: Agent | None = None

    async def ready(self) -> Self:
        """Start both. Raises NodeError, UnavailableError."""
        near, far = self.wires[0].near, self.wires[0].far
        pem, key = certificate([far.address(self.load.family)]) if self.load.tls else ("", "")
        asked = self.request(pem)
        self._server = await Program.launch(
            far.node,
            "server",
            asked | {"key": key, "peers": list(self.peers), "cpu": self.placement.sink},
            STARTING_S,
        )
        self._client = await Program.launch(near.node, "client", asked | self.test(), STARTING_S)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Test until it is stable, and take both reports."""
        assert self._server is not None
        assert self._client is not None
        await self._server.start()
        await self._client.start()
        longest_s = BEFORE_S + most_intervals() * self.load.interval_s + GRACE_S
        try:
            asked = await self._client.done(longest_s, tick)
        except NodeError as error:
            raise NodeError(f"{error}{await self._ended()}", error.output) from None
        await drained()
        served = await self._server.close()
        return self._way(asked, served)

    async def _ended(self) -> str:
        """Return how the server's connections ended, as words behind a client's failure."""
        assert self._server is not None
        with suppress(NodeError):
            ended = (await self._server.close()).get("ended", {})
            return "".join(f"; at the server {count}: {why}" for why, count in ended.items())
        return ""

    async def abort(self) -> None:
        """End both, whatever they do."""
        for program in (self._client, self._server):
            if program:
                await program.abort()

    def _way(self, client: Report, server: Report) -> Way:
        """Return the way: who loads is the sender; of both directions the client is."""
        wire = self.wires[0]
        times = {name: client[name] for name in ("t0_ns", "t1_ns")}
        client, server = client | {"end": "client"}, server | {"end": "server"}
        sender, sink = (client, server) if wire.away else (server | times, client)
        settle_ns = round(client["t1_ns"] - client["t0_ns"] - MAD * self.load.interval_s * 1e9)
        ports = {"sender": "tcp", "sink": "tcp"}
        notes = *strangers(server), *reopened(client)
        return Way(wire, sender, sink, ports, settle_ns, notes=notes)

    def request(self, pem: str) -> dict[str, Any]:
        """Return the part of the request that both ends get."""
        load, far = self.load, self.wires[0].far
        return {
            "address": far.address(load.family),
            "port": PORT + self.among.at,
            "family": FAMILY[load.family],
            "tls": load.tls,
            "certificate": pem,
            "congestion": load.congestion,
            "dscp": load.dscp,
        }

    def test(self) -> dict[str, Any]:
        """Return the part of the request that the client alone gets."""
        load = self.load
        ways = [wire.direction for wire in self.wires]
        return {
            "ways": ways,
            "interval_ms": round(load.interval_s * 1000),
            "capacity_bps": capacity_bps(self.line, ways),
            "seed": SEED,
            "cpu": self.placement.sender,
            "tick_ms": tick_ms(load.interval_s * 2),
        }
