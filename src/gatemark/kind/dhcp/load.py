# SPDX-License-Identifier: Apache-2.0
"""A trial of addresses: many hosts, played at the LAN port by frames made by hand.

    host     DISCOVER -->      REQUEST -->  |  half of the time   REQUEST -->
    server            <-- OFFER      <-- ACK |  later                     <-- ACK

One thread plays all, so all times are of one clock. The port's own socket takes what is for hosts
that are leased to, and questions of ARP; the test packets of other loads it never sees.
"""

import asyncio
import errno
import select
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, Self

from gatemark.kind.dhcp import message
from gatemark.kind.dhcp.message import ACK, NAK, OFFER, Answer
from gatemark.kind.dhcp.plan import DHCP, MOST_LEASES, RESEND_S, TRIES
from gatemark.node.agent import Tick
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload import packet, sieve
from gatemark.workload.packetsocket import LONGEST, opened
from gatemark.workload.way import Drained, Load, Way

NS_A_S: Final = 1_000_000_000
ETH_P_IP, ETH_P_ARP = 0x0800, 0x0806
SOL_PACKET: Final = 263
PACKET_ADD_MEMBERSHIP, PACKET_STATISTICS, PACKET_MR_PROMISC = 1, 6, 1
ROOM: Final = 4 << 20  # bytes of its buffer
STEP_S: Final = 0.001
LOOK_S: Final = 0.02
FEW: Final = 4  # messages that nobody answers, at once
# UDP to port 68 in a packet of IPv4 without options (bpf(4): load, compare, return).
FILTER: Final = (
    (0x30, 0, 0, 23),  # protocol
    (0x15, 0, 3, 17),
    (0x28, 0, 0, 36),  # port
    (0x15, 0, 1, message.CLIENT_PORT),
    (0x06, 0, 0, 0xFFFF),
    (0x06, 0, 0, 0),
)


@dataclass(slots=True)
class Host:
    """A host that wants an address, and what became of it."""

    number: int
    mac: bytes
    xid: int
    frame: bytes = b""  # that it sent last
    sent_ns: int = 0  # when that was, for the last time
    first_ns: int = 0  # its first question
    offer_ns: int = 0  # from there to the offer
    tries: int = 0  # of the frame
    lease: Answer | None = None
    asked_ns: int = 0  # for more time, first
    renewed: Answer | None = None
    refusals: int = 0  # of addresses that it had been offered
    is_refused: bool = False  # more time, by a NAK


@dataclass(slots=True)
class Played:
    """All hosts of a trial."""

    hosts: list[Host] = field(default_factory=list)
    sent: int = 0  # messages
    lost: int = 0  # of them without an answer in time
    leasing_ns: int = 0  # from the first question to the last address
    overflown: int = 0  # frames that the port's own socket had no room for


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that plays all hosts."""
    del station
    return [Addresses(ways[0], spec.workload)]


class Addresses:
    """The load of a trial: a thread that plays."""

    def __init__(self, wire: Wire, load: Workload) -> None:
        self.wire = wire
        self.load = load
        self._stack = ExitStack()
        self._lan: Lan | None = None

    async def ready(self) -> Self:
        """Open the sockets. Raises UnavailableError where the LAN host is another machine."""
        self._lan = Lan(self.wire, self._stack)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Play; nothing is on its way after it."""
        del tick
        assert self._lan is not None
        t0_ns = time.monotonic_ns()
        played = await asyncio.to_thread(Game(self._lan, self.load).play)
        ends = {"t0_ns": t0_ns, "t1_ns": time.monotonic_ns(), "cpu_ns": 0}
        await drained()
        self._stack.close()
        ports = {"sender": "raw", "sink": "raw"}
        return Way(self.wire, ends | {DHCP: played}, ends, ports, talks=True)

    async def abort(self) -> None:
        """End the thread, and close what was opened."""
        if self._lan:
            self._lan.ended.set()
        self._stack.close()


class Lan:
    """The LAN port: hosts' frames out, servers' answers in, ARP answered for whom it leases to."""

    def __init__(self, wire: Wire, stack: ExitStack) -> None:
        self.ended = threading.Event()
        self.macs: dict[str, bytes] = {}  # address -> MAC address, of who has a lease
        self._answers = opened(wire.source, stack, _answers)
        self._arp = opened(wire.source, stack, _arp)

    def send(self, frame: bytes) -> int:
        """Send a frame; return when that was, ns. What a queue does not take is lost."""
        at_ns = time.monotonic_ns()
        try:
            self._answers.send(frame)
        except OSError as error:
            if error.errno not in (errno.ENOBUFS, errno.EAGAIN):
                raise
        return at_ns

    def read(self, longest_s: float) -> Iterator[Answer]:
        """Yield the answers that have come, waiting so long at most for the first."""
        ready, _, _ = select.select([self._answers, self._arp], [], [], max(0.0, longest_s))
        if self._arp in ready:
            self._answer_arp()
        while self._answers in ready:
            try:
                frame = self._answers.recv(LONGEST)
            except BlockingIOError:
                return
            if answer := message.parsed(frame, time.monotonic_ns()):
                yield answer

    @property
    def overflown(self) -> int:
        """Return how many frames its socket had no room for, since this was asked last."""
        counts = self._answers.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
        return int(struct.unpack("II", counts)[1])

    def _answer_arp(self) -> None:
        while True:
            try:
                frame = self._arp.recv(LONGEST)
            except BlockingIOError:
                return
            asked = socket.inet_ntoa(frame[38:42]) if len(frame) >= 42 else ""
            if mac := self.macs.get(asked):
                answer = packet.arp_answer(frame, mac.hex(":"), (asked,))
                if answer:
                    self.send(answer)


class Game:
    """The course of a trial: hosts come, then renew."""

    def __init__(self, lan: Lan, load: Workload) -> None:
        self.lan = lan
        self.load = load
        self.played = Played()
        self._waiting: dict[int, Host] = {}  # by xid
        self._looks = 0.0  # next time at those who wait
        self._salt = time.monotonic_ns() & 0xFFFF  # no trial's hosts are known to a server

    def play(self) -> Played:
        """Both halves."""
        began_ns = time.monotonic_ns()
        self._run(self._come, self._hosts(), self._take)
        leased = [host for host in self.played.hosts if host.lease]
        last_ns = max((host.lease.at_ns for host in leased if host.lease), default=began_ns)
        self.played.leasing_ns = last_ns - began_ns
        self._run(self._renew, leased, self._keep, is_all=True)
        self.played.overflown = self.lan.overflown
        self._leave(leased)
        return self.played

    def _leave(self, hosts: Iterable[Host]) -> None:
        """Give all leases back, a few at a time: a box's own server is to have them again."""
        for number, host in enumerate(hosts, 1):
            if host.lease:
                self.lan.send(message.release(host.mac, host.xid, host.lease))
            if number % FEW == 0:
                time.sleep(STEP_S)

    def _hosts(self) -> Iterator[Host]:
        for number in range(MOST_LEASES):
            mac = bytes((0x02, 0x67, *self._salt.to_bytes(2, "big"), *number.to_bytes(2, "big")))
            host = Host(number, mac, self._salt << 16 | number)
            self.played.hosts.append(host)
            yield host

    def _run(
        self,
        begin: Callable[[Host], None],
        hosts: Iterable[Host],
        take: Callable[[Host, Answer], None],
        *,
        is_all: bool = False,
    ) -> None:
        """Let hosts begin at the rate for half of the time, and wait until each has an end.

        `is_all`: where no rate is asked for, until all have begun.
        """
        rate = self.load.rate_pps
        began = time.monotonic()
        until, due = began + self.load.duration_s / 2, began
        left, queue = iter(hosts), deque[Host]()
        if is_all:
            queue.extend(left)
        while not self.lan.ended.is_set():
            now = time.monotonic()
            is_open = bool(queue) if is_all else now < until
            if is_open and (now >= due if rate else len(self._waiting) < self.load.clients):
                host = queue.popleft() if is_all else next(left, None)
                if host is None:
                    until = now
                    continue
                begin(host)
                due += 1 / rate if rate else 0.0
            elif not is_open and not self._waiting:
                return
            for answer in self.lan.read(0.0 if rate and now >= due and is_open else STEP_S):
                if host := self._waiting.get(answer.xid):
                    take(host, answer)
            self._again()

    def _come(self, host: Host) -> None:
        self._send(host, message.discover(host.mac, host.xid))
        host.first_ns = host.sent_ns

    def _take(self, host: Host, answer: Answer) -> None:
        if answer.kind == OFFER and not host.offer_ns:
            host.offer_ns = answer.at_ns - host.first_ns
            self._send(host, message.request(host.mac, host.xid, answer))
        elif answer.kind == ACK:
            host.lease = answer
            self.lan.macs[answer.address] = host.mac
            self._waiting.pop(host.xid)
        elif answer.kind == NAK:  # it begins anew (RFC 2131, section 3.1)
            self._waiting.pop(host.xid)
            host.refusals += 1
            host.offer_ns = 0
            if host.refusals < TRIES:
                self._send(host, message.discover(host.mac, host.xid))

    def _renew(self, host: Host) -> None:
        assert host.lease is not None
        self._send(host, message.renew(host.mac, host.xid, host.lease))
        host.asked_ns = host.sent_ns

    def _keep(self, host: Host, answer: Answer) -> None:
        if answer.kind == ACK:
            host.renewed = answer
            self._waiting.pop(host.xid)
        elif answer.kind == NAK:
            host.is_refused = True
            self._waiting.pop(host.xid)

    def _send(self, host: Host, frame: bytes, tries: int = 1) -> None:
        host.frame, host.tries = frame, tries
        host.sent_ns = self.lan.send(frame)
        self.played.sent += 1
        self._waiting[host.xid] = host

    def _again(self) -> None:
        """Send again what had no answer, and give up who asked often enough."""
        if time.monotonic() < self._looks:
            return
        self._looks = time.monotonic() + LOOK_S
        late_ns = time.monotonic_ns() - round(RESEND_S * NS_A_S)
        for host in [host for host in self._waiting.values() if host.sent_ns < late_ns]:
            self.played.lost += 1
            if host.tries < TRIES:
                self._send(host, host.frame, host.tries + 1)
            else:
                self._waiting.pop(host.xid)


def _answers(device: str) -> socket.socket:
    """A packet socket that takes what is for port 68 alone, whomever it is for."""
    made = _socket(device, ETH_P_IP)
    sieve.attach(made, FILTER)
    return made


def _arp(device: str) -> socket.socket:
    return _socket(device, ETH_P_ARP)


def _socket(device: str, protocol: int) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    made.bind((device, protocol))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
    index = socket.if_nametoindex(device)
    everyone = struct.pack("iHH8s", index, PACKET_MR_PROMISC, 0, b"")
    made.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, everyone)
    made.setblocking(False)
    return made
