# SPDX-License-Identifier: Apache-2.0
"""The line's books over one trial, and the counters of its two ports beside them."""

from dataclasses import dataclass, field
from typing import Any

from gatemark.probe.threads import port_counters
from gatemark.station.line.line import Line


@dataclass(frozen=True, slots=True)
class Crossed:
    """What crossed the line; nothing where none stands."""

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
        await self._line.begin()
        self._before = await port_counters(self._line.ports)

    async def stop(self) -> Crossed:
        """What crossed it since."""
        ports = self._line.ports
        if not ports:
            return Crossed()
        report = await self._line.books()
        after = await port_counters(ports)
        moved = {name: after[name] - self._before[name] for name in after}
        return Crossed(report, moved, all(port.silent for port in ports))

    async def abort(self) -> None:
        """It stays where it is: the next trial has it again."""
