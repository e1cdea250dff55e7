# SPDX-License-Identifier: Apache-2.0
"""Points over time: each quantity at each step of the trial, median and interval over repeats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point.steps import NEAR, steady
from gatemark.plan.model import Plan
from gatemark.store.record import Definition, Record, Scalar
from gatemark.store.series import Series
from gatemark.tell.group import latency, step, study, sweep
from gatemark.tell.group.step import Clock, Steps
from gatemark.tell.group.study import Study
from gatemark.tell.words import number, traffic

RATES = {"tcp": ("goodput", "bit/s"), "udp": ("received rate", "packets/s")}
RATES["replay"] = RATES["udp"]
MOST_ARMS = 3  # that a title names

Place = tuple[str, str, frozenset[tuple[str, Scalar]]]  # plan, arm, factors
Sheaf = Mapping[str, Series]  # the series of trials, by the name of their file


@dataclass(frozen=True, slots=True)
class Trace:
    """One point over time."""

    point: PointResult
    step_s: float
    quantities: Mapping[str, tuple[Interval | None, ...]]  # rate, rtt_ns, cpu -> step by step
    steady: Interval  # share of the counted steps that are NEAR the median rate of their trial

    @property
    def way(self) -> str:
        """The direction."""
        return self.point.definition.direction

    def at_s(self, at: int) -> float:
        """The middle of a step, from the beginning."""
        return (at + 0.5) * self.step_s


def files(judgement: Judgement, plans: Iterable[Plan], records: Sequence[Record]) -> list[str]:
    """The series that all figures over time need, by the name of their file."""
    plans = list(plans)
    groups = sweep.groups(judgement)
    points = [p for knees in groups for p in of_sweep(judgement, knees)]
    points += [load.point for knees in groups for load in latency.loads(judgement, knees)]
    timed = latency.groups(judgement, plans)
    points += [load.point for kept_timed in timed for load in kept_timed.loads]
    fastest = [latency.fastest(kept_timed.floors) for kept_timed in timed]
    points += [floor for floor in fastest if floor]
    points += [p for kept_study in study.studies(judgement, plans) for p in of_study(kept_study)]
    kept = trials(records)
    return [record.series for p in points for record in kept.get(place(p), ()) if record.series]


def of_sweep(judgement: Judgement, knees: Iterable[Knee]) -> list[PointResult]:
    """The first point of each sweep from its knee on."""
    loaded = (sweep.loaded(judgement, knee) for knee in knees)
    return [point for point in loaded if point is not None]


def of_study(study: Study) -> list[PointResult]:
    """A study's TCP points of one load: IPv4, the largest write, the fewest streams."""
    points = [point for point in study.points if point.definition.l4 == "tcp"]
    best = min((_load(point.definition) for point in points), default=())
    kept: dict[tuple[str, str], PointResult] = {}
    for point in points:
        if _load(point.definition) == best:
            kept.setdefault((point.arm, point.definition.direction), point)
    return list(kept.values())


def place(of: PointResult | Record) -> Place:
    """Where a point or a trial belongs."""
    return of.plan, of.arm, frozenset(of.point.items())


def trials(records: Iterable[Record]) -> dict[Place, list[Record]]:
    """The valid trials of the outside pass, by their point."""
    kept_records: dict[Place, list[Record]] = {}
    for record in records:
        if record.status == "ok" and record.pass_ == "outside":
            kept_records.setdefault(place(record), []).append(record)
    return kept_records


def traces(points: Iterable[PointResult], records: Sequence[Record], sheaf: Sheaf) -> list[Trace]:
    """These points over time; one whose trials have no series is left out."""
    kept = trials(records)
    made = (_trace(point, kept.get(place(point), ()), sheaf) for point in points)
    return [trace for trace in made if trace is not None]


def finding(drawn: Sequence[Trace]) -> str:
    """How steady each arm is, in the direction that comes first."""
    traces = [trace for trace in drawn if trace.way == drawn[0].way]
    traces.sort(key=lambda trace: -trace.steady.value)
    between = ", " if len(traces) <= MOST_ARMS else " to "
    traces = traces if len(traces) <= MOST_ARMS else [traces[0], traces[-1]]
    d = traces[0].point.definition
    what, unit = RATES[d.l4]
    where = traffic.DIRECTION.get(d.direction, traffic.way(d.direction))
    where = f"TCP, {where}" if d.l4 == "tcp" else f"Loaded, {where}"
    near = f"within {NEAR * 100:g} %"
    shares = [f"{number.plain(trace.steady.value * 100, 0)} %" for trace in traces]
    rate = traces[0].point.values.get(d.headline)
    if len(traces) == 1 and rate:
        held = number.quantity(rate.value, unit)
        return f"{where}: {traces[0].point.arm} holds {held} {near} for {shares[0]} of the time"
    stays = f"{where}: the {what} stays {near} of its median for {shares[0]} of the time"
    if len(set(shares)) == 1:
        return stays
    arms = [f"({trace.point.arm})" for trace in traces]
    others = [f"{share} {arm}" for share, arm in zip(shares[1:], arms[1:], strict=True)]
    return f"{stays} {between.join([arms[0], *others])}"


def _load(d: Definition) -> tuple[bool, int, int, bool, int, bool]:
    buffer = d.socket_buffer_bytes or 0  # 0: tuned by the kernel, as it is nearly everywhere
    return d.family != "ipv4", -(d.write_bytes or 0), d.streams or 1, buffer > 0, -buffer, d.offload


def _trace(point: PointResult, records: Sequence[Record], sheaf: Sheaf) -> Trace | None:
    d, known = point.definition, list[tuple[Record, Series, Clock]]()
    for record in records:
        series = sheaf.get(record.series, {})
        clock = step.clock(series, d)
        if clock is not None and (not known or clock.step_ns == known[0][2].step_ns):
            known.append((record, series, clock))
    if not known:
        return None
    rates = [step.rate(series, d, clock) for _, series, clock in known]
    delays = [step.delay_ns(series, clock) for _, series, clock in known]
    intervals = {
        "rate": _over(rates),
        "delay_ns": _over([mean for mean, _ in delays]),
        "delay_max_ns": _over([longest for _, longest in delays]),
        "rtt_ns": _over([step.round_trip_ns(series, clock) for _, series, clock in known]),
    }
    if d.path != "endpoint":  # there the gateway's own program works as well, which has no series
        intervals["cpu"] = _over(
            [step.cpu(s, record.evidence.cpu, clock) for record, s, clock in known]
        )
    step_ns = known[0][2].step_ns
    settled = -(-round(d.settle_s * step.S_NS) // step_ns)
    return Trace(
        point=point,
        step_s=step_ns / step.S_NS,
        quantities={name: steps for name, steps in intervals.items() if any(steps)},
        steady=median_interval([steady(rate[settled:]) for rate in rates]),
    )


def _over(every: Sequence[Steps]) -> tuple[Interval | None, ...]:
    """Step by step the median of those trials that know it."""
    known = ([v for v in values if v is not None] for values in zip_longest(*every))
    return tuple(median_interval(values) if values else None for values in known)
