# SPDX-License-Identifier: Apache-2.0
"""A gateway in steps of 1 ms: a queue of 256 packets before a CPU, and what is planted in it.

A packet is refused where the queue is full, served by the CPU, then meets what drops behind it: a
share, a policer, a shaper. Nothing is sent. As in the lab: the capacity drifts, and sender and
gateway lose their CPU for some ms now and then.
"""

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from statistics import mean, median, pstdev
from typing import NamedTuple

from gatemark.judge.finding import Shape
from gatemark.judge.point.group import Group, group
from gatemark.store.loss import Loss
from gatemark.store.record import CpuReading, Definition, Evidence, Record

BIN_MS = 10
TRIAL_MS, DRAIN_MS = 450, 400
QUEUE = 256  # packets
SILENT_MS = 2
RARELY = 0.02
RATES = (10_000, 15_000, 20_000, 24_000, 30_000, 36_000, 45_000)
REPEATS = 6


@dataclass(frozen=True, slots=True)
class Planted:
    """What is wrong with the gateway; the defaults are a sound one."""

    capacity: float = 27_000.0
    drift: float = 0.1  # of the capacity, from repeat to repeat
    share: float = 0.0  # dropped at random
    nth: int = 0  # or each such packet
    row: int = 1  # and so many with it
    rising: float = 0.0  # share that rises with the rate: at 30 000 packets/s
    policer: tuple[float, float] | None = None  # packets/s, burst
    shaper: tuple[float, int] | None = None  # packets/s, queue
    stall: tuple[int, int] | None = None  # ms of each ms
    irregular: bool = False  # stalls of that length and share, at random times
    closed: tuple[int, int] | None = None  # ms of each ms in which all is dropped
    holes: float = 1.0  # times as many as in the lab
    flows: int = 64
    losing: tuple[frozenset[int], float] = (frozenset(), 0.0)  # flows, and what they lose
    lead: int = 0  # of each flow, lost until something is learnt
    late: tuple[int, float] | None = None  # from so many ms on a share is lost
    quota: int = 0  # packets of a trial; what follows is lost
    entries: int = 0  # flows that a table has room for: the first that come
    hot: tuple[int, float] = (TRIAL_MS, 1.0)  # from so many ms on, that part of the capacity
    slow: tuple[frozenset[int], int] = (frozenset(), 0)  # flows, and by how many ms


QUARTER = frozenset(range(1, 64, 4))  # of 64 flows

PLANTED: dict[str, tuple[Planted, tuple[Shape, ...]]] = {
    "nothing": (Planted(), ()),
    "random share": (Planted(share=0.02), ("constant-share",)),
    "every 50th": (Planted(nth=50), ("constant-share",)),
    "rows of 20": (Planted(nth=1_000, row=20), ("constant-share",)),
    "tenth of a share": (Planted(share=0.1), ("constant-share",)),
    "policer": (Planted(policer=(12_000, 200)), ("policer",)),
    "policer near the knee": (Planted(policer=(20_000, 64)), ("policer",)),
    "shaper": (Planted(shaper=(15_000, 500)), ("shaper",)),
    "stalls": (Planted(stall=(150, 500)), ("stalls",)),
    "short stalls": (Planted(stall=(10, 100)), ("stalls",)),
    "closed at times": (Planted(closed=(100, 200)), ("stalls",)),
    "a few of each trial": (Planted(quota=40), ("over-time",)),
    "stalls without a period": (Planted(stall=(40, 200), irregular=True), ("stalls",)),
    "share, policer": (Planted(share=0.02, policer=(15_000, 100)), ("constant-share", "policer")),
    "share, stalls": (Planted(share=0.02, stall=(150, 500)), ("stalls", "constant-share")),
    "policer, stalls": (Planted(policer=(15_000, 100), stall=(150, 500)), ("stalls", "policer")),
    "share that rises": (Planted(rising=0.03), ("unexplained",)),
    "flows": (Planted(losing=(QUARTER, 0.98)), ("some-flows",)),
    "half a flow": (Planted(losing=(frozenset([7]), 0.5)), ("some-flows",)),
    "first packets": (Planted(lead=5), ("first-packets",)),
    "all": (Planted(share=1.1), ("nothing",)),
    "a third, late": (Planted(late=(270, 1 / 3)), ("over-time",)),
    "heat": (Planted(hot=(200, 0.5)), ("over-time",)),
    "quota": (Planted(quota=4_000), ("over-time",)),
    "table of flows": (Planted(entries=40), ("some-flows",)),
    "slow flows": (Planted(slow=(QUARTER, 1)), ("slow-flows",)),
    "few a second": (Planted(policer=(40, 5)), ("policer",)),
    "bucket": (Planted(capacity=60_000, policer=(20_000, 1_200)), ("policer",)),
}


class Packet(NamedTuple):
    """A packet on its way."""

    sent_ms: int
    flow: int
    number: int  # in the order of sending


@dataclass(slots=True)
class Behind:
    """What packets meet behind the CPU."""

    planted: Planted
    chance: random.Random
    rate: int
    tokens: float = 0.0
    last_ms: int = 0
    count: int = 0
    known: set[int] = field(default_factory=set)  # flows that have an entry
    shaped: int = 0  # in the shaper's queue
    owed: float = 0.0

    def drops(self, packet: Packet, ms: int) -> bool:
        """Whether a packet is dropped here; of a shaper, whether its queue is full."""
        self.count += 1
        planted = self.planted
        flows, share = planted.losing
        return (
            packet.number // planted.flows < planted.lead
            or (packet.flow in flows and self.chance.random() < share)
            or self._is_late(packet)
            or self._has_no_entry(packet.flow)
            or self._is_closed(ms)
            or bool(planted.nth and self.count % planted.nth < planted.row)
            or self.chance.random() < planted.share + planted.rising * self.rate / 30_000
            or (planted.policer is not None and self._polices(ms, *planted.policer))
            or (planted.shaper is not None and self._is_full(planted.shaper[1]))
        )

    def _is_late(self, packet: Packet) -> bool:
        from_ms, share = self.planted.late or (0, 0.0)
        is_late = packet.sent_ms >= from_ms and self.chance.random() < share
        return is_late or 0 < self.planted.quota <= packet.number

    def _is_closed(self, ms: int) -> bool:
        shut, period = self.planted.closed or (0, 1)
        return ms % period < shut

    def _has_no_entry(self, flow: int) -> bool:
        if len(self.known) < self.planted.entries:
            self.known.add(flow)
        return bool(self.planted.entries) and flow not in self.known

    def out(self, came: int) -> int:
        """How many leave in this ms."""
        if not self.planted.shaper:
            return came
        each_ms = self.planted.shaper[0] / 1000
        self.owed = min(self.owed + each_ms, each_ms + 1)
        out = min(self.shaped, int(self.owed))
        self.owed -= out
        self.shaped -= out
        return out

    def wait_ms(self) -> float:
        """How long the shaper's queue lasts."""
        return self.shaped / self.planted.shaper[0] * 1000 if self.planted.shaper else 0.0

    def _polices(self, ms: int, pps: float, burst: float) -> bool:
        self.tokens = min(burst, self.tokens + (ms - self.last_ms) * pps / 1000)
        self.last_ms = ms
        has_token = self.tokens >= 1
        self.tokens -= has_token
        return not has_token

    def _is_full(self, room: int) -> bool:
        full = self.shaped >= room
        self.shaped += not full
        return full


@dataclass(slots=True)
class Books:
    """What the tester writes down."""

    flows: int
    bins: int
    tried: list[int] = field(init=False)
    refused: list[int] = field(init=False)
    lost: list[int] = field(init=False)
    arrived: list[int] = field(init=False)
    lead: list[int] = field(init=False)
    came: set[int] = field(default_factory=set)  # flows of which a packet came
    gone: list[Packet] = field(default_factory=list)
    waits: list[tuple[int, float]] = field(default_factory=list)  # flow, ms
    silences: list[tuple[float, float]] = field(default_factory=list)
    last_ms: int = 0

    def __post_init__(self) -> None:
        self.tried, self.refused, self.lost, self.arrived = ([0] * self.bins for _ in range(4))
        self.lead = [0] * self.flows

    def lose(self, packet: Packet, *, refused: bool = False) -> None:
        """A packet does not come."""
        self.lost[packet.sent_ms // BIN_MS] += 1
        self.refused[packet.sent_ms // BIN_MS] += refused
        self.lead[packet.flow] += packet.flow not in self.came
        self.gone.append(packet)

    def take(self, packet: Packet, wait_ms: float) -> None:
        """A packet passes what drops."""
        self.came.add(packet.flow)
        self.waits.append((packet.flow, wait_ms))

    def arrive(self, count: int, ms: int) -> None:
        """So many reach the sink in this ms."""
        if not count:
            return
        self.arrived[ms // BIN_MS] += count
        if ms - self.last_ms > SILENT_MS:
            start = self.last_ms + 1 if self.last_ms else 0
            self.silences.append((float(start), float(ms - self.last_ms - 1)))
        self.last_ms = ms

    def by_flow(self, *, odd: bool | None = None) -> tuple[int, ...]:
        """Lost by flow; of odd or even numbers alone."""
        counts = [0] * self.flows
        for packet in self.gone:
            if odd is None or packet.number // self.flows % 2 == odd:
                counts[packet.flow] += 1
        return tuple(counts)


def swept(planted: Planted, rates: Sequence[int] = RATES, seed: int = 1) -> list[Group]:
    """All trials of a sweep, in random order, by point."""
    chance = random.Random(seed)
    order = [(rate, repeat) for repeat in range(1, REPEATS + 1) for rate in rates]
    chance.shuffle(order)
    return group(trial(planted, rate, repeat, chance) for rate, repeat in order)


def trial(planted: Planted, rate: int, repeat: int, chance: random.Random) -> Record:
    """One trial of the simulated gateway."""
    end_ms = TRIAL_MS + DRAIN_MS
    capacity = planted.capacity * (1 + planted.drift * (chance.random() - 0.5))
    pauses = _holes(chance, planted.holes)
    paused = _covered(pauses)
    halted = _covered(_holes(chance, planted.holes)) | _stalls(planted, chance, end_ms)
    books = Books(planted.flows, end_ms // BIN_MS + 1)
    behind = Behind(planted, chance, rate, tokens=planted.policer[1] if planted.policer else 0.0)
    queue: deque[Packet] = deque()
    due = served = able = 0.0
    number = 0
    for ms in range(end_ms):
        due += rate / 1000 if ms < TRIAL_MS else 0.0
        upto = number if ms >= TRIAL_MS or ms in paused else int(due)
        books.tried[ms // BIN_MS] += upto - number
        for each in range(number, upto):
            packet = Packet(ms, _flow(each, planted.flows, repeat), each)
            if len(queue) < QUEUE:
                queue.append(packet)
            else:
                books.lose(packet, refused=True)
        number = upto
        own = capacity / 1000 * (planted.hot[1] if ms >= planted.hot[0] else 1.0)
        able += own if ms < TRIAL_MS else 0.0
        if ms in halted:
            continue
        served = min(served + own, own + 1)
        came = 0
        while queue and served >= 1:
            packet = queue.popleft()
            served -= 1
            if behind.drops(packet, ms):
                books.lose(packet)
            else:
                came += 1
                own_ms = planted.slow[1] if packet.flow in planted.slow[0] else 0
                books.take(packet, ms - packet.sent_ms + behind.wait_ms() + own_ms)
        books.arrive(behind.out(came), ms)
    busy = min(1.0, (number - sum(books.refused)) / able)
    return _record(rate, repeat, books, busy, [(float(a), float(b)) for a, b in pauses])


def _flow(number: int, flows: int, seed: int) -> int:
    """Flows in another order in each round."""
    return (_offset(number // flows, seed) + number) % flows


@cache
def _offset(turn: int, seed: int) -> int:
    return hash((turn, seed)) * 2654435761 >> 7


def _holes(chance: random.Random, times: float) -> list[tuple[int, int]]:
    """Times without a CPU, of 1 to 14 ms, rarely longer: about 1 % of the time."""
    holes, at = [], 0.0
    while times:
        at += chance.expovariate(times / 400)
        if at >= TRIAL_MS:
            break
        usual = chance.choice((1, 1, 2, 2, 3, 4, 6, 9, 14))
        holes.append((int(at), chance.randint(15, 40) if chance.random() < RARELY else usual))
    return holes


def _covered(spans: Sequence[tuple[int, int]]) -> set[int]:
    return {ms for start, length in spans for ms in range(start, start + length)}


def _stalls(planted: Planted, chance: random.Random, end_ms: int) -> set[int]:
    if planted.stall is None:
        return set()
    length, every = planted.stall
    starts, at = [], chance.random() * every
    while at < end_ms:
        starts.append((int(at), length))
        at += chance.expovariate(1 / (every - length)) + length if planted.irregular else every
    return _covered(starts)


def _record(
    rate: int, repeat: int, books: Books, busy: float, pauses: Sequence[tuple[float, float]]
) -> Record:
    loss = _loss(rate, books, pauses)
    tried, lost, seconds = sum(loss.tried), len(books.gone), TRIAL_MS / 1000
    got = sum(loss.arrived[: len(loss.tried)]) / seconds
    waits = sorted(wait for _, wait in books.waits)
    values = {
        "offered_pps": float(rate),
        "received_pps": got,
        "received_l1_bps": got * 84 * 8,
        "loss_ratio": lost / tried,
        "cpu_busy": busy,
    }
    for name, at in (("min", 0.0), ("p50", 0.5), ("p99", 0.99)):
        if waits:
            values[f"delay_{name}_ns"] = (waits[int(at * (len(waits) - 1))] + 0.05) * 1e6
    return Record(
        trial=f"test/sweep/route/{rate}/{repeat}/outside",
        plan="test/sweep",
        arm="route",
        point={"rate_pps": rate},
        repeat=repeat,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="",
        definition=Definition(path="route", frame_bytes=64, flows=64, duration_s=seconds),
        values=values,
        evidence=Evidence(
            schedule_ratio=1.0,
            cpu=(CpuReading(thread="napi/gw0", cpu=1, busy=busy, waiting=0.0),),
            loss=(loss,),
        ),
    )


def _delays(books: Books) -> tuple[int, ...]:
    """The median of each flow, ns; 0: nothing came."""
    each: dict[int, list[float]] = {}
    for flow, wait_ms in books.waits:
        each.setdefault(flow, []).append(wait_ms)
    medians = (median(each[flow]) + 0.05 if flow in each else 0 for flow in range(books.flows))
    return tuple(round(wait_ms * 1e6) for wait_ms in medians)


def _loss(rate: int, books: Books, pauses: Sequence[tuple[float, float]]) -> Loss:
    bins, lost = TRIAL_MS // BIN_MS, len(books.gone)
    numbers = sorted(packet.number for packet in books.gone)
    gaps = [later - earlier for earlier, later in pairwise(numbers)]
    return Loss(
        direction="up",
        bin_ms=BIN_MS,
        tried=tuple(books.tried[:bins]),
        refused=tuple(books.refused[:bins]),
        lost=tuple(books.lost[:bins]),
        arrived=tuple(books.arrived),
        by_flow=books.by_flow() if lost else (),
        ports=tuple(range(40_000, 40_000 + books.flows)),
        tried_by_flow=(sum(books.tried) // books.flows,) * books.flows if lost else (),
        lead=tuple(books.lead) if any(books.lead) else (),
        halves=(books.by_flow(odd=False), books.by_flow(odd=True)),
        first_ms=numbers[0] / rate * 1000 if numbers else None,
        run_mean=lost / (1 + sum(gap > 1 for gap in gaps)) if lost else 0.0,
        distance_cv=pstdev(gaps) / mean(gaps) if len(gaps) > 1 else None,
        delay_by_flow=_delays(books),
        silences=tuple(books.silences),
        pauses=tuple(pauses),
    )
