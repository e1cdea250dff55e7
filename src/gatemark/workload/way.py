# SPDX-License-Identifier: Apache-2.0
"""One direction of a trial: what every kind of workload is to the trial that runs it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from gatemark.node.agent import Tick
from gatemark.node.clock import Pair
from gatemark.station.wiring import Wire

Report = dict[str, Any]

FAMILY = {"ipv4": 4, "ipv6": 6}
GRACE_S = 5.0  # a sender ends by itself after its time; more than this and it hangs
BIN_MS = 10  # of the rate over time: short trials are read in steps of it
TICK_MS = 500  # short trials are not disturbed at all


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the packets of one direction are numbered, and when each is due."""

    flows: int
    frames: tuple[int, ...]  # bytes of packet i: frames[i modulo their count]
    ports: tuple[int, ...]  # of each flow, on the LAN side
    rate_pps: float  # 0: as fast as it goes


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """What one direction reported: either end's `done` (agent/PROTOCOL.md); like no other."""

    wire: Wire
    sender: Report
    sink: Report
    ports: dict[str, str]  # how the agents reached the wire: "sender", "sink"
    settle_ns: int = 0  # from the first byte to the counted time
    port_reasons: dict[str, str] = field(default_factory=dict)  # why no better one: by end
    program: str = "gm-agent"  # what ran at either end
    notes: tuple[str, ...] = ()  # for the record
    numbering: Numbering | None = None  # where it is known which packets came
    clock_error_ns: int = 0  # at most so much is wrong with each one-way delay; 0: one clock
    talks: bool = False  # its ends send before the trial's time, and after it

    @property
    def window_ns(self) -> tuple[int, int]:
        """From when to when counts."""
        return int(self.sender["t0_ns"]) + self.settle_ns, int(self.sender["t1_ns"])

    def noted(self, notes: tuple[str, ...]) -> Self:
        """The same with notes."""
        return replace(self, notes=(*self.notes, *notes))

    def timed(self, clocks: Pair) -> Self:
        """The same with what is to be known of its ends' clocks.

        Raises InvalidTrialError if one was set meanwhile.
        """
        if clocks.is_one:
            return self
        clocks.require_steady(self.span_ns)
        return replace(self, clock_error_ns=clocks.error_ns, notes=(*self.notes, clocks.words))

    @property
    def span_ns(self) -> int:
        """How long it was sent, in all."""
        return int(self.sender["t1_ns"]) - int(self.sender["t0_ns"])


class Drained(Protocol):
    """Waits until nothing is on its way any more."""

    async def __call__(self, wire: Wire | None = None, sent: int | None = None) -> None:
        """`sent`: packets that the sending port of `wire` took, where that is known."""


def soon(seconds: float) -> Drained:
    """Waits for so long: for a few packets that are no trial."""

    async def wait(wire: Wire | None = None, sent: int | None = None) -> None:
        del wire, sent
        await asyncio.sleep(seconds)

    return wait


class Load(Protocol):
    """One direction of a trial: agents launched by `ready`, run by `go`, ended by `abort`."""

    async def ready(self) -> Self:
        """Bring both ends to their start. Raises NodeError."""

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Send, wait until nothing is on its way any more, and take both reports."""

    async def abort(self) -> None:
        """End both agents, whatever they do."""


def tick_ms(duration_s: float) -> int:
    """How often an agent reports its progress: not at all in short trials."""
    return TICK_MS if duration_s >= 2 else 0


def binned(way: Way, counted: str) -> tuple[list[int], list[int]]:
    """What a sink counted in bins: when each began, in ns, and its count."""
    rate = way.sink["rate"]
    width = rate["bin_ms"] * 1_000_000
    return [rate["t0_ns"] + at * width for at in range(len(rate[counted]))], rate[counted]


def over_time(way: Way, counted: str) -> float:
    """Per second, of what a sink counted in bins, in the time that counts.

    Only bins that lie wholly inside the sending time count: what drained from the gateway's queue
    afterwards would be a gift of a whole queue to a slow gateway in a short trial.
    """
    rate, (t0, t1) = way.sink["rate"], way.window_ns
    width = rate["bin_ms"] * 1_000_000
    first = max(0, -(-(t0 - rate["t0_ns"]) // width))
    last = (t1 - rate["t0_ns"]) // width
    return sum(rate[counted][first:last]) * 1e9 / ((last - first) * width) if last > first else 0.0


def span_ns(ways: Sequence[Way]) -> tuple[int, int]:
    """From the first packet of any direction to the last."""
    return min(int(way.sender["t0_ns"]) for way in ways), max(
        int(way.sender["t1_ns"]) for way in ways
    )
