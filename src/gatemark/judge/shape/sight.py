# SPDX-License-Identifier: Apache-2.0
"""What the rules look at: one direction of a trial, and all trials of an arm by their rate.

A rule explains a part of the loss. What it explains is masked, so the next rule sees the rest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from functools import cached_property
from statistics import median
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatemark.judge.point.core import Core, busiest
from gatemark.judge.point.facts import core_of
from gatemark.judge.point.group import Group
from gatemark.judge.point.limit import SATURATED, SATURATED_INSIDE
from gatemark.judge.subject import Subject
from gatemark.store.loss import Loss
from gatemark.store.record import Record

MOST: Final = 5 / 6  # of the trials in which a shape has to be seen
BELOW: Final = 0.8  # of the highest rate that does not fill the CPU
SETTLED: Final = 0.3  # of a trial: what it ends with
NEAR: Final = 3  # bins that say together whether a loss has begun
FEWEST: Final = 4  # bins that tell a rate


class Open(NamedTuple):
    """The bins of the sending time that are not masked, and what is in them."""

    masked: int  # so many are
    bins: list[int]
    tried: int
    lost: float
    refused: int


@dataclass(slots=True)
class Sight:
    """One direction of a trial, with what is explained of its loss so far.

    The rules ask it a hundred times for the same, so what only a rule changes is kept.
    """

    record: Record
    loss: Loss
    masked: set[int] = field(default_factory=set)  # bins whose loss is explained
    explained: float = 0.0  # share of all packets whose loss is explained, spread over time
    stalled: float = 0.0  # share of the time in which the gateway stood still
    tried: int = field(init=False, compare=False)  # packets that were sent
    _open: Open | None = field(default=None, init=False, repr=False, compare=False)
    _busy: tuple[float, float | None] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        """Add up what was sent."""
        self.tried = sum(self.loss.tried)

    @property
    def bin_s(self) -> float:
        """Width of a bin."""
        return self.loss.bin_ms / 1000

    @property
    def seconds(self) -> float:
        """The time that was sent."""
        return self.record.definition.duration_s or len(self.loss.tried) * self.bin_s

    @property
    def lost(self) -> int:
        """Packets that did not come."""
        return int(sum(self.loss.lost))

    @property
    def offered_pps(self) -> float:
        """The rate at which was sent."""
        return self.tried / self.seconds if self.seconds else 0.0

    @property
    def busy(self) -> float | None:
        """Share of the CPU's time that the gateway had at all; None: not read from outside.

        Where it stood still a program may have had the CPU: then its time is taken out.
        """
        if self._busy is None or self._busy[0] != self.stalled:
            self._busy = self.stalled, self._busy_now()
        return self._busy[1]

    def _busy_now(self) -> float | None:
        record, evidence = self.record, self.record.evidence
        if self.stalled and evidence.programs:
            programs = {program.program for program in evidence.programs}
            own = tuple(reading for reading in evidence.cpu if reading.thread not in programs)
            record = replace(record, evidence=replace(evidence, cpu=own))
        core = busiest([record])
        if core is None:
            return None
        return min(1.0, core.busy / max(0.01, 1 - max(core.waiting, self.stalled)))

    @property
    def delay_ns(self) -> float | None:
        """The median delay; where both directions are loaded that of its own, by its flows."""
        flows = [delay for delay in self.loss.delay_by_flow if delay]
        if flows and self.record.definition.direction == "both":
            return median(flows)
        return self.record.values.get("delay_p50_ns")

    @property
    def open(self) -> list[int]:
        """Bins of the sending time that are not masked."""
        return self._opened().bins

    def _opened(self) -> Open:
        """Return the sums that were added up last, as long as no more bins are masked."""
        if self._open is None or self._open.masked != len(self.masked):
            loss, masked = self.loss, self.masked
            bins = [at for at, n in enumerate(loss.tried) if n and at not in masked]
            tried = sum(map(loss.tried.__getitem__, bins))
            lost = sum(map(loss.lost.__getitem__, bins))
            refused = sum(map(loss.refused.__getitem__, bins))
            self._open = Open(len(masked), bins, tried, lost, refused)
        return self._open

    def inside(self, at: int) -> float:
        """Lost in a bin, beyond the sender's port, and not explained; below 0 by chance."""
        loss = self.loss
        return loss.lost[at] - loss.refused[at] - self.explained * loss.tried[at]

    def counts(self) -> tuple[int, float, int]:
        """In open bins: tried, lost beyond the sender's port and unexplained, refused."""
        _, _, tried, lost, refused = self._opened()
        return tried, max(0.0, lost - refused - self.explained * tried), refused

    @property
    def inside_share(self) -> float:
        """Of what passed the sender's port in open bins: what was lost beyond it, unexplained."""
        tried, lost, refused = self.counts()
        return lost / (tried - refused) if tried > refused else 0.0

    @property
    def taken_pps(self) -> float:
        """What the sender's port took, in open bins."""
        tried, _, refused = self.counts()
        seconds = len(self.open) * self.bin_s
        return (tried - refused) / seconds if seconds else 0.0

    def arrived_pps(self, after_ms: float = 0.0) -> float:
        """Arrivals a second, in open bins from a time on; 0: none is open."""
        bins = self._whole(after_ms)
        return sum(self.loss.arrived[at] for at in bins) / (len(bins) * self.bin_s) if bins else 0.0

    @property
    def open_pps(self) -> float:
        """Arrivals a second in open bins; where few are open, what the sender's port took."""
        if self.explained < 1 and len(self._whole(0.0)) < FEWEST:
            return (self.tried - sum(self.loss.refused)) / self.seconds
        return self.arrived_pps()

    def _whole(self, after_ms: float) -> list[int]:
        """Open bins from a time on, but the first and the last: packets take time to arrive."""
        ends = min(len(self.loss.tried), len(self.loss.arrived))
        whole = int(self.seconds / self.bin_s + 1e-6)  # a last bin that is cut says too little
        first = max(1.0, after_ms / self.loss.bin_ms)
        return [at for at in self.open if first <= at < min(ends, whole) - 1]

    @property
    def onset_ms(self) -> float:
        """When the loss that the trial ends with begins: a bucket is empty, a queue is full."""
        bins = self.open
        last = bins[int((1 - SETTLED) * len(bins)) :]
        tried, lost = (
            sum(own(at) for at in last) for own in (self.loss.tried.__getitem__, self.inside)
        )
        half = lost / tried / 2 if tried else 0.0
        for place in range(len(bins)):
            near = bins[place : place + NEAR]
            if sum(map(self.inside, near)) > half * sum(self.loss.tried[at] for at in near):
                return self._exactly(near)
        return self.seconds * 1000

    def _exactly(self, near: Sequence[int]) -> float:
        """The time of the first of these bins that loses; of the first lost packet, if it is."""
        first_ms = self.loss.first_ms
        at_ms = next((at for at in near if self.inside(at) > 0.5), near[0]) * self.loss.bin_ms
        is_first = first_ms is not None and at_ms <= first_ms < at_ms + self.loss.bin_ms
        return first_ms if is_first and first_ms is not None else at_ms

    def settled_pps(self) -> float | None:
        """Arrivals a second after that; None: the trial ends too soon."""
        after_ms = self.onset_ms + self.loss.bin_ms
        return self.arrived_pps(after_ms) if len(self._whole(after_ms)) >= FEWEST else None

    def joined(self, fewest: int) -> Iterator[tuple[int, float]]:
        """Neighbouring open bins put together to so many packets: tried, lost inside."""
        tried, lost = 0, 0.0
        for at in self.open:
            tried += self.loss.tried[at] - self.loss.refused[at]
            lost += self.inside(at)
            if tried >= fewest:
                yield tried, lost
                tried, lost = 0, 0.0

    def mask(self, start_ms: float, end_ms: float) -> None:
        """Explain what was sent from one bin before a time until one bin after another."""
        first = int(start_ms // self.loss.bin_ms) - 1
        last = int(end_ms // self.loss.bin_ms) + 1
        self.masked.update(range(max(0, first), min(last + 1, len(self.loss.tried))))


@dataclass(frozen=True)
class Level:
    """All trials of an arm at one rate."""

    sights: tuple[Sight, ...]
    core: Core | None  # the gateway's busiest CPU

    @cached_property
    def offered_pps(self) -> float:
        """The rate, the median over its trials."""
        return median(sight.offered_pps for sight in self.sights)

    @property
    def busy(self) -> float | None:
        """Share of the CPU's time that the gateway had at all; None: not read."""
        shares = [share for sight in self.sights if (share := sight.busy) is not None]
        if not shares and self.core is not None:  # a box reads itself, in the other pass
            shares = [self.core.busy]
        return median(shares) if shares else None

    @property
    def is_full(self) -> bool:
        """Return whether its CPU is."""
        full = SATURATED_INSIDE if self.core and self.core.inside else SATURATED
        busy = self.busy
        return busy is not None and busy >= full

    @property
    def inside_share(self) -> float:
        """Lost beyond the sender's port and unexplained, the median over its trials."""
        return median(sight.inside_share for sight in self.sights)

    @property
    def refused_share(self) -> float:
        """Refused at the sender's port, the median over its trials."""
        counts = [sight.counts() for sight in self.sights]
        return median(refused / tried if tried else 0.0 for tried, _, refused in counts)

    @property
    def delay_ns(self) -> float | None:
        """The median delay."""
        known = [delay for sight in self.sights if (delay := sight.delay_ns) is not None]
        return median(known) if known else None


@dataclass(frozen=True, slots=True)
class Sweep:
    """All trials of one direction of an arm, by rate, the lowest first."""

    subject: Subject  # its point lacks the rate
    direction: str
    levels: tuple[Level, ...]
    reference: tuple[Sight, ...] = ()  # the tester without a gateway

    @property
    def quiet(self) -> tuple[Level, ...]:
        """Rates well below a full CPU; the lowest in any case."""
        free = [lvl for lvl in self.levels if not lvl.is_full]
        top = max((lvl.offered_pps for lvl in free), default=0.0)
        return tuple(lvl for lvl in free if lvl.offered_pps <= BELOW * top) or self.levels[:1]

    @property
    def sights(self) -> list[Sight]:
        """All trials."""
        return [sight for level in self.levels for sight in level.sights]


def level(trials: Group, direction: str) -> Level | None:
    """The trials of a point from outside; None: its losses were not kept."""
    sights = tuple(sights_of(trials.outside, direction))
    return Level(sights, core_of(trials)) if sights else None


def sights_of(records: Iterable[Record], direction: str) -> Iterator[Sight]:
    """Each trial that kept its losses in a direction."""
    for record in records:
        for loss in record.evidence.loss:
            if loss.direction == direction and any(loss.tried):
                yield Sight(record, loss)


def inside(sweep: Sweep) -> Sweep:
    """The same without what the sender's port refused: as if it had not been sent."""
    levels = tuple(replaced(lvl, sights=tuple(map(_taken, lvl.sights))) for lvl in sweep.levels)
    return replaced(sweep, levels=levels)


def unmarked(sweep: Sweep) -> Sweep:
    """The same, of which rules may explain a part without taking it from the others."""
    levels = (
        replaced(lvl, sights=tuple(replaced(s, masked={*s.masked}) for s in lvl.sights))
        for lvl in sweep.levels
    )
    return replaced(sweep, levels=tuple(levels))


def _taken(sight: Sight) -> Sight:
    loss = sight.loss
    tried, lost = (
        tuple(n - refused for n, refused in zip(own, loss.refused, strict=True))
        for own in (loss.tried, loss.lost)
    )
    own = replace(loss, tried=tried, lost=lost, refused=(0,) * len(tried))
    return replaced(sight, loss=own)


def in_most(seen: Sequence[bool], share: float = MOST) -> bool:
    """Return True if a shape was seen in enough of the trials."""
    return bool(seen) and sum(1 for is_seen in seen if is_seen) >= share * len(seen)
