# SPDX-License-Identifier: Apache-2.0
"""A group through the gateway: sent all the time, joined by a member for a while.

    sent      |||||||||||||||||||||||||||||||||||||||||||||||||
    member    ......|------------- duration_s ----|............
    arrives         .  ||||||||||||||||||||||||||||||||
                   join: to its next packet       leave: to its last

One thread sends from one host and watches the port of the other, so all times are of one clock. The
port is watched beside the member's socket: what a gateway floods to a host that is no member would
never reach a socket.
"""

import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from gatemark.kind.multicast.plan import BEFORE_S, LEAVING_S, rate_pps
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.byhand import ByHand
from gatemark.workload.packetsocket import LONGEST, opened
from gatemark.workload.way import Load

GROUP: Final = "239.192.7.7"  # of an organisation's own (RFC 2365)
GROUP_BYTES: Final = socket.inet_aton(GROUP)
PORT: Final = 5007
PORTS: Final = {"sender": "udp", "sink": "ring"}
HOPS: Final = 16
FRAME_BYTES: Final = 64  # a number of 8 bytes, padded
QUIET_S: Final = 1.5  # without a packet: it has been left; a querier asks once a second
NUMBER: Final = struct.Struct("!Q")
IPV4: Final = b"\x08\x00"
AT, HEADER = 14, 20  # bytes of Ethernet, and of an IPv4 packet without options
NS_A_S: Final = 1_000_000_000


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one direction."""
    del station
    return [
        ByHand[Group]("group", wire, partial(Group, wire, spec.workload), Group.play, ports=PORTS)
        for wire in ways
    ]


@dataclass(slots=True)
class Seen:
    """When each packet was sent, and when it was at the member's port."""

    sent_ns: list[int] = field(default_factory=list)
    arrived_ns: dict[int, int] = field(default_factory=dict)  # by number
    last_ns: int = 0  # of these arrivals
    joined_ns: int = 0
    left_ns: int = 0


class Group:
    """A trial's sockets, and its course: before, as a member, and until nothing comes any more.

    Raises UnavailableError where a host is another machine.
    """

    def __init__(self, wire: Wire, load: Workload, stack: ExitStack) -> None:
        self.load = load
        self.ended = threading.Event()
        source, sink = wire.source, wire.sink
        own = socket.inet_aton(source.address("ipv4"))
        self._group = GROUP_BYTES + socket.inet_aton(sink.address("ipv4"))  # ip_mreq
        self._source = opened(source, stack, partial(_source, own=own))
        self._member = opened(sink, stack, _member)
        self._port = opened(sink, stack)
        self._port.setblocking(False)

    def play(self) -> Seen:
        """Send, join, leave; returns what was sent and what arrived."""
        seen = Seen()
        self._until(seen, BEFORE_S)
        seen.joined_ns = time.monotonic_ns()
        self._member.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, self._group)
        self._until(seen, self.load.duration_s)
        seen.left_ns = time.monotonic_ns()
        self._member.setsockopt(socket.IPPROTO_IP, socket.IP_DROP_MEMBERSHIP, self._group)
        self._until(seen, LEAVING_S, lambda: is_quiet(seen))
        return seen

    def _until(self, seen: Seen, seconds: float, is_over: Callable[[], bool] | None = None) -> None:
        """Send at the rate for so long, or until it is over, and note what arrives."""
        gap_ns = round(NS_A_S / rate_pps(self.load))
        due_ns = time.monotonic_ns()
        end_ns = due_ns + round(seconds * NS_A_S)
        while due_ns < end_ns and not self.ended.is_set() and not (is_over and is_over()):
            self._source.sendto(NUMBER.pack(len(seen.sent_ns)), (GROUP, PORT))
            seen.sent_ns.append(time.monotonic_ns())
            due_ns += gap_ns
            self._watch(seen, due_ns)

    def _watch(self, seen: Seen, until_ns: int) -> None:
        while True:
            try:
                frame = self._port.recv(LONGEST)
            except BlockingIOError:
                if (left_ns := until_ns - time.monotonic_ns()) <= 0:
                    return
                time.sleep(min(left_ns, 100_000) / NS_A_S)
                continue
            at_ns = time.monotonic_ns()
            if (number := number_of(frame)) is not None:
                seen.arrived_ns.setdefault(number, at_ns)
                seen.last_ns = at_ns


def is_quiet(seen: Seen) -> bool:
    """Return True if nothing has come for long enough since it was left."""
    return time.monotonic_ns() - max(seen.left_ns, seen.last_ns) > QUIET_S * NS_A_S


def number_of(frame: bytes) -> int | None:
    """Return the number of a packet of the group; None of any other frame."""
    payload = AT + HEADER + 8
    is_its = frame[12:14] == IPV4 and frame[AT + 16 : AT + HEADER] == GROUP_BYTES
    if not is_its or len(frame) < payload + NUMBER.size:
        return None
    (port,) = struct.unpack_from("!H", frame, AT + HEADER + 2)
    return int(NUMBER.unpack_from(frame, payload)[0]) if port == PORT else None


def _source(device: str, own: bytes) -> socket.socket:
    """A socket that sends to the group from this host's address."""
    del device
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, HOPS)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    return made


def _member(device: str) -> socket.socket:
    """A socket that joins and leaves; what comes is read at the port."""
    del device
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
