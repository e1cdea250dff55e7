# SPDX-License-Identifier: Apache-2.0
"""Groups through the gateway: sent all the time, joined by a member for a while.

    sent      |||||||||||||||||||||||||||||||||||||||||||||||||
    member    ......|------------- duration_s ----|............
    neighbour ......|------|...................................
    arrives         .  ||||||||||||||||||||||||||||||||
                   join: to its next packet       leave: to its last

One thread sends from one host and watches the port of the other, so all times are of one clock. The
port is watched beside the member's socket: what a gateway floods to a host that is no member would
never reach a socket. The neighbour is another host of the LAN that joins and leaves in the middle,
by packets made by hand: the member must keep its groups.

Where the source is on the WAN side it is a provider's router: from the join on it sends a group as
long as the gateway is a member of it there. What it does not send so counts as not forwarded.
"""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gatemark.kind.multicast.membership import (
    AT,
    EACH,
    HEADER,
    IGMP_LEAVE,
    IGMP_REPORT,
    IPV6,
    OURS,
    PORT,
    TO,
    Member,
    group,
    is_query,
    listening,
    neighbour,
    source,
    wanted,
)
from gatemark.kind.multicast.plan import BEFORE_S, LEAVING_S, rate_pps
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.station import Station
from gatemark.station.wiring import FIRST_CLIENT, Wire
from gatemark.workload.byhand import ByHand
from gatemark.workload.packetsocket import LONGEST, opened
from gatemark.workload.way import Load

PORTS: Final = {"sender": "udp", "sink": "ring"}
FRAME_BYTES: Final = 64  # a number of 8 bytes, padded
QUIET_S: Final = 1.5  # without a packet: it has been left; a querier asks once a second
NUMBER: Final = struct.Struct("!Q")
NS_A_S: Final = 1_000_000_000
IN_THE_MIDDLE: Final = 0.5  # of the time as a member: the neighbour leaves


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one direction."""
    del station
    return [
        ByHand[Group]("group", wire, partial(Group, wire, spec.workload), Group.play, ports=PORTS)
        for wire in ways
    ]


@dataclass(slots=True)
class Seen:
    """When each packet was sent, and came to the member's port; packet n is of n % groups."""

    groups: int = 1
    sent_ns: list[int] = field(default_factory=list)
    arrived_ns: dict[int, int] = field(default_factory=dict)  # by number
    last_ns: int = 0  # of these arrivals
    queries_ns: list[int] = field(default_factory=list)  # when somebody asked for members
    joined_ns: int = 0
    left_ns: int = 0


class Group:
    """A trial's sockets, and its course: before, as a member, and until nothing comes any more.

    Raises UnavailableError where a host is another machine.
    """

    def __init__(self, wire: Wire, load: Workload, stack: ExitStack) -> None:
        self.load = load
        self.ended = threading.Event()
        self._to = [(group(load.family, number), PORT) for number in range(load.groups)]
        self._own = wire.sink.neighbour("ipv4", FIRST_CLIENT)
        self._source = opened(wire.source, stack, partial(source, wire.source, load.family))
        self._asked = dict.fromkeys((name for name, _ in self._to), False)
        self._router = opened(wire.source, stack, listening) if is_router(wire, load) else None
        names = [name for name, _ in self._to]
        parts = [names[at : at + EACH] for at in range(0, len(names), EACH)]
        self._members = [Member(load.family, part, wire.sink) for part in parts]
        for member in self._members:
            opened(wire.sink, stack, member.make)
        self._port = opened(wire.sink, stack)
        self._port.setblocking(False)

    def play(self) -> Seen:
        """Send, join, leave; returns what was sent and what arrived."""
        seen = Seen(self.load.groups)
        self._until(seen, BEFORE_S)
        seen.joined_ns = time.monotonic_ns()
        for member in self._members:
            member.join()
        self._neighbour(IGMP_REPORT)
        self._until(seen, IN_THE_MIDDLE * self.load.duration_s)
        self._neighbour(IGMP_LEAVE)
        self._until(seen, (1 - IN_THE_MIDDLE) * self.load.duration_s)
        seen.left_ns = time.monotonic_ns()
        for member in self._members:
            member.leave()
        self._until(seen, LEAVING_S, lambda: is_quiet(seen))
        return seen

    def _neighbour(self, kind: int) -> None:
        """Have the neighbour join or leave all groups."""
        for name, _ in self._to if self.load.neighbour else ():
            with contextlib.suppress(BlockingIOError):
                self._port.send(neighbour(kind, name, self._own))

    def _until(self, seen: Seen, seconds: float, is_over: Callable[[], bool] | None = None) -> None:
        """Send at the rate for so long, or until it is over, and note what arrives."""
        gap_ns = round(NS_A_S / rate_pps(self.load))
        due_ns = time.monotonic_ns()
        end_ns = due_ns + round(seconds * NS_A_S)
        while due_ns < end_ns and not self.ended.is_set() and not (is_over and is_over()):
            number = len(seen.sent_ns)
            to = self._to[number % len(self._to)]
            if self._router is None or not seen.joined_ns or self._asked[to[0]]:
                self._source.sendto(NUMBER.pack(number), to)
            seen.sent_ns.append(time.monotonic_ns())
            due_ns += gap_ns
            self._watch(seen, due_ns)

    def _watch(self, seen: Seen, until_ns: int) -> None:
        while True:
            try:
                frame, at = self._port.recvfrom(LONGEST)
            except BlockingIOError:
                self._listen()
                if (left_ns := until_ns - time.monotonic_ns()) <= 0:
                    return
                time.sleep(min(left_ns, 100_000) / NS_A_S)
                continue
            at_ns = time.monotonic_ns()
            if at[2] == socket.PACKET_OUTGOING:
                continue
            if (number := number_of(frame)) is not None:
                seen.arrived_ns.setdefault(number, at_ns)
                seen.last_ns = at_ns
            elif is_query(frame, self.load.family):
                seen.queries_ns.append(at_ns)

    def _listen(self) -> None:
        """Note of which groups the gateway is a member on the WAN side."""
        while self._router is not None:
            try:
                frame = self._router.recv(LONGEST)
            except BlockingIOError:
                return
            self._asked |= wanted(frame)


def is_router(wire: Wire, load: Workload) -> bool:
    """Return whether the source is a router that the gateway asks for groups: on the WAN side."""
    networks = {port.interface("ipv4").network for port in (wire.source, wire.sink)}
    return load.family == "ipv4" and wire.direction == "down" and len(networks) > 1


def is_quiet(seen: Seen) -> bool:
    """Return True if nothing has come for long enough since it was left."""
    return time.monotonic_ns() - max(seen.left_ns, seen.last_ns) > QUIET_S * NS_A_S


def number_of(frame: bytes) -> int | None:
    """Return the number of a packet of a group; None of any other frame."""
    kind = frame[12:AT]
    udp = AT + HEADER.get(kind, 0)
    protocol = frame[AT + 6 : AT + 7] if kind == IPV6 else frame[AT + 9 : AT + 10]
    if kind not in HEADER or protocol != b"\x11" or len(frame) < udp + 8 + NUMBER.size:
        return None
    if frame[TO[kind] : TO[kind] + 2] != OURS[kind]:
        return None
    (port,) = struct.unpack_from("!H", frame, udp + 2)
    return int(NUMBER.unpack_from(frame, udp + 8)[0]) if port == PORT else None
