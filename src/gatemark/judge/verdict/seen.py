# SPDX-License-Identifier: Apache-2.0
"""What each flow of a point saw under the load beside it, direction by direction.

The analysis of the queue (judge/queue) knows the packets that were sent under the load. A direction
that it does not know of, as no load goes that way, has the values of the whole trial, less those of
the same flow without a load.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gatemark.judge.judgement import Judgement, PointResult, Queue
from gatemark.judge.math.interval import Interval, less
from gatemark.judge.point import realtime
from gatemark.judge.point.realtime import MISSED

WAYS: Final = ("up", "down")
QUEUE: Final = "queue_"
TAILS: Final = ("p99", "p98", "p95")  # the highest first; few packets tell the lower ones alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One direction of a flow; what is not known is None."""

    way: str  # up, down
    is_loaded: bool  # a load goes this way
    added_ns: Interval | None = None  # mean delay that the load adds
    tail: str = ""  # the highest percentile of it that is told, up to p99
    tail_ns: Interval | None = None  # what the load adds to that one
    delay_ns: Interval | None = None  # mean
    loss: Interval | None = None
    missed: Mapping[int, Interval] = field(default_factory=dict)  # deadline in ms -> share
    mos: Interval | None = None
    goodput_bps: Interval | None = None  # of the loads that go this way
    line_bps: float | None = None  # of the emulated line
    cpu: Interval | None = None  # load of the gateway's busiest CPU while a load goes this way


@dataclass(frozen=True, slots=True)
class Seen:
    """A flow beside a load."""

    point: PointResult
    flow: str  # its workload; "": the plan's own
    trace: str  # what was replayed
    ways: tuple[Way, ...]

    def has(self, name: str) -> list[tuple[str, Interval]]:
        """One of a way's quantities, of each direction that has it."""
        pairs = ((way.way, getattr(way, name)) for way in self.ways)
        return [(way, value) for way, value in pairs if value is not None]

    def missed(self, ms: int) -> list[tuple[str, Interval]]:
        """The same of a deadline."""
        return [(way.way, way.missed[ms]) for way in self.ways if ms in way.missed]


def seen(judgement: Judgement) -> list[Seen]:
    """Every flow of every point that has a load beside it; the tester alone is left out."""
    every = realtime.flows(judgement.points)
    made = []
    for point in judgement.points:
        queues = [queue for queue in judgement.queues if _same(queue, point)]
        own = [flow for flow in every if flow.point is point]
        names = [*(q.flow for q in queues), *(flow.owner.rstrip(".") for flow in own)]
        for name in dict.fromkeys(names):
            ways = tuple(_ways(point, name, queues, own, every))
            if any(way.is_loaded for way in ways):
                trace = realtime.trace_of(point.definition, name)
                made.append(Seen(point, name, trace, ways))
    return made


def _same(queue: Queue, point: PointResult) -> bool:
    return (queue.plan, queue.arm, queue.point) == (point.plan, point.arm, point.point)


def _ways(
    point: PointResult,
    name: str,
    queues: Sequence[Queue],
    own: Sequence[realtime.Flow],
    every: Sequence[realtime.Flow],
) -> Iterator[Way]:
    for way in WAYS:
        queue = next((q for q in queues if (q.flow, q.way) == (name, way)), None)
        flow = next((f for f in own if (f.owner.rstrip("."), f.way) == (name, way)), None)
        if queue:
            yield _of_queue(queue, flow)
        elif flow:
            loads = realtime.loads(point.definition).values()
            loaded = any(realtime.goes(load, way) for load in loads)
            yield _of_point(flow, realtime.alone(flow, every), is_loaded=loaded)


def _of_queue(queue: Queue, flow: realtime.Flow | None) -> Way:
    values = {name.removeprefix(QUEUE): value for name, value in queue.values.items()}
    each = {name: values.get(f"added_{name}_ns") for name in TAILS}
    tail = _tail({name: value for name, value in each.items() if value})
    late = {int(m[1]): v for n, v in values.items() if (m := MISSED.fullmatch(n))}
    return Way(
        way=queue.way,
        is_loaded=True,
        added_ns=values.get("added_mean_ns"),
        tail=tail[0],
        tail_ns=tail[1],
        delay_ns=values.get("delay_mean_ns"),
        loss=values.get("loss_ratio"),
        missed=late or (_missed(flow) if flow else {}),
        mos=values.get("mos") or (_value(flow, "mos") if flow else None),
        goodput_bps=values.get("goodput_bps"),
        line_bps=queue.line_bps,
        cpu=values.get("cpu_busy"),
    )


def _of_point(flow: realtime.Flow, idle: realtime.Flow | None, *, is_loaded: bool) -> Way:
    def added(name: str) -> Interval | None:
        before = _value(idle, name) if idle else None
        now = _value(flow, name)
        return less(now, before) if now and before else None

    each = {name: added(f"delay_{name}_ns") for name in TAILS}
    tail = _tail({name: value for name, value in each.items() if value})
    return Way(
        way=flow.way,
        is_loaded=is_loaded,
        added_ns=added("delay_mean_ns"),
        tail=tail[0],
        tail_ns=tail[1],
        delay_ns=_value(flow, "delay_mean_ns"),
        loss=_value(flow, "loss_ratio"),
        missed=_missed(flow),
        mos=_value(flow, "mos"),
    )


def _tail(each: Mapping[str, Interval]) -> tuple[str, Interval | None]:
    """The highest of these percentiles; none of none."""
    name = next((name for name in TAILS if name in each), "")
    return name, each.get(name)


def _missed(flow: realtime.Flow) -> dict[int, Interval]:
    values = flow.point.values
    return {ms: values[flow.name(f"missed_{ms}ms_ratio")] for ms in flow.deadlines_ms}


def _value(flow: realtime.Flow, name: str) -> Interval | None:
    return flow.point.values.get(flow.name(name))
