# SPDX-License-Identifier: Apache-2.0
"""An application as one load of a trial: its server on the WAN host, its user on the LAN host.

Both are under way before the trial's time begins, so a call is up when the upload starts. Hosts are
namespaces of this machine. On the path endpoint the gateway is the server.
"""

from collections.abc import Sequence
from typing import Any, Final, Self

from gatemark.kind.application.place import ALONE
from gatemark.kind.application.programs import require
from gatemark.node import isolated
from gatemark.node.agent import Agent, Tick
from gatemark.node.shell import FIRST, Node, Process, here
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.way import Drained, Load, Report, Way

STARTING_S: Final = 60.0  # a film is made, a browser starts, on a machine with other work
ENDING_S: Final = 15.0  # beyond the judged time: what is on its way, and a load that is not done


class Player(Agent):
    """An end, which talks as gm-agent does."""

    program = "application"

    @classmethod
    async def begin(cls, node: Node, verb: str) -> Process:
        """Start another Python, alone. Raises UnavailableError where the host is elsewhere."""
        here(node)
        del verb
        python = isolated.python("gatemark.kind.application.player")
        return await node.start(*FIRST, *ALONE, *python)


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one application. Raises UnavailableError with the command that installs its programs."""
    require([spec.workload.application])
    return [Ends(ways[0], spec.workload, station.placement)]


class Ends:
    """Both ends of an application."""

    def __init__(self, wire: Wire, load: Workload, placement: Placement) -> None:
        self.wire = wire
        self.load = load
        self.placement = placement
        self._server: Player | None = None
        self._user: Player | None = None

    async def ready(self) -> Self:
        """Bring both under way. Raises NodeError, UnavailableError."""
        near, far, cpu = self.wire.near.node, self.wire.far.node, self.placement
        request = self.request("serve", cpu.gateway if self.wire.own else cpu.sink)
        self._server = await Player.launch(far, "serve", request, STARTING_S)
        handed = self._server.ready["handed"]
        request = self.request("use", cpu.sender) | {"handed": handed}
        self._user = await Player.launch(near, "use", request, STARTING_S)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Let it be judged, and take both reports."""
        del tick
        assert self._server is not None
        assert self._user is not None
        await self._server.start()
        await self._user.start()
        used = await self._user.done(self.load.duration_s + ENDING_S)
        served = await self._server.close()
        await drained()
        return self._way(used, served)

    async def abort(self) -> None:
        """End both, whatever they do."""
        for player in (self._user, self._server):
            if player:
                await player.abort()

    def _way(self, used: Report, served: Report) -> Way:
        times = {name: used[name] for name in ("t0_ns", "t1_ns")}
        ports = {"sender": "application", "sink": "application"}
        name = self.load.application
        return Way(self.wire, used, served | times, ports, program=name, talks=True)

    def request(self, end: str, cpu: int) -> dict[str, Any]:
        """Return the request to an end."""
        load = self.load
        return {
            "end": end,
            "application": load.application,
            "near": self.wire.near.address(load.family),
            "far": self.wire.far.address(load.family),
            "seconds": load.duration_s,
            "cpu": cpu,
        }
