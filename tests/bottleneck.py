# SPDX-License-Identifier: Apache-2.0
"""A small simulation of TCP and a real-time flow over a drop-tail line, whose answer is known.

    TCP sources ---+
                   |--> buffer of n frames --> line of R bit/s --> way back, `round_trip_ns`
    a flow --------+

Events in a heap. TCP sends whole segments as its window allows. It grows by slow start until its
first loss, then as reno (RFC 5681) or CUBIC (RFC 9438) does, and backs off once a window. A lost
segment is known when a later one of its stream is acknowledged. There are no time-outs.
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush

from gatemark.judge.queue.flow import Columns, Flow

SEGMENT_BYTES, PAYLOAD_BYTES, GAME_BYTES = 1514, 1448, 87
GAP_NS = 40_000_000  # between packets of the flow
S_NS = 1_000_000_000


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    congestion: str
    rate_bps: float
    buffer_packets: int
    load_s: float
    streams: int = 1
    round_trip_ns: float = 0.0
    idle_s: float = 2.0  # before the load
    after_s: float = 4.0  # behind it
    first: bool = False  # the flow's packets go before all that wait


@dataclass
class Stream:
    """One TCP connection: what it sends, and what it learns of it."""

    congestion: str
    window: float = 10.0
    threshold: float = float("inf")
    flying: int = 0
    number: int = 0  # of the next segment
    recover: int = 0  # losses of segments before this one are known already
    lost: list[int] = field(default_factory=list)
    peak: float = 0.0
    backed_ns: float = 0.0
    acked: list[tuple[int, int]] = field(default_factory=list)  # when, segments so far

    def acknowledge(self, now_ns: float, number: int) -> None:
        """A segment arrived, so those before it that did not are lost."""
        known = [segment for segment in self.lost if segment < number]
        self.lost = [segment for segment in self.lost if segment > number]
        self.flying -= 1 + len(known)
        if any(segment >= self.recover for segment in known):
            self._back_off(now_ns)
        self._grow(now_ns)
        self.acked.append((round(now_ns), self.acked[-1][1] + 1 if self.acked else 1))

    def _grow(self, now_ns: float) -> None:
        if self.window < self.threshold:
            self.window += 1
        elif self.congestion == "reno":
            self.window += 1 / self.window
        else:
            root = (0.3 * self.peak / 0.4) ** (1 / 3)
            aim = 0.4 * ((now_ns - self.backed_ns) / S_NS - root) ** 3 + self.peak
            self.window += max(0.0, min(aim - self.window, self.window / 2)) / self.window

    def _back_off(self, now_ns: float) -> None:
        self.peak, self.backed_ns = self.window, now_ns
        self.window *= 0.5 if self.congestion == "reno" else 0.7
        self.threshold = self.window
        self.recover = self.number


class Line:
    """A serialising line and its buffer of so many frames, besides the one in service."""

    def __init__(self, rate_bps: float, buffer_packets: int) -> None:
        self.rate_bps = rate_bps
        self.buffer_packets = buffer_packets
        self.free_ns = 0.0
        self.starts: list[float] = []  # of service, of frames that wait
        self.dropped_ns: list[int] = []

    def take(self, now_ns: float, size: int, *, first: bool = False) -> float | None:
        """When a frame leaves; None: the buffer is full.

        `first`: it waits for the one in service alone.
        """
        self.starts = [at for at in self.starts if at > now_ns]
        own_ns = size * 8 * S_NS / self.rate_bps
        if first:
            start = min([*self.starts[:1], max(now_ns, self.free_ns)])
            self.free_ns = max(now_ns, self.free_ns) + own_ns
            return start + own_ns
        if len(self.starts) >= self.buffer_packets:
            self.dropped_ns.append(round(now_ns))
            return None
        start = max(now_ns, self.free_ns)
        self.starts.append(start)
        self.free_ns = start + own_ns
        return self.free_ns


class Simulation:
    """What goes over a line, and what comes of it."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.line = Line(setting.rate_bps, setting.buffer_packets)
        self.streams = [Stream(setting.congestion) for _ in range(setting.streams)]
        self.start_ns = round(setting.idle_s * S_NS)
        self.end_ns = self.start_ns + round(setting.load_s * S_NS)
        self.arrived: tuple[list[int], list[float]] = ([], [])
        self.lost_ns: list[int] = []
        self._events: list[tuple[float, int, int, int]] = []  # when, order, stream, number
        self._order = 0
        self._run()

    @property
    def flow(self) -> Flow:
        """The real-time flow's packets."""
        return Flow.of(self.arrived, (self.lost_ns, [0.0] * len(self.lost_ns)))

    @property
    def load_ns(self) -> tuple[float, float]:
        """The load's first byte and its last."""
        return float(self.start_ns), float(self.end_ns)

    @property
    def least_ns(self) -> float:
        """The delay of a packet that does not wait."""
        return GAME_BYTES * 8 * S_NS / self.setting.rate_bps

    def acked_bytes(self, place: int) -> Columns:
        """Bytes so far of a stream, over time."""
        acked = self.streams[place].acked
        return [at for at, _ in acked], [float(n * PAYLOAD_BYTES) for _, n in acked]

    def _post(self, at: float, stream: int, number: int) -> None:
        self._order += 1
        heappush(self._events, (at, self._order, stream, number))

    def _run(self) -> None:
        for place in range(len(self.streams)):
            self._post(self.start_ns + place * 1_000_003, place, -1)
        last_ns = self.end_ns + round(self.setting.after_s * S_NS)
        for place, at in enumerate(range(0, last_ns, GAP_NS)):
            # Not in step with the line: up to 8 ms off, by the number of the packet.
            self._post(at + place * 7919 % 8_000_000, -1, place)
        while self._events:
            now, _, place, number = heappop(self._events)
            if place < 0:
                self._play(now)
                continue
            if number >= 0:
                self.streams[place].acknowledge(now, number)
            self._send(now, place)

    def _play(self, now: float) -> None:
        leaves = self.line.take(now, GAME_BYTES, first=self.setting.first)
        if leaves is None:
            self.lost_ns.append(round(now))
            return
        self.arrived[0].append(round(leaves))
        self.arrived[1].append(leaves - now)

    def _send(self, now: float, place: int) -> None:
        stream = self.streams[place]
        while now < self.end_ns and stream.flying < int(stream.window):
            leaves = self.line.take(now, SEGMENT_BYTES)
            stream.flying += 1
            if leaves is None:
                stream.lost.append(stream.number)
            else:
                self._post(leaves + self.setting.round_trip_ns, place, stream.number)
            stream.number += 1
