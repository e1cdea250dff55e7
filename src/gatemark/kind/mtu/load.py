# SPDX-License-Identifier: Apache-2.0
"""A trial of sizes: all questions, one way."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Self

from gatemark.kind.mtu.ask import Asker
from gatemark.kind.mtu.seen import Seen, parsed
from gatemark.node.agent import Tick
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.workload.ends import LAN, WAN, Ends
from gatemark.workload.way import Drained, Load, Way


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks."""
    (way,) = ways
    (up,), (down,) = (wires(station.ports, spec.arm.path, where) for where in ("up", "down"))
    return [Sizes(way, up, down, spec)]


class Sizes:
    """All questions of one trial."""

    def __init__(self, wire: Wire, up: Wire, down: Wire, spec: TrialSpec) -> None:
        self.wire = wire
        self._up = up
        self._down = down
        self._spec = spec
        self._stack = ExitStack()
        self._ends: Ends[Seen] | None = None

    async def ready(self) -> Self:
        """Open the sockets. Raises UnavailableError where a host is another machine."""
        self._ends = Ends(self._up, self._down, parsed, self._stack)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Ask; returns the values as the sender's report. Raises InvalidTrialError."""
        del drained, tick
        assert self._ends is not None
        side = LAN if self.wire.away else WAN
        is_nat = self._spec.arm.path == "nat"
        asker = Asker(self._ends, self._up, self._spec.workload.family, side, nat=is_nat)
        t0_ns, cpu_ns = time.monotonic_ns(), time.process_time_ns()
        await asyncio.to_thread(asker.all)
        ends: dict[str, Any] = {
            "t0_ns": t0_ns,
            "t1_ns": time.monotonic_ns(),
            "cpu_ns": time.process_time_ns() - cpu_ns,
        }
        self._stack.close()
        return Way(self.wire, ends | {"mtu": asker.values}, ends, {"sender": "raw", "sink": "raw"})

    async def abort(self) -> None:
        """End the thread, and close what was opened."""
        if self._ends:
            self._ends.ended.set()
        self._stack.close()
