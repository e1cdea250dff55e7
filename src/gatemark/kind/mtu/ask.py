# SPDX-License-Identifier: Apache-2.0
"""The questions of sizes, one way through the gateway.

    1  which sizes come through, of those that may not be cut?   some, then all in the gap between
    2  does the sender learn of longer ones, and which size?     ICMP *fragmentation needed*,
    3  is a longer one that may be cut cut?                      IPv6 *packet too big*
    4  do fragments come through, in order and the last first?
    5  which segment size does TCP's first segment offer?

Behind NAT a mapping is opened from inside first: what goes down goes to it.
"""

import time
from collections.abc import Callable, Iterable
from typing import Final

from gatemark.error import InvalidTrialError
from gatemark.kind.mtu.fragment import in_two, may_be_cut
from gatemark.kind.mtu.seen import Seen
from gatemark.plan.feature import longest_bytes
from gatemark.plan.model import TrialSpec
from gatemark.station.wiring import FAR_HOSTS, FIRST_CLIENT, Wire
from gatemark.unit import MTU_BYTES
from gatemark.workload import packet
from gatemark.workload.ends import LAN, WAN, Ends
from gatemark.workload.packet import ACK, SYN, UDP, End, Segment

HEADERS: Final = {"ipv4": 28, "ipv6": 48}  # bytes of IP and UDP
LEAST: Final = {"ipv4": 576, "ipv6": 1280}  # that each path carries (RFC 791, RFC 8200)
# What people meet: Ethernet, PPPoE, L2TP, 6in4, GRE, WireGuard, LTE, IPv6's least.
SIZES: Final = (1500, 1492, 1480, 1476, 1460, 1440, 1428, 1420, 1400, 1360, 1320, 1280, 1000, 576)
APART: Final = 500  # bytes between two jumbo frames
TRIES: Final = 3  # of each size: one that is lost by chance is none that does not go
PARTS: Final = (704, 600)  # bytes of data in the two parts of a datagram
PORT: Final = 4000
FIRST_PORT: Final = 31_000
SEQUENCE: Final = {LAN: 0x10000000, WAN: 0x20000000}


class Asker:
    """All questions of one trial; `values` are the answers."""

    def __init__(self, ends: Ends[Seen], up: Wire, spec: TrialSpec, side: str) -> None:
        family = spec.workload.family
        self.full = longest_bytes(spec.arm.features)  # that both ends take
        self.ends = ends
        self.family = family
        self.side = side
        self.other = WAN if side == LAN else LAN
        self.client = up.near.neighbour(family, FIRST_CLIENT)
        self.host = up.far.neighbour(family, FAR_HOSTS[-2])
        self.is_nat = spec.arm.path == "nat"
        self.values: dict[str, float] = {}
        self._ports = iter(range(FIRST_PORT, 60_000))

    def all(self) -> None:
        """Ask everything. Raises InvalidTrialError where no short packet comes through."""
        began = time.monotonic()
        self._flow()
        self.ends.trust(time.monotonic() - began)
        since, longest = self._longest()
        self.values["mtu_bytes"] = longest
        self.values["mtu_handled"] = 1.0
        if longest < self.full:
            self._learn(since, longest)
            if self.family == "ipv4":
                self.values["mtu_fragmented"] = self._is_whole(may_be_cut, self.full)
        self.values["mtu_fragments"] = self._in_parts()
        self.values["mtu_fragments_late"] = self._in_parts(is_late=True)
        self._segment()

    def _flow(self) -> tuple[End, End]:
        """Source and sink of a flow that this way takes; behind NAT it is opened from inside."""
        client, host = (self.client, next(self._ports)), (self.host, PORT)
        if self.side == LAN and self.ends.seen[WAN]:
            return client, host  # the first packet was seen to come through
        for _ in range(TRIES):
            since = self.ends.send(LAN, self._frame(LAN, (client, host), 0))
            if seen := self.ends.wait(WAN, lambda s: s.sink == self.host and s.port > 0, since):
                if self.side == LAN:
                    return client, host
                return host, ((seen.source, seen.port) if self.is_nat else client)
        raise InvalidTrialError(
            f"no short packet came through: {self.client} to {self.host}; does a rule drop it?"
        )

    def _frame(self, side: str, ends: tuple[End, End], size: int) -> bytes:
        """A frame of the flow; `size`: bytes of its IP packet, or a short one."""
        data = packet.payload(0, max(18, size - HEADERS[self.family]))
        return packet.udp(self.ends.macs[side], *ends, data)

    def _longest(self) -> tuple[int, int]:
        """Return when the first was sent, and the longest IP packet that came through."""
        sizes = [*range(self.full, MTU_BYTES, -APART)]  # of jumbo frames
        sizes += [size for size in SIZES if size >= LEAST[self.family]]
        since, came = self._come(sizes)
        if not came:
            raise InvalidTrialError(f"no packet of {sizes[-1]} bytes came through")
        longest = max(came)
        beyond = min((size for size in sizes if size > longest), default=longest)
        _, more = self._come(range(longest + 1, beyond))
        return since, max([longest, *more])

    def _come(self, sizes: Iterable[int]) -> tuple[int, set[int]]:
        """Send some sizes; return when the first was sent, and those that came."""
        flow, since = self._flow(), time.monotonic_ns()
        asked = list(sizes)
        for size in asked * TRIES if asked else ():
            self.ends.send(self.side, self._frame(self.side, flow, size))
        arrived = self.ends.since(self.other, since) if asked else []
        return since, {s.size for s in arrived if s.protocol == UDP and s.is_last} & {*asked}

    def _learn(self, since: int, longest: int) -> None:
        """Keep what the sender learns of what is too long."""
        limits = [seen.limit for seen in self.ends.since(self.side, since) if seen.limit]
        self.values["mtu_told"] = float(bool(limits))
        if limits:
            self.values["mtu_told_bytes"] = min(limits)
        if not limits or min(limits) > longest:  # a size that does not go is no help
            self.values["mtu_handled"] = longest / self.full

    def _in_parts(self, *, is_late: bool = False) -> float:
        def cut(frame: bytes) -> list[bytes]:
            parts = in_two(frame, PARTS[0], next(self._ports))
            return parts[::-1] if is_late else parts

        return self._is_whole(cut, sum(PARTS) + HEADERS[self.family] - 8)

    def _is_whole(self, made: Callable[[bytes], list[bytes]], size: int) -> float:
        """1 if a packet that is sent so arrives with all its data, in whatever parts; else 0."""
        flow = self._flow()
        for _ in range(TRIES):
            since = time.monotonic_ns()
            for frame in made(self._frame(self.side, flow, size)):
                self.ends.send(self.side, frame)
            arrived = [s for s in self.ends.since(self.other, since) if s.protocol == UDP]
            data = {(seen.number, seen.offset): seen.data for seen in arrived}
            if sum(data.values()) == size - HEADERS[self.family] + 8:
                return 1.0
        return 0.0

    def _segment(self) -> None:
        """The option of the first segment, or of the answer to it."""
        client, host = (self.client, next(self._ports)), (self.host, PORT)
        opening = Segment(SEQUENCE[LAN], 0, SYN, _mss(self.family, self.full))
        seen = self._offer(LAN, (client, host), opening)
        if seen and self.side == WAN:
            answer = Segment(
                SEQUENCE[WAN], SEQUENCE[LAN] + 1, SYN | ACK, _mss(self.family, self.full)
            )
            seen = self._offer(WAN, (host, (seen.source, seen.port)), answer)
        if seen:
            self.values["mtu_mss_bytes"] = seen.mss

    def _offer(self, side: str, flow: tuple[End, End], segment: Segment) -> Seen | None:
        """Send a segment from a side; returns it as it comes out."""
        for _ in range(TRIES):
            since = self.ends.send(side, packet.tcp(self.ends.macs[side], *flow, segment))
            if seen := self.ends.wait(WAN if side == LAN else LAN, lambda s: s.mss > 0, since):
                return seen
        return None


def _mss(family: str, full: int) -> bytes:
    """The option of a host whose port takes packets of so many bytes."""
    return b"\x02\x04" + (full - HEADERS[family] - 12).to_bytes(2, "big")
