# SPDX-License-Identifier: Apache-2.0
"""A trial that one thread plays with packets made by hand, at both ends of the gateway."""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final, Generic, Self, TypeVar

from gatemark.node.agent import Tick
from gatemark.station.wiring import Wire
from gatemark.workload.ends import Ends
from gatemark.workload.way import Drained, Way

Both = TypeVar("Both", bound=Ends[Any])
PORTS: Final = {"sender": "raw", "sink": "raw"}


class ByHand(Generic[Both]):
    """All that is sent in one trial; what `play` returns is the sender's report, as `name`.

    `prepare` is played before the gateway is watched, and before a program of the arm starts.
    """

    def __init__(
        self,
        name: str,
        wire: Wire,
        opened: Callable[[ExitStack], Both],
        play: Callable[[Both], Any],
        prepare: Callable[[Both], None] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.wire = wire
        self._name = name
        self._opened = opened
        self._play = play
        self._prepare = prepare
        self._notes = notes
        self._stack = ExitStack()
        self._ends: Both | None = None

    async def ready(self) -> Self:
        """Open the sockets. Raises UnavailableError where a host is another machine."""
        self._ends = self._opened(self._stack)
        if self._prepare:
            await asyncio.to_thread(self._prepare, self._ends)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Play; nothing is on its way after it. Raises what `play` does."""
        del drained, tick
        assert self._ends is not None
        t0_ns, cpu_ns = time.monotonic_ns(), time.process_time_ns()
        played = await asyncio.to_thread(self._play, self._ends)
        ends: dict[str, Any] = {
            "t0_ns": t0_ns,
            "t1_ns": time.monotonic_ns(),
            "cpu_ns": time.process_time_ns() - cpu_ns,
        }
        self._stack.close()
        return Way(self.wire, ends | {self._name: played}, ends, dict(PORTS), notes=self._notes)

    async def abort(self) -> None:
        """End the thread, and close what was opened."""
        if self._ends:
            self._ends.ended.set()
        self._stack.close()
