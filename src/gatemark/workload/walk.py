# SPDX-License-Identifier: Apache-2.0
"""One packet at a time through an emulated gateway, and the instructions that each made it run.

    gateway's total   ____|‾‾‾‾‾ runs ‾‾‾‾‾|_____________ still ____
                          ^                 ^             ^
                      packet sent    packet arrives    counted

Before a packet is sent the gateway stands still, and it is counted when it stands still again. So
nothing is shared between packets: no batch, no interrupt for several. What differs from one walk to
another is what the gateway did besides, above all the tick of its clock; the mode of many walks is
a packet without it. The way is that of the specification of the counting gateway (docs/exact.md).
"""

import asyncio
import os
import select
import socket
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final, Self

from pyroute2 import netns

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.node.agent import Agent, Tick
from gatemark.node.shell import Namespace
from gatemark.plan.lasting import UNCOUNTED
from gatemark.plan.model import TrialSpec, Workload
from gatemark.probe.symbols import Symbols
from gatemark.station.counter import Counter, changed
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import LAN_PORT, WAN_PORT, Port, Wire, wires
from gatemark.unit import payload_bytes
from gatemark.workload import packet
from gatemark.workload.udp import OWN_SOURCE, open_mappings
from gatemark.workload.way import BIN_MS, FAMILY, Load, Way

STILL_S: Final = 0.0008  # two readings so far apart that are equal: the gateway stands still
PATIENCE_S: Final = 2.0  # for stillness, and for a packet
EVERY_MS: Final = 50  # the gateway's own program sends so often, and stands still between
MOST_LOST: Final = 0.1  # of the walks: more, and the gateway does not forward
ETH_P_ALL: Final = 3

Slots = dict[int, int]  # runs by slot


@dataclass(slots=True)
class Walked:
    """What was counted, walk by walk."""

    totals: list[int] = field(default_factory=list)  # instructions of each, in order
    at_ns: list[int] = field(default_factory=list)  # when each was sent
    lost: int = 0
    # Of the first walk of each total: what ran, and in which order.
    risen: dict[int, Slots] = field(default_factory=dict)
    paths: dict[int, list[int]] = field(default_factory=dict)


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one direction. Raises UnavailableError where instructions are not counted."""
    if station.counting is None:
        raise UnavailableError(
            "instructions are counted on an emulated gateway alone: --station qemu-mips"
        )
    (wire,) = ways
    mapped = 0
    if spec.arm.path == "nat" and not wire.away:
        (up,) = wires(station.ports, "nat", "up")
        one = Workload(frame_bytes=128)
        (mapped,) = await open_mappings(up, one, station.placement, spec.sequence % 256)
    return [Walk(station, wire, spec.workload, mapped)]


class Walk:
    """All packets of a trial."""

    def __init__(self, station: Station, wire: Wire, load: Workload, mapped: int) -> None:
        assert station.counting is not None
        self.wire = wire
        self.load = load
        self.mapped = mapped  # the port by which the gateway knows the flow, down through NAT
        self.placement: Placement = station.placement
        self.names = station.counting.names
        self.counter: Counter = station.counting.counter()
        self.plugin = station.counting.plugin.stem
        self._agent: Agent | None = None
        self._symbols: Symbols | None = None

    async def ready(self) -> Self:
        """Read the gateway's symbols, and start its own program if it is an end."""
        self._symbols = await self.names.read()
        if self.wire.own:
            verb, request = self._own()
            self._agent = await Agent.launch(self.wire_own.node, verb, request)
        return self

    async def go(self, drained: Callable[[], Awaitable[None]], tick: Tick | None = None) -> Way:
        """Walk; returns what was counted as the sender's report."""
        del drained
        if self._agent:
            await self._agent.start()
        t0_ns = time.monotonic_ns()
        walked = await asyncio.to_thread(self._walk, tick)
        t1_ns = time.monotonic_ns()
        if self._agent:
            await self._agent.abort()
        ends: dict[str, Any] = {"t0_ns": t0_ns, "t1_ns": t1_ns, "cpu_ns": 0}
        told = {"walked": walked, "symbols": self._symbols, "counter": self.counter}
        return Way(
            self.wire,
            ends | told | {"plugin": self.plugin},
            ends,
            ports={"sender": "raw", "sink": "raw"},
        )

    async def abort(self) -> None:
        """End the gateway's own program."""
        if self._agent:
            await self._agent.abort()

    @property
    def wire_own(self) -> Port:
        """The gateway's port, where it is an end itself."""
        return self.wire.sink if self.wire.away else self.wire.source

    def _own(self) -> tuple[str, dict[str, Any]]:
        """What the gateway's own program is asked to do; it says nothing while it works."""
        load, wire = self.load, self.wire
        both = {"port": "udp", "family": FAMILY[load.family], "device": self.wire_own.device}
        both |= {"cpu": self.placement.gateway, "tick_ms": 0}
        if wire.away:
            listened = {"dst_port": [WAN_PORT], "flows": 1, "bin_ms": BIN_MS, "bins": 1}
            return "sink", both | listened
        lasts_ms = (load.walks + UNCOUNTED) * EVERY_MS * 2
        return "send", both | {
            "src": wire.source.address(load.family),
            "src_port": OWN_SOURCE,
            "dst": wire.target.address(load.family),
            "dst_port": LAN_PORT,
            "frame_bytes": [load.frame_bytes],
            "rate_pps": 1000 / EVERY_MS,
            "duration_ms": lasts_ms,
            "burst": 1,
        }

    def _walk(self, tick: Tick | None) -> Walked:
        """In a thread of its own, beside the loop: nothing else may hold it up."""
        walked = Walked()
        with ExitStack() as stack:
            step = self._stepper(stack)
            for number in range(-UNCOUNTED, self.load.walks):
                self._one(step, number, walked)
                if tick and number % 50 == 0:
                    tick({"t_ns": time.monotonic_ns(), "received": max(0, number)})
                if walked.lost > max(UNCOUNTED, MOST_LOST * self.load.walks):
                    raise InvalidTrialError(
                        f"{walked.lost} packets did not come through, or left the gateway busy"
                    )
        return walked

    def _one(self, step: "Step", number: int, walked: Walked) -> None:
        counter = self.counter
        before = self._still()
        runs = counter.runs()
        at_ns = time.monotonic_ns()
        with counter.window():
            came = step(number)
            total = self._still(moved_from=before) - before
        if number < 0:
            walked.lost += not came
            return
        if not came:
            walked.lost += 1
            return
        walked.totals.append(total)
        walked.at_ns.append(at_ns)
        if total not in walked.risen:
            walked.risen[total] = changed(runs, counter.runs())
            walked.paths[total] = counter.path() if self.load.ordered else []

    def _still(self, moved_from: int | None = None) -> int:
        """The total, once it does not rise; and not before it has. Raises InvalidTrialError."""
        until = time.monotonic() + PATIENCE_S
        last = self.counter.total
        while time.monotonic() < until:
            time.sleep(STILL_S)
            now = self.counter.total
            if now == last != moved_from:
                return now
            last = now
        raise InvalidTrialError(
            f"the gateway was not still within {PATIENCE_S:g} s: something else is at work on it"
        )

    def _stepper(self, stack: ExitStack) -> "Step":
        """What sends one packet and waits for it: of the tester's ends, those that it has."""
        wire = self.wire
        sink = None if wire.own and wire.away else _opened(wire.sink, stack)
        if wire.own and not wire.away:
            assert sink is not None
            return lambda _: _arrived(sink, LAN_PORT, None)
        source = _opened(wire.source, stack)

        def step(number: int) -> bool:
            frame, port = self._frame(number)
            source.send(frame)
            return sink is None or _arrived(sink, port, packet.mark(number))

        return step

    def _frame(self, number: int) -> tuple[bytes, int]:
        """A packet of the one flow, and the port that it arrives at."""
        wire, family = self.wire, self.load.family
        near, far = (wire.near.address(family), LAN_PORT), (wire.far.address(family), WAN_PORT)
        source, sink = (near, far) if wire.away else (far, near)
        arrives = sink[1]
        if self.mapped:
            sink = wire.target.address(family), self.mapped
        payload = packet.payload(number, int(payload_bytes(self.load.frame_bytes, family)))
        frame = packet.udp((wire.source.mac, wire.next_hop.mac), source, sink, payload)
        return frame, arrives


Step = Callable[[int], bool]  # number of a walk -> whether its packet came


def _opened(port: Port, stack: ExitStack) -> socket.socket:
    """A packet socket on a port of the tester, which is a namespace of this machine."""
    assert isinstance(port.node, Namespace)
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(_socket, port.node.netns, port.device).result()
    return stack.enter_context(made)


def _socket(space: str, device: str) -> socket.socket:
    netns.setns(space, flags=os.O_RDONLY)  # of the calling thread alone: setns(2)
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    made.bind((device, ETH_P_ALL))
    return made


def _arrived(sink: socket.socket, port: int, mark: bytes | None) -> bool:
    """Wait for the packet with a mark; what else arrives is let go."""
    until = time.monotonic() + PATIENCE_S
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([sink], [], [], left)
        if ready and packet.is_for(sink.recv(65535), port, mark):
            return True
    return False
