# SPDX-License-Identifier: Apache-2.0
"""The line's books over one trial, and the counters of its two ports beside them.

A frame that crosses between a look at the books and one at the counters is in one of them alone:
the last word of a connection that opens, a late acknowledgement. So both are looked at until none
does.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from gatemark.probe.threads import port_counters
from gatemark.station.line.line import Line

T = TypeVar("T")
LOOKS: Final = 20  # that a gateway which does not fall silent gets


@dataclass(frozen=True, slots=True)
class Crossed:
    """The traffic that crossed the line; nothing where none stands."""

    report: dict[str, Any] = field(default_factory=dict)  # agent/PROTOCOL.md, line
    moved: dict[str, int] = field(default_factory=dict)  # "line0.rx_packets": by how much it rose
    is_silent: bool = True  # none but test packets come from the gateway's side


class Books:
    """Opened before the load, read after the drain; the line forwards before, between and after."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._before: dict[str, int] = {}

    async def start(self) -> None:
        """Forget what crossed it before."""
        _, self._before = await self._between_frames(self._line.begin)

    async def stop(self) -> Crossed:
        """Return what crossed it since `start`."""
        ports = self._line.ports
        if not ports:
            return Crossed()
        report, after = await self._between_frames(self._line.books)
        moved = {name: after[name] - self._before[name] for name in after}
        return Crossed(report, moved, all(port.silent for port in ports))

    async def _between_frames(self, look: Callable[[], Awaitable[T]]) -> tuple[T, dict[str, int]]:
        """Return the line's books, and the counters that are of the same moment."""
        before = await port_counters(self._line.ports)
        for _ in range(LOOKS):
            books, after = await look(), await port_counters(self._line.ports)
            if after == before:
                break
            before = after
        return books, after

    async def abort(self) -> None:
        """It stays where it is: the next trial has it again."""
