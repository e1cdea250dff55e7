# SPDX-License-Identifier: Apache-2.0
"""A trial that one thread plays with packets made by hand, at both ends of the gateway."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Generic, Protocol, Self, TypeVar

from gatemark.node.agent import Tick
from gatemark.station.wiring import Wire
from gatemark.workload.way import Drained, Way


class Opened(Protocol):
    """Sockets that a trial is played with, as `Ends`."""

    ended: Event  # set to have it end at once


Both = TypeVar("Both", bound=Opened)


@dataclass(slots=True)
class ByHand(Generic[Both]):
    """All that is sent in one trial; what `play` returns is the sender's report, as `name`.

    `prepare` is played before the gateway is watched, and before a program of the arm starts.
    """

    name: str
    wire: Wire
    opened: Callable[[ExitStack], Both]
    play: Callable[[Both], Any]
    prepare: Callable[[Both], None] | None = None
    notes: tuple[str, ...] = ()
    ports: Mapping[str, str] = field(default_factory=lambda: {"sender": "raw", "sink": "raw"})
    beside: bool = False  # others may send in the same trial, so it waits until these have, too
    talks: bool = False  # as of a Way
    _stack: ExitStack = field(default_factory=ExitStack)
    _ends: Both | None = None

    async def ready(self) -> Self:
        """Open the sockets. Raises UnavailableError where a host is another machine."""
        self._ends = self.opened(self._stack)
        if self.prepare:
            await asyncio.to_thread(self.prepare, self._ends)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Play; nothing of it is on its way after it. Raises what `play` does."""
        del tick
        assert self._ends is not None
        t0_ns, cpu_ns = time.monotonic_ns(), time.process_time_ns()
        played = await asyncio.to_thread(self.play, self._ends)
        ends: dict[str, Any] = {
            "t0_ns": t0_ns,
            "t1_ns": time.monotonic_ns(),
            "cpu_ns": time.process_time_ns() - cpu_ns,
        }
        if self.beside:
            await drained()
        self._stack.close()
        both = ends | {self.name: played}
        return Way(self.wire, both, ends, dict(self.ports), notes=self.notes, talks=self.talks)

    async def abort(self) -> None:
        """End the thread, and close what was opened."""
        if self._ends:
            self._ends.ended.set()
        self._stack.close()
