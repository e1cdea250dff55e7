# SPDX-License-Identifier: Apache-2.0
"""A trial of prefix delegation: the WAN host plays the server, and asks the prefix if it is there.

    gateway  Solicit Request ... Renew ... Renew ... Rebind       by a client of its own
    server   Advertise Reply     Reply     Reply     Reply        at once
    WAN host . . . . . . . . . . . . . . . . . . . . . . . .      to the gateway's address in it

One thread plays all, so all times are of one clock. The port's own socket takes what is for a
server, and answers from the prefix; the test packets of other loads it never sees.
"""

import select
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gatemark.kind.delegation import message
from gatemark.kind.delegation.message import Asked
from gatemark.kind.delegation.plan import DELEGATION
from gatemark.plan.model import TrialSpec
from gatemark.station.station import Station
from gatemark.station.wiring import Port, Wire
from gatemark.workload import packet, sieve
from gatemark.workload.byhand import ByHand
from gatemark.workload.packetsocket import LONGEST, opened
from gatemark.workload.way import Load

PING_S: Final = 0.1
FILTER: Final = (
    (0x30, 0, 0, 20),  # next header
    (0x15, 0, 2, packet.UDP),
    (0x28, 0, 0, 56),  # port
    (0x15, 3, 4, message.SERVER_PORT),
    (0x15, 0, 3, packet.ICMPV6),
    (0x30, 0, 0, 54),  # type
    (0x15, 0, 1, message.ECHO_REPLY),
    (0x06, 0, 0, 0xFFFF),
    (0x06, 0, 0, 0),
)
SOCKET: Final = partial(sieve.opened, sieve.ETH_P_IPV6, FILTER)


@dataclass(slots=True)
class Served:
    """The messages of the gateway, and the questions to its prefix that it answered."""

    asked: list[Asked] = field(default_factory=list)
    pings_ns: list[int] = field(default_factory=list)  # when each was sent
    answered: dict[int, int] = field(default_factory=dict)  # its number -> when the answer came
    end_ns: int = 0


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """Return the one that serves."""
    (wire,) = ways
    made = partial(Server, wire.sink, station.ports["gw1"], spec.workload.duration_s)
    return [ByHand[Server](DELEGATION, wire, made, Server.play, beside=True, talks=True)]


class Server:
    """The WAN port, and who plays at it. Raises UnavailableError of another machine's port."""

    def __init__(self, port: Port, gateway: Port, seconds: float, stack: ExitStack) -> None:
        self.ended = threading.Event()
        self._mac, self._own = port.mac, port.address("ipv6")
        self._to = gateway.mac
        self._seconds = seconds
        self._socket = opened(port, stack, SOCKET)

    def play(self) -> Served:
        """Serve, and ask, for as long as the trial lasts."""
        served = Served()
        end = time.monotonic() + self._seconds
        due = time.monotonic()
        while (now := time.monotonic()) < end and not self.ended.is_set():
            if now >= due:
                number = len(served.pings_ns)
                served.pings_ns.append(time.monotonic_ns())
                self._socket.send(message.echo((self._mac, self._to), self._own, number))
                due += PING_S
            if select.select([self._socket], [], [], max(0.0, min(due, end) - now))[0]:
                self._take(self._socket.recv(LONGEST), served)
        served.end_ns = time.monotonic_ns()
        return served

    def _take(self, frame: bytes, served: Served) -> None:
        at_ns = time.monotonic_ns()
        if asked := message.parsed(frame, at_ns):
            served.asked.append(asked)
            self._socket.send(message.answer(asked, self._mac))
        elif (number := message.echoed(frame)) is not None:
            served.answered.setdefault(number, at_ns)
