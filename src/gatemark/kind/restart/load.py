# SPDX-License-Identifier: Apache-2.0
"""UDP at a rate through a gateway that is restarted meanwhile (RFC 6201).

    sending   |------------------------------------------------------|
    gateway   |-- restart_s --|---- restarted ----|-- what is left --|
    arriving  |----------------|          ......   |-----------------|

The restart waits until packets arrive, as it is seen by what came before it: a machine that stands
still for a while may not have sent any when its time comes.

Packets are sent until the station reports that the gateway is back, and then for the rest of
`duration_s`. So one plan serves links that come up in a moment and boxes that boot.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.kind.udp.load import Stream
from gatemark.node.agent import Agent
from gatemark.plan.model import TrialSpec, Workload
from gatemark.probe.threads import port_counters
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.way import BIN_MS, Load, Report

PATIENCE_S = 240.0  # slow emulated machines take a minute or two to boot
COMES_S = 5.0  # a path on which nothing came by then is not up: the outcome says so
WHOLE_BINS = 2  # a bin that has ended, wherever in it the packet was

Restart = Callable[[], Awaitable[str]]


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """One stream up; the plan was checked to have no other."""
    number = spec.sequence % 256
    return [
        Interrupted(wire, spec.workload, station.placement, number, station.restart)
        for wire in ways
    ]


class Interrupted(Stream):
    """One direction of a trial in which the gateway is restarted."""

    def __init__(
        self, wire: Wire, load: Workload, placement: Placement, run: int, restart: Restart
    ) -> None:
        longest = replace(load, duration_s=load.duration_s + PATIENCE_S)
        super().__init__(wire, longest, placement, run)
        self.after_s = load.duration_s - load.restart_s
        self.restart = restart

    async def sent(self, sender: Agent) -> Report:
        """Send until the gateway is there again, and a while longer."""
        first = await self._received()
        await asyncio.sleep(self.load.restart_s)
        await self._arriving(first)
        began_ns = time.monotonic_ns()
        try:
            done = await asyncio.wait_for(self.restart(), PATIENCE_S)
        except TimeoutError:
            why = f"the gateway was not there again {PATIENCE_S:g} s after its restart"
            raise InvalidTrialError(why) from None
        ended_ns = time.monotonic_ns()
        await asyncio.sleep(self.after_s)
        restarted = {"began_ns": began_ns, "ended_ns": ended_ns, "done": done}
        report = await sender.close()
        span_s = (report["t1_ns"] - report["t0_ns"]) / 1e9
        due = round(self.load.rate_pps * span_s)  # of its whole schedule, what was due till then
        return report | {"scheduled": due, "restart": restarted}

    async def _arriving(self, first: int) -> None:
        """Wait until the sink has received a bin's packets beyond `first`, and a bin has ended."""
        until = time.monotonic() + COMES_S
        enough = first + max(1, self.load.rate_pps * BIN_MS / 1000)
        while await self._received() < enough and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(BIN_MS / 1000)
        await asyncio.sleep(WHOLE_BINS * BIN_MS / 1000)

    async def _received(self) -> int:
        """Packets that the sink's port has received."""
        counters = await port_counters([self.wire.sink])
        return counters[f"{self.wire.sink.role}.rx_packets"]
