# SPDX-License-Identifier: Apache-2.0
"""The end of a trial's sending: wait until nothing is on its way any more.

It is over at once when the receiving port has seen every packet that the sending port took. Else it
is over when nothing came for a while, no thread of the gateway is ready to run, and no queue that
shapes holds packets. A gateway that stands still now and then is silent with packets in its queues:
so a while is longer than the arm's longest silence so far. A line that holds packets sends one at
least each time that a full frame takes, so a while is longer than that, too.
"""

import asyncio
import re
from contextlib import suppress

from gatemark.error import GatemarkError
from gatemark.node.reader import reader
from gatemark.plan.feature import properties
from gatemark.plan.line.time import longest_s, silence_s
from gatemark.plan.model import Arm, Line
from gatemark.probe.starved import waits
from gatemark.probe.threads import Ports, port_counters
from gatemark.run.bench import Bench
from gatemark.station.napi import NapiThread
from gatemark.station.wiring import Port, Wire
from gatemark.workload.way import Way

QUIET_S = 0.03  # nothing arrived for so long: nothing is on its way any more
# Where the gateway has no CPU of its own its thread may be kept waiting with packets in its queue.
SHARED_QUIET_S = 0.15
BEYOND_SILENCE = 1.5  # times the arm's longest silence so far
LONGEST_QUIET_S = 1.0
LONGEST_DRAIN_S = 3.0
STILL_S = 0.005  # after the last packet that was awaited: a gateway may duplicate some

BACKLOG = re.compile(r"backlog \d+\w*b (\d+)p")


class Drain:
    """Waits for one trial's end. `why`: it went on too long; "": all is well."""

    def __init__(
        self, bench: Bench, arm: Arm, ports: Ports, sinks: list[Port], line: Line | None = None
    ) -> None:
        self._station = bench.station
        self._ports = ports
        self._sinks = sinks
        self._shapes = any(feature.shapes for feature in properties(arm.features))
        self._quiet_s = _quiet_s(bench, arm) + (silence_s(line) if line else 0.0)
        self._longest_s = LONGEST_DRAIN_S + (longest_s(line) if line else 0.0)
        self.why = ""

    async def __call__(self, wire: Wire | None = None, sent: int | None = None) -> None:
        """Wait; `sent`: packets that the sending port of `wire` took, where that is known."""
        loop = asyncio.get_running_loop()
        began = moved = loop.time()
        last = await port_counters(self._sinks)
        while loop.time() - began < self._longest_s:
            pause_s = STILL_S if self._all_came(wire, sent, last) else QUIET_S
            await asyncio.sleep(pause_s)
            now = await port_counters(self._sinks)
            if now != last:
                moved = loop.time()
            elif pause_s == STILL_S:
                return
            last = now
            if loop.time() - moved >= self._quiet_s - QUIET_S / 2 and not await self._busy():
                return
        # Others send on a port that is not silent; what shapes may take as long as it likes.
        if sent is not None and not self._shapes and all(port.silent for port in self._sinks):
            busy = await self._busy() or "packets still arrived"
            self.why = f"{self._longest_s:.3g} s after the last packet was sent {busy}"

    def _all_came(self, wire: Wire | None, sent: int | None, now: dict[str, int]) -> bool:
        if wire is None or sent is None or not wire.sink.silent:
            return False
        name = f"{wire.sink.role}.rx_packets"
        return now[name] - self._ports.before[name] == sent

    async def _busy(self) -> str:
        """What of the gateway still has work, or nothing."""
        for thread in self._station.threads.values():
            if isinstance(thread, NapiThread) and waits(thread.pid):
                return f"{thread.name} was ready and waited for its CPU"
        if self._shapes and await self._backlog():
            return "a queue of the gateway held packets"
        return ""

    async def _backlog(self) -> bool:
        with suppress(GatemarkError):  # no tc there: nothing of it is known
            text = await self._station.gateway.run("tc", "-s", "qdisc", "show")
            return held(text)
        return False


@reader("its queues")
def held(text: str) -> bool:
    """Return whether a queue that tc shows holds packets."""
    return any(int(packets) for packets in BACKLOG.findall(text))


def remember(bench: Bench, arm: Arm, ways: list[Way]) -> None:
    """Keep the longest silence of a trial's sinks, for the arm's later trials."""
    for way in ways:
        gaps = way.sink.get("gap_ns") if "tried" in way.sender else None
        if gaps and gaps["low"]:
            silence_s = gaps["low"][-1] / 1e9
            bench.silences[arm.name] = max(silence_s, bench.silences.get(arm.name, 0.0))


def _quiet_s(bench: Bench, arm: Arm) -> float:
    quiet_s = QUIET_S if bench.station.able.own_cpu else SHARED_QUIET_S
    silence_s = BEYOND_SILENCE * bench.silences.get(arm.name, 0.0)
    return max(quiet_s, min(silence_s, LONGEST_QUIET_S))
