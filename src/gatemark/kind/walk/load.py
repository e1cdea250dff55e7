# SPDX-License-Identifier: Apache-2.0
"""One packet at a time through an emulated gateway, and the instructions that it takes.

    gateway's total   |tick|______|‾‾‾‾‾ runs ‾‾‾‾‾|___________|tick|____
                                  ^                 ^         ^
                              packet sent    packet arrives  counted

A packet is sent while the gateway stands still, and counted when it stands still again. So nothing
is shared between packets: no batch, no interrupt for several. What differs from one walk to another
is what the gateway did besides, above all the tick of its clock. A packet is therefore sent soon
after a tick, and walks into which one fell all the same are left out (probe/disturbed.py).

The blocks of each walk are read in their order: the functions of one in the mode are the packet's.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from statistics import median
from typing import Any, Final, Self

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.kind.udp.load import OWN_SOURCE
from gatemark.kind.walk import opening
from gatemark.kind.walk.numbered import Numbered
from gatemark.kind.walk.plan import UNCOUNTED
from gatemark.node.agent import Agent, Tick
from gatemark.plan.feature import properties
from gatemark.plan.model import TrialSpec, Workload
from gatemark.probe.disturbed import Met, met, undisturbed
from gatemark.probe.idle import without_rounds
from gatemark.probe.refill import Sorter
from gatemark.station.counter import Counter
from gatemark.station.counting import NOT_EMULATED
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.symbols import Symbols
from gatemark.station.wiring import LAN_PORT, WAN_PORT, Port, Wire
from gatemark.workload import packet
from gatemark.workload.packetsocket import PATIENCE_S, arrived, drain, opened
from gatemark.workload.way import BIN_MS, FAMILY, Drained, Load, Way

STILL_S: Final = 0.0006  # nothing ran for so long: the gateway stands still
QUIET_S: Final = 0.0002  # the same after a tick, when nothing is on its way
TICK_S: Final = 0.011  # a kernel's clock ticks every 1 to 10 ms, or not at all while it is idle
LOOK_S: Final = 0.0001
LONGEST_MS: Final = 3_600_000  # that an agent sends (agent/PROTOCOL.md)
# The gateway's own program sends so often, and stands still between. No multiple of a tick: that
# would fall into all of a trial's walks or into none, as it happens.
EVERY_MS: Final = 50.7
MOST_LOST: Final = 0.1  # of the walks: more, and the gateway does not forward

# A packet of the gateway's own program.
OWN: Final = partial(packet.is_for, port=LAN_PORT, ending=None)


@dataclass(slots=True)
class Walked:
    """The counts, walk by walk."""

    totals: list[int] = field(default_factory=list)  # instructions of each, in order
    at_ns: list[int] = field(default_factory=list)  # when each was sent
    lost: int = 0
    disturbed: int = 0  # walks that are not among them
    refills: int = 0  # instructions of TLB refills in all of both, which are in none of the totals
    paths: list[list[int]] = field(default_factory=list)  # slots of each, in order
    own: bool = False  # an end is a program of the gateway's, which its scheduler wakes
    met: list[Met] = field(default_factory=list)  # of each; nothing of a program's

    @property
    def walks(self) -> int:
        """All that came through."""
        return len(self.totals) + self.disturbed

    def leave_out(self) -> None:
        """Keep what is only of the packet."""
        if not self.met:
            return
        kept = undisturbed(self.met)
        self.disturbed = kept.count(False)
        self.totals = [*compress(self.totals, kept)]
        self.at_ns = [*compress(self.at_ns, kept)]
        self.paths = [*compress(self.paths, kept)]

    def path(self, total: int) -> list[int]:
        """Return the path of the first walk that came to this total."""
        return self.paths[self.totals.index(total)]

    @property
    def typical(self) -> int:
        """The total that stands for all: the mode; for the gateway's own program the median one.

        A scheduler does something else each time, so that hardly any two of those totals are equal.
        """
        if not self.own:
            return self.mode
        middle = median(self.totals)
        return min(self.totals, key=lambda total: (abs(total - middle), total))

    @property
    def mode(self) -> int:
        """The most frequent total; of two that are as frequent, the smaller."""
        return max(set(self.totals), key=lambda total: (self.totals.count(total), -total))


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The single direction. Raises UnavailableError where instructions are not counted."""
    if station.counting is None:
        raise UnavailableError(NOT_EMULATED)
    return [await walk(station, spec, ways)]


async def walk(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> "Walk":
    """The single direction, counted or not, its flow opened as far as needed."""
    (wire,) = ways
    load, path = spec.workload, spec.arm.path
    packets = await asyncio.to_thread(opening.packets, station.ports, path, load)
    loads_programs = any(
        feature.program or feature.driver for feature in properties(spec.arm.features)
    )
    return Walk(station, wire, load, packets, loads_programs=loads_programs)


class Walk:
    """All packets of a trial."""

    def __init__(
        self,
        station: Station,
        wire: Wire,
        load: Workload,
        packets: Numbered,
        *,
        loads_programs: bool = False,
    ) -> None:
        self.wire = wire
        self.load = load
        self.packets = packets
        self.placement: Placement = station.placement
        self.counting = station.counting  # None: others look at it (kind/walk/traced.py)
        self.own_pps = 1000 / EVERY_MS  # that the gateway's own program sends
        self._loads_programs = loads_programs  # BPF programs, which have names of their own
        self._agent: Agent | None = None
        self._symbols: Symbols | None = None
        self._sorter: Sorter | None = None
        self._names: dict[int, str] = {}  # functions of slots that were asked for
        self._base = 0  # instructions of the guest when the walk began
        self._own_sink: socket.socket | None = None  # where the gateway's own packets arrive

    async def ready(self) -> Self:
        """Start the gateway's own program if it is an end."""
        if self.wire.own:
            verb, request = self._own()
            self._agent = await Agent.launch(self.wire_own.node, verb, request)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Walk; returns what was counted as the sender's report."""
        del drained
        await self.begin()
        t0_ns = time.monotonic_ns()
        walked = await asyncio.to_thread(self._walk, tick)
        t1_ns = time.monotonic_ns()
        if self._agent:
            await self._agent.abort()
        ends: dict[str, Any] = {"t0_ns": t0_ns, "t1_ns": t1_ns, "cpu_ns": 0}
        assert self.counting is not None
        counted: dict[str, Any] = {"walked": walked, "ordered": self.load.ordered}
        counted |= {"symbols": self._symbols, "counter": self.counter}
        return Way(
            self.wire,
            ends | counted | {"plugin": self.counting.plugin.stem},
            ends,
            ports={"sender": "raw", "sink": "raw"},
        )

    async def abort(self) -> None:
        """End the gateway's own program."""
        if self._agent:
            await self._agent.abort()

    async def begin(self) -> None:
        """Read the gateway's symbols, now that all that runs there is loaded.

        Then let the gateway's own program send, if it is an end.
        """
        if self.counting:
            self._symbols = await self.counting.names.read(anew=self._loads_programs)
            self._sorter = Sorter(self.counter, self._symbols, programs=self.wire.own)
        if self._agent:
            await self._agent.start()

    @property
    def counter(self) -> Counter:
        """The counts."""
        assert self.counting is not None
        return self.counting.counter()

    @property
    def wire_own(self) -> Port:
        """The gateway's port, where it is an end itself."""
        return self.wire.sink if self.wire.away else self.wire.source

    def _own(self) -> tuple[str, dict[str, Any]]:
        """Return the request to the gateway's own program; it reports nothing while it works."""
        load, wire = self.load, self.wire
        both = {"port": "udp", "family": FAMILY[load.family], "device": self.wire_own.device}
        both |= {"cpu": self.placement.gateway, "tick_ms": 0, "run": 1}  # any number will do
        if wire.away:
            listened = {"dst_port": [WAN_PORT], "flows": 1, "bin_ms": BIN_MS, "bins": 1}
            return "sink", both | listened
        # As long as the slowest walks take; it is ended when they are done.
        lasts_ms = min(LONGEST_MS, int((load.walks + UNCOUNTED) * PATIENCE_S * 1000))
        return "send", both | {
            "src": wire.source.address(load.family),
            "src_port": OWN_SOURCE,
            "dst": self.packets.flow.sink[0],
            "dst_port": LAN_PORT,
            "frame_bytes": [load.frame_bytes],
            "rate_pps": self.own_pps,
            "duration_ms": lasts_ms,
            "burst": 1,
            "rests": 1,
        }

    def _walk(self, tick: Tick | None) -> Walked:
        """Run in a thread of its own: nothing else may delay it."""
        walked, lost = Walked(own=self.wire.own), self.counter.lost
        with ExitStack() as stack:
            step = self.stepper(stack)
            stack.enter_context(self.counter.window())
            for number in range(-UNCOUNTED, self.load.walks):
                self._single(step, number, walked)
                if tick and number % 50 == 0:
                    tick({"t_ns": time.monotonic_ns(), "received": max(0, number)})
        if self.counter.lost != lost:
            raise InvalidTrialError("the plugin has no room for more of the guest's code")
        walked.leave_out()
        return walked

    def _single(self, step: "Step", number: int, walked: Walked) -> None:
        """One walk; those with a number below zero are not kept."""
        self._ticked()
        self._from_here()
        at_ns = time.monotonic_ns()
        came = self._own_step(self._own_sink) if self._own_sink else step(number)
        if not came:
            walked.lost += 1
            if walked.lost > max(UNCOUNTED, MOST_LOST * self.load.walks):
                raise InvalidTrialError(f"{walked.lost} packets did not come through")
            return
        self._still(moved_from=self._base)
        if number >= 0:
            path, refills = self.sorter.own(self.counter.path())
            if not self.wire.own:  # a program's walk is a task's, not one of interrupts
                path = without_rounds(path, self._function)
                walked.met.append(met(path, self._function, self._enters))
            total = sum(self.counter.block(slot).length for slot in path)
            walked.totals.append(total)
            walked.at_ns.append(at_ns)
            walked.paths.append(path)
            walked.refills += refills

    def _own_step(self, sink: socket.socket) -> bool:
        """The gateway sends by its own clock; what it runs before does not count."""
        drain(sink)
        until = time.monotonic() + PATIENCE_S
        last, since = self.counter.total, time.monotonic()
        while time.monotonic() < until:
            if arrived(sink, OWN, LOOK_S):
                return True
            now, at = self.counter.total, time.monotonic()
            if now != last:
                last, since = now, at
            elif now != self._base and at - since >= STILL_S:  # still again, after a tick
                self._from_here()
                last, since = self.counter.total, at
        return False

    def _from_here(self) -> None:
        """Counting begins here: the gateway stands still."""
        self.counter.anew()
        self._base = self.counter.total

    def _function(self, slot: int) -> str:
        assert self._symbols is not None
        name = self._names.get(slot)
        if name is None:
            name = self._symbols.function(self.counter.block(slot).address).name
            self._names[slot] = name
        return name

    def _enters(self, slot: int) -> bool:
        assert self._symbols is not None
        return self._symbols.enters(self.counter.block(slot).address)

    @property
    def _sends(self) -> bool:
        return self.wire.own and not self.wire.away

    @property
    def sorter(self) -> Sorter:
        """Selects what counts of a path; of the gateway's own program only the kernel's part."""
        assert self._sorter is not None
        return self._sorter

    def _ticked(self) -> int:
        """The total at rest, soon after a tick of the gateway's clock if it has one."""
        was = self.counter.total
        until = time.monotonic() + TICK_S
        while self.counter.total == was and time.monotonic() < until:
            time.sleep(LOOK_S)
        return self._still(QUIET_S)

    def _still(self, for_s: float = STILL_S, moved_from: int | None = None) -> int:
        """The total once it has stopped rising for a while. Raises InvalidTrialError."""
        last, since = self.counter.total, time.monotonic()
        until = since + PATIENCE_S
        while since < until:
            time.sleep(LOOK_S)
            now, at = self.counter.total, time.monotonic()
            if now != last:
                last, since = now, at
            elif last != moved_from and at - since >= for_s:
                return last
            elif at > until:
                break
        raise InvalidTrialError(
            f"the gateway was not still within {PATIENCE_S:g} s: something else is at work on it"
        )

    def stepper(self, stack: ExitStack) -> "Step":
        """Returns what sends one packet and waits for it, at the ends that are the tester's."""
        wire = self.wire
        sink = None if wire.own and wire.away else opened(wire.sink, stack)
        if self._sends:
            assert sink is not None
            self._own_sink = sink
            return lambda _: _next(sink)
        source = opened(wire.source, stack)

        def step(number: int) -> bool:
            source.send(self.packets.frame(number))
            is_it = partial(self.packets.is_it, number=number)
            return sink is None or bool(arrived(sink, is_it))

        return step


Step = Callable[[int], bool]  # number of a walk -> whether its packet came


def _next(sink: socket.socket) -> bool:
    """Wait for the gateway's own next packet."""
    drain(sink)
    return bool(arrived(sink, OWN))
