# SPDX-License-Identifier: Apache-2.0
"""One way of a line again, by other means: whole rational times and an event at a time.

Only the definitions are shared with agent/src/line: s = max(a, f), f = s + 8 (L + o) / R, who is
refused at a full buffer, CoDel's pseudocode (RFC 8289 section 5), which frames chance loses.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, isqrt

Frame = tuple[int, int, int]  # number, arrives_ns, bytes
INTERVAL_NS = 100_000_000
TARGET_NS = 5_000_000
CELL, CELL_PAYLOAD = 53, 48
WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Way:
    """The keys of one way."""

    rate_bps: int = 1_000_000
    buffer_packets: int = 50
    buffer_bytes: int = 0
    fixed_ns: int = 0
    loss_ppb: int = 0
    seed: int = 1
    aqm: str = "fifo"
    overhead_bytes: int = 0
    atm: bool = False
    frame_most: int = 1514

    def takes_ns(self, size: int) -> Fraction:
        """The time of a frame on the line."""
        length = max(0, size + self.overhead_bytes)
        if self.atm:
            length = -(-length // CELL_PAYLOAD) * CELL
        return Fraction(8 * length * 10**9, self.rate_bps) if self.rate_bps else Fraction(0)


def split_mix(seed: int, number: int) -> int:
    """The number-th value of SplitMix64 (Steele, Lea, Flood 2014)."""
    state = (seed + (number + 1) * 0x9E3779B97F4A7C15) & WORD
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = ((state ^ (state >> shift)) * factor) & WORD
    return state ^ (state >> 31)


@dataclass
class Codel:
    """The state of RFC 8289's pseudocode."""

    target: Fraction
    first_above: int = 0
    drop_next: int = 0
    count: int = 0
    last_count: int = 0
    dropping: bool = False

    def law(self, at: int) -> int:
        """When the next drop is due."""
        return at + isqrt(INTERVAL_NS**2 // self.count)


@dataclass
class Model:
    """Events in order of time: an arrival, or the line becomes free."""

    way: Way
    queue: deque[Frame] = field(default_factory=deque)
    free: Fraction = Fraction(0)
    served: int = 0
    waiting: int = 0  # bytes
    fate: dict[int, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        full = floor(self.way.takes_ns(self.way.frame_most))
        self.codel = Codel(max(Fraction(TARGET_NS), Fraction(full + full // 2)))

    def run(self, frames: list[tuple[int, int]]) -> list[tuple[str, int]]:
        """What becomes of each frame (arrives_ns, bytes), and when."""
        for number, (arrives, size) in enumerate(frames):
            self.drain(Fraction(arrives))
            self.arrive((number, arrives, size))
            self.drain(Fraction(arrives))
        self.drain(None)
        return [self.fate[number] for number in range(len(frames))]

    def drain(self, until: Fraction | None) -> None:
        """Begin to send all whose turn comes by then."""
        while self.queue:
            start = max(self.free, Fraction(self.queue[0][1]))
            if until is not None and floor(start) > until:
                return
            frame = self.pop(floor(start))
            if frame:
                self.send(frame, start)

    def send(self, frame: Frame, start: Fraction) -> None:
        """It takes its time on the line."""
        self.free = start + self.way.takes_ns(frame[2])
        chance = ((split_mix(self.way.seed, self.served) >> 32) * 10**9) >> 32
        self.served += 1
        word = "l" if chance < self.way.loss_ppb else "s"
        self.fate[frame[0]] = word, floor(self.free) + self.way.fixed_ns

    def arrive(self, frame: Frame) -> None:
        """Into the queue, or not."""
        way, (number, arrives, size) = self.way, frame
        if way.aqm == "head" and not (way.buffer_bytes and size > way.buffer_bytes):
            while self.queue and not self.has_room(size):
                self.fate[self.take()[0]] = "d", arrives
        if self.has_room(size):
            self.queue.append(frame)
            self.waiting += size
        else:
            self.fate[number] = "d", arrives

    def has_room(self, size: int) -> bool:
        """Whether the buffer takes so many bytes more."""
        way = self.way
        if way.buffer_packets and len(self.queue) >= way.buffer_packets:
            return False
        return not way.buffer_bytes or self.waiting + size <= way.buffer_bytes

    def take(self) -> Frame:
        """Out of the queue."""
        frame = self.queue.popleft()
        self.waiting -= frame[2]
        return frame

    def pop(self, now: int) -> Frame | None:
        """The frame to be sent; what CoDel drops before it gets its fate."""
        if self.way.aqm != "codel":
            return self.take()
        codel = self.codel
        frame, may_drop = self.look(now)
        if codel.dropping:
            codel.dropping = may_drop
            while codel.dropping and now >= codel.drop_next and frame:
                self.fate[frame[0]] = "d", now
                codel.count += 1
                frame, may_drop = self.look(now)
                codel.dropping = may_drop
                if may_drop:
                    codel.drop_next = codel.law(codel.drop_next)
        elif may_drop and frame:
            self.fate[frame[0]] = "d", now
            frame, _ = self.look(now)
            delta = codel.count - codel.last_count
            recent = now - codel.drop_next < 16 * INTERVAL_NS
            codel.count = delta if delta > 1 and recent else 1
            codel.dropping = True
            codel.drop_next = codel.law(now)
            codel.last_count = codel.count
        return frame

    def look(self, now: int) -> tuple[Frame | None, bool]:
        """RFC 8289's dodequeue()."""
        codel = self.codel
        if not self.queue:
            codel.first_above = 0
            return None, False
        frame = self.take()
        if now - frame[1] < codel.target or self.waiting <= self.way.frame_most:
            codel.first_above = 0
        elif not codel.first_above:
            codel.first_above = now + INTERVAL_NS
        elif now >= codel.first_above:
            return frame, True
        return frame, False
