# SPDX-License-Identifier: Apache-2.0
"""The queues of a run: for each point, flow and direction what the flow saw beside a load."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from gatemark.judge.fact import Fact
from gatemark.judge.judgement import Queue
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point.group import Group, group
from gatemark.judge.queue import busy, trial, wire
from gatemark.judge.queue.cause import Case, causes
from gatemark.judge.queue.formula import Bottleneck, expected
from gatemark.judge.queue.idle import Idle, idle
from gatemark.judge.queue.mixed import WAYS, Sheaf, Workload, reads_itself, used, workloads
from gatemark.judge.queue.trial import CPU, Seen, settled_ns
from gatemark.plan.feature import DIRECT, FEATURES
from gatemark.plan.model import LineWay, TrialSpec
from gatemark.store.record import Record

Specs = Mapping[str, TrialSpec]  # by the trial's name
FULL: Final = ("fifo", "head")  # ways to drop that let a buffer fill


@dataclass(frozen=True, slots=True)
class Sight:
    """One trial: what a flow saw beside a load, and over which line."""

    seen: Seen
    idle: Idle
    loads: tuple[Workload, ...]
    asked: LineWay | None
    line: Bottleneck | None


def queues(
    trials: Iterable[TrialSpec], records: Sequence[Record], sheaf: Sheaf
) -> tuple[Queue, ...]:
    """Of all points whose series are in `sheaf`, in the order in which they first ran."""
    made = []
    for members, flow, own in sights(trials, records, sheaf):
        values = [numbers for sight in own if (numbers := trial.values(sight.seen))]
        if values:
            made.append(
                _queue(members, flow, own, values, list(_own_readings(members, flow, sheaf)))
            )
    return tuple(made)


def _own_readings(members: Group, flow: tuple[str, str], sheaf: Sheaf) -> Iterator[float]:
    """The load of a box's CPU meanwhile: it reads that itself, in the instrumented pass alone."""
    for record in members.instrumented:
        if record.series not in sheaf or not reads_itself(record):
            continue
        others = _beside(*flow, workloads(record, sheaf[record.series]))
        span_ns = settled_ns(_span_ns(others)) if others else (0.0, 0.0)
        if (share := busy.busiest(record, sheaf[record.series], *span_ns)) is not None:
            yield share


def _beside(name: str, way: str, loads: Sequence[Workload]) -> tuple[Workload, ...]:
    """What loads a direction beside a workload."""
    return tuple(load for load in loads if load.name != name and load.goes(way))


def _span_ns(others: Sequence[Workload]) -> tuple[int, int]:
    """From the first byte of any to the last."""
    return min(o.window_ns[0] for o in others), max(o.window_ns[1] for o in others)


def sights(
    trials: Iterable[TrialSpec], records: Sequence[Record], sheaf: Sheaf
) -> Iterator[tuple[Group, tuple[str, str], list[Sight]]]:
    """Each point with each of its flows, by workload and direction: what all its trials saw."""
    specs = {spec.trial: spec for spec in trials}
    kept = {
        record.trial: workloads(record, sheaf[record.series])
        for record in used(records)
        if record.series in sheaf and record.trial in specs
    }
    every = [own for loads in kept.values() for own in loads]
    for members in group(records) if kept else ():
        own = [kept[record.trial] for record in members.outside if record.trial in kept]
        names = dict.fromkeys((load.name, way) for loads in own for load in loads for way in WAYS)
        for name, way in names:
            seen = [s for loads in own if (s := sight(name, way, loads, every, specs))]
            if seen:
                yield members, (name, way), seen


def sight(
    name: str, way: str, loads: Sequence[Workload], every: Sequence[Workload], specs: Specs
) -> Sight | None:
    """Of the workload `name` of `loads`; None where it is no flow, or nothing loads its direction.

    `every`: workloads of all trials, of which those without a load tell the idle delay.
    """
    own = next((load for load in loads if load.name == name), None)
    others = _beside(name, way, loads)
    flow = own.flow(way) if own else None
    if own is None or flow is None or not others:
        return None
    spec = specs[own.record.trial]
    span_ns = _span_ns(others)
    calm = idle(own, way, span_ns[0], [o for o in every if _is_idle(o, own, way, specs)])
    asked = wire.way_of(spec.line, way)
    goodputs = wire.goodputs_bps(others, way)
    seen = Seen(
        flow=flow,
        idle=calm.flow,
        least_ns=calm.least_ns,
        load_ns=span_ns,
        rate_bps=asked.rate_bps if asked else None,
        goodputs_bps=goodputs,
        around_bytes=wire.around_bytes(others, asked) if asked else 0.0,
        streams=[stream for other in others for stream in other.streams(way)],
        deadlines_ms=own.deadlines_ms(way),
        is_call=own.value(f"{way}.mos") is not None and own.definition.clones == 1,
        cpu_busy=busy.busiest(own.record, own.series, *settled_ns(span_ns)),
    )
    line = wire.bottleneck(spec, way, (seen.loaded, calm.flow), others)
    return Sight(seen, calm, others, asked, line)


def _is_idle(other: Workload, own: Workload, way: str, specs: Specs) -> bool:
    """Return whether another trial has the same flow over a like line, and nothing beside it."""
    record, its = own.record, other.record
    lines = [specs[trial].line for trial in (its.trial, record.trial)]
    gateways = [r.definition.path != DIRECT for r in (its, record)]
    return (
        other.definition.trace == own.definition.trace
        and lines[0] == lines[1]
        and gateways[0] == gateways[1]
        and not any(load.goes(way) for load in workloads(its, other.series))
        and other.flow(way) is not None
    )


def _queue(
    members: Group,
    flow: tuple[str, str],
    sights: Sequence[Sight],
    each: Sequence[Mapping[str, float]],
    own_readings: Sequence[float],
) -> Queue:
    """Medians over the trials, beside what the first one's line should do."""
    first = sights[0]
    names = dict.fromkeys(name for values in each for name in values)
    values = {
        name: median_interval([numbers[name] for numbers in each if name in numbers])
        for name in names
        # A period, or a steady state, that few trials have is none.
        if 2 * sum(name in numbers for numbers in each) > len(each)
    }
    if own_readings:
        values.setdefault(CPU, median_interval(own_readings))
    shapers = tuple(
        feature
        for feature in members.definition.features
        if (entry := FEATURES.get(feature.partition(":")[0])) and entry.shapes
    )
    wanted, why = _wanted(members, first, flow[1], values, shapers)
    return Queue(
        subject=members.subject,
        flow=flow[0],
        way=flow[1],
        loads=tuple(load.name for load in first.loads),
        line_bps=first.seen.rate_bps,
        buffer_bytes=first.line.full_bytes if first.line else None,
        compared=first.idle.source,
        values=values,
        expected=wanted,
        why=why,
        dropped=wire.drops(members.outside, flow[1]),
    )


def _wanted(
    members: Group,
    sight: Sight,
    way: str,
    values: Mapping[str, Interval],
    shapers: tuple[str, ...],
) -> tuple[dict[str, float], tuple[Fact, ...]]:
    """What the line alone should do, and why it did otherwise."""
    if sight.line is None or sight.asked is None:
        return {}, ()
    should = expected(sight.line)
    drops = [wire.dropped(record, way) for record in members.outside]
    case = Case(
        values={name: interval.value for name, interval in values.items()},
        expected=should,
        line=sight.line,
        aqm=sight.asked.aqm,
        shapers=shapers,
        dropped=None if None in drops else any(drops),
    )
    alone = not shapers and sight.asked.aqm in FULL
    pairs = asdict(should).items() if alone else ()
    wanted = {f"queue_expected_{name}": value for name, value in pairs if value is not None}
    return wanted, causes(case)
