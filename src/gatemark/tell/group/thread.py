# SPDX-License-Identifier: Apache-2.0
"""The CPU at the points that load it, by thread: the gateway's, and the tester's ends."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.plan.model import is_twin
from gatemark.store.record import Record
from gatemark.tell.group import study, sweep, trace
from gatemark.tell.words import number, traffic

MOST = 12  # bars of a figure
FULL = 0.97  # of a CPU: no time is left
ALONE = 0.95  # of what all threads used: one of them did it alone
IDLE = 0.005  # of a CPU: a thread below that is not drawn


@dataclass(frozen=True, slots=True)
class Use:
    """One CPU of the gateway at one point, and how busy the tester was meanwhile."""

    point: PointResult
    cpu: int | None  # None: its threads are bound to none
    threads: Mapping[str, Interval]  # share of the CPU, by thread
    total: Interval
    tester: Mapping[str, Interval]  # sender, sink: share of their CPU
    is_shared: bool  # sender and sink have one CPU, so their shares add up

    @property
    def heading(self) -> str:
        """Its traffic: `↑ up, TCP, 128 KiB writes`."""
        payload = self.point.point.get("payload_bytes", 0)
        return traffic.load(
            self.point.definition, payload if isinstance(payload, int | float) else 0
        )

    @property
    def name(self) -> str:
        """Its arm, with all its factors that the heading does not tell."""
        texts = traffic.LOAD | set(sweep.RATES)
        rest = study.label(self.point, [name for name in self.point.point if name not in texts])
        return ", ".join(filter(None, (self.point.arm, rest, self.rate)))

    @property
    def rate(self) -> str:
        """The rate that was offered; empty where it was sent as fast as it goes."""
        is_paced = any(self.point.point.get(name) for name in sweep.RATES)
        return number.nominal(sweep.offered_pps(self.point), "packets/s") if is_paced else ""

    @property
    def leader(self) -> str:
        """The busiest thread."""
        return max(self.threads, key=lambda name: self.threads[name].value)


def plans(judgement: Judgement, records: Sequence[Record]) -> list[tuple[list[Use], int]]:
    """What was used, plan by plan, traffic by traffic; and how many bars are too many to draw."""
    panels: list[tuple[list[Use], int]] = []
    trials = trace.trials(records)
    for points in _points(judgement).values():
        uses = [use for p in points for use in _uses(p, trials.get(trace.place(p), ()))]
        kept = _few(uses)
        if kept:
            panels.append((kept, len(uses) - len(kept)))
    return panels


def names(uses: Iterable[Use]) -> list[str]:
    """All threads that did something, each once, in the order of their names."""
    return sorted({name for use in uses for name in use.threads})


def finding(uses: Sequence[Use]) -> str:
    """How full the CPU is in the first traffic, and who fills it; arms compare at one rate only."""
    first_uses = [use for use in uses if use.heading == uses[0].heading]
    if min(use.total.value for use in first_uses) >= FULL:
        return f"{first_uses[0].heading}: the gateway's CPU is full{_leader(first_uses)}"
    shown_uses = sorted(_at_one_rate(first_uses), key=lambda use: -use.total.value)
    at = f" at {shown_uses[0].rate}" if shown_uses[0].rate else ""
    most, fewest = (f"{number.plain(shown_uses[at].total.value * 100, 0)} %" for at in (0, -1))
    if most != fewest:
        most = f"{most} ({shown_uses[0].point.arm}) to {fewest} ({shown_uses[-1].point.arm})"
    heading = f"{shown_uses[0].heading}{at}"
    return f"{heading}: the gateway's CPU is {most} busy{_leader(shown_uses)}"


def _leader(uses: Sequence[Use]) -> str:
    """The thread that does it, where it is the same at all of these."""
    leaders = {use.leader for use in uses}
    if len(leaders) > 1:
        return ""
    least = min(use.threads[use.leader].value / max(use.total.value, IDLE) for use in uses)
    return f", by {uses[0].leader} alone" if least >= ALONE else f", mostly by {uses[0].leader}"


def _at_one_rate(uses: Sequence[Use]) -> list[Use]:
    """The uses at the rate at which most arms were measured; of several such rates the highest."""
    rates: dict[str, list[Use]] = {}
    for use in uses:
        rates.setdefault(use.rate, []).append(use)
    return max(
        rates.values(),
        key=lambda alike: (
            len({use.point.arm for use in alike}),
            sweep.offered_pps(alike[0].point),
        ),
    )


def _points(judgement: Judgement) -> dict[str, list[PointResult]]:
    """Points by plan: of a sweep the first from the knee on, else all but the twin's."""
    points: dict[str, list[PointResult]] = {}
    for knee in judgement.knees:
        point = sweep.loaded(judgement, knee)
        if point is not None:
            points.setdefault(knee.plan, []).append(point)
    alone: dict[str, list[PointResult]] = {}
    for point in sweep.alone(judgement):
        if not is_twin(point.arm) and point.plan not in points:
            alone.setdefault(point.plan, []).append(point)
    return points | alone


def _uses(point: PointResult, records: Sequence[Record]) -> list[Use]:
    read = [record for record in records if record.evidence.cpu]
    cores = dict.fromkeys(reading.core for record in read for reading in record.evidence.cpu)
    return [use for core in cores if (use := _use(point, read, core)).threads]


def _use(point: PointResult, read: Sequence[Record], core: int | str) -> Use:
    shares: dict[str, list[float]] = {}
    totals: list[float] = []
    for record in read:
        busy = {r.thread: r.busy for r in record.evidence.cpu if r.core == core}
        totals.append(sum(busy.values()))
        for thread, share in busy.items():
            shares.setdefault(thread, []).append(share)
    threads = {name: median_interval(values) for name, values in shares.items()}
    ends: dict[str, Callable[[Record], float | None]] = {
        "sender": lambda record: record.evidence.sender_cpu,
        "sink": lambda record: record.evidence.sink_cpu,
    }
    tester = {name: [v for r in read if (v := get(r)) is not None] for name, get in ends.items()}
    place = [read[0].placement.get(end, end).split(",")[0] for end in ends]
    return Use(
        point=point,
        cpu=core if isinstance(core, int) else None,
        threads={name: share for name, share in threads.items() if share.value >= IDLE},
        total=median_interval(totals),
        tester={name: median_interval(values) for name, values in tester.items() if values},
        is_shared=place[0] == place[1],
    )


def _few(uses: Sequence[Use]) -> list[Use]:
    """In the order of the page: all, or the largest sizes of as many traffics as there is room."""
    ordered = sorted(uses, key=lambda use: _order(use, uses))
    if len(uses) <= MOST:
        return ordered
    factor = study.size_factor([use.point for use in uses])
    best: dict[tuple[object, ...], Use] = {}
    for use in sorted(ordered, key=lambda use: -study.size(use.point, factor)):
        d = use.point.definition
        best.setdefault((use.point.arm, use.cpu, d.l4, d.family, d.direction), use)
    left = [use for use in ordered if use in best.values()]
    kept: list[Use] = []
    for heading in dict.fromkeys(use.heading for use in left):
        more = [use for use in left if use.heading == heading]
        if not kept or len(kept) + len(more) <= MOST:
            kept += more
    return kept[: 2 * MOST]


def _order(use: Use, among: Sequence[Use]) -> tuple[int, int, int]:
    """Up before down, then as the plan has it."""
    way = list(traffic.ARROW).index(use.point.definition.direction)
    headings = list(dict.fromkeys(other.heading for other in among))
    arms = study.arms(other.point for other in among)
    return way, headings.index(use.heading), arms.index(use.point.arm)
