# SPDX-License-Identifier: Apache-2.0
"""A trial of NAT's behaviour: all questions, then how long mappings live."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Self

from gatemark.kind.nat.ask import Answers, Asker, Unasked
from gatemark.kind.nat.ends import Ends
from gatemark.kind.nat.idle import watched
from gatemark.kind.nat.plan import SILENT_S
from gatemark.node.agent import Tick
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire, wires
from gatemark.workload.way import Drained, Load, Way


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks."""
    (up,) = ways
    (down,) = wires(station.ports, spec.arm.path, "down")
    return [Behaviour(up, down, spec.workload.duration_s)]


class Behaviour:
    """All questions of one trial."""

    def __init__(self, up: Wire, down: Wire, idle_s: float) -> None:
        self.wire = up
        self._down = down
        self._idle_s = idle_s
        self._stack = ExitStack()
        self._ends: Ends | None = None

    async def ready(self) -> Self:
        """Open the sockets. Raises UnavailableError where a host is another machine."""
        self._ends = Ends(self.wire, self._down, self._stack)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Ask; returns the answers as the sender's report. Raises InvalidTrialError."""
        del drained, tick
        assert self._ends is not None
        t0_ns, cpu_ns = time.monotonic_ns(), time.process_time_ns()
        answers = await asyncio.to_thread(_asked, self._ends, self.wire, self._idle_s)
        ends: dict[str, Any] = {
            "t0_ns": t0_ns,
            "t1_ns": time.monotonic_ns(),
            "cpu_ns": time.process_time_ns() - cpu_ns,
        }
        self._stack.close()
        return Way(self.wire, ends | {"nat": answers}, ends, {"sender": "raw", "sink": "raw"})

    async def abort(self) -> None:
        """End the thread, and close what was opened."""
        if self._ends:
            self._ends.ended.set()
        self._stack.close()


def _asked(ends: Ends, wire: Wire, idle_s: float) -> Answers:
    answers = Answers()
    asker = Asker(ends, wire, answers)
    asker.all()
    began, unasked = time.monotonic(), Unasked(asker)
    watched(asker, answers, idle_s)
    while time.monotonic() < began + SILENT_S and not ends.ended.is_set():
        ends.read(0.1)
    unasked.note(answers)
    return answers
