# SPDX-License-Identifier: Apache-2.0
"""A trial of router advertisements: a host asks once, then watches the LAN port."""

import asyncio
import select
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Self

from gatemark.kind.adverts import message
from gatemark.kind.adverts.message import ADVERT, Advert
from gatemark.kind.adverts.plan import ADVERTS
from gatemark.node.agent import Tick
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload import packet, sieve
from gatemark.workload.packetsocket import LONGEST, opened
from gatemark.workload.way import Drained, Load, Way

MAC: Final = bytes.fromhex("026700000001")  # of the host that asks
AGAIN_S: Final = 4.0  # until it asks again (RFC 4861, section 10)
FILTER: Final = (
    (0x30, 0, 0, 20),  # next header
    (0x15, 0, 3, packet.ICMPV6),
    (0x30, 0, 0, message.AT),  # type
    (0x15, 0, 1, ADVERT),
    (0x06, 0, 0, 0xFFFF),
    (0x06, 0, 0, 0),
)
SOCKET: Final = partial(sieve.opened, sieve.ETH_P_IPV6, FILTER)


@dataclass(slots=True)
class Watched:
    """When it was asked, and each advert."""

    asked_ns: int = 0
    end_ns: int = 0
    adverts: list[Advert] = field(default_factory=list)


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that watches."""
    del station
    return [Watching(ways[0], spec.workload.duration_s)]


class Watching:
    """The load of a trial: a thread that asks and watches."""

    def __init__(self, wire: Wire, seconds: float) -> None:
        self.wire = wire
        self.seconds = seconds
        self.ended = threading.Event()
        self._stack = ExitStack()

    async def ready(self) -> Self:
        """Open the socket. Raises UnavailableError where the LAN host is another machine."""
        self._port = opened(self.wire.source, self._stack, SOCKET)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Ask and watch."""
        del tick
        watched = await asyncio.to_thread(self._watch)
        await drained()
        self._stack.close()
        ends = {"t0_ns": watched.asked_ns, "t1_ns": watched.end_ns, "cpu_ns": 0}
        ports = {"sender": "raw", "sink": "raw"}
        return Way(self.wire, ends | {ADVERTS: watched}, ends, ports, talks=True)

    async def abort(self) -> None:
        """End the thread, and close what was opened."""
        self.ended.set()
        self._stack.close()

    def _watch(self) -> Watched:
        watched = Watched(asked_ns=time.monotonic_ns())
        end, again = time.monotonic() + self.seconds, 0.0
        while (now := time.monotonic()) < end and not self.ended.is_set():
            if not watched.adverts and now >= again:
                self._port.send(message.solicitation(MAC))
                again = now + AGAIN_S
            if not select.select([self._port], [], [], min(0.1, end - now))[0]:
                continue
            if advert := message.parsed(self._port.recv(LONGEST), time.monotonic_ns()):
                watched.adverts.append(advert)
        watched.end_ns = time.monotonic_ns()
        return watched
