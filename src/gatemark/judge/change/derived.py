# SPDX-License-Identifier: Apache-2.0
"""Values that studies print and we do not: they follow from ours, to stand beside theirs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gatemark.judge.change import gain
from gatemark.judge.change.best import best
from gatemark.judge.judgement import Comparison, Judgement, Ladder, PointResult, Queue
from gatemark.judge.math.interval import Interval
from gatemark.judge.study import busy
from gatemark.judge.subject import Subject
from gatemark.kind.algorithm import point as rate
from gatemark.kind.connections.plan import HELD
from gatemark.quantity import UNITS
from gatemark.store.record import Scalar
from gatemark.unit import payload_bytes

FEWEST_WRITES: Final = 3  # sizes of a write, of which the largest value is a plateau
WRITE: Final = "write_bytes"
QUEUE: Final = (
    "queue_delay_mean_ns",
    "queue_delay_p5_ns",
    "queue_delay_p50_ns",
    "queue_delay_p95_ns",
    "queue_delay_max_ns",
    "queue_loss_ratio",
    "queue_buffer_bytes",
    "queue_idle_mean_ns",
    "queue_idle_p50_ns",
    "queue_idle_loss_ratio",
    "queue_first_ns",
    "queue_settled_ns",
)
MEAN: Final = QUEUE[0]
PAYLOAD: Final = ("goodput_bps", "received_l4_bps")  # what a share of a link is of

Derived = tuple[Subject, str, Interval]  # what it is of, its quantity, the value
Bounded = tuple[Subject, str, Interval, bool]  # and whether it is a lower bound


def derived(judgement: Judgement) -> Iterator[Derived]:
    """All that follows from what was judged, but for what may be a bound (`of_link`)."""
    for point in judgement.points:
        if captured := point.values.get("captured_share"):
            yield point.subject, "missed_share", _turned(captured, 1.0)
    for comparison in gain.gateways(judgement.comparisons):
        yield comparison.subject, "cost_ratio", _turned(comparison.change.change, 0.0)
        yield from _gained(judgement, comparison)
    yield from _shares(judgement.points)
    yield from _per_mhz(judgement.points)
    yield from _tester(judgement.ceilings)
    yield from _queues(judgement.queues)
    yield from _steps(judgement.ladders)
    yield from _flows(judgement.points)
    yield from busy.derived(judgement.points)
    yield from best(judgement)


def _tester(ceilings: Sequence[PointResult]) -> Iterator[Derived]:
    for ceiling in ceilings:
        if busy := ceiling.tester_cpu:
            yield ceiling.subject, "tester_cpu_share", Interval(busy, busy, busy, 1, 0.0)


def _steps(ladders: Sequence[Ladder]) -> Iterator[Derived]:
    """Yield the CPU load that each step adds, where the tester limited neither of the two."""
    every = (step for ladder in ladders for step in ladder.steps)
    for step in (step for step in every if not (step.twin or step.at_least)):
        if cost := step.costs.get("cpu_busy"):
            yield step.subject, "step_cpu_busy", cost.difference
            yield step.subject, "saved_cpu_busy", _turned(cost.difference, 0.0)


def _flows(points: Sequence[PointResult]) -> Iterator[Derived]:
    """A flow's memory with a setup, over that with the first of the plan on the same path."""
    first: dict[tuple[object, ...], float] = {}
    for point in points:
        if taken := point.values.get("flow_bytes"):
            key = point.plan, point.definition.path, *sorted(point.point.items())
            base = first.setdefault(key, taken.value)
            if base > 0:
                yield point.subject, "flow_bytes_times", _times(taken, 1 / base)


def is_bound(point: PointResult) -> bool:
    """Whether a rate of a point is a bound: one that came through whole, too; none was faster.

    So are connections, where all that were asked for were held.
    """
    whole = point.definition.l4 == "udp" or point.definition.quantity == HELD
    return point.at_least or (whole and point.limit == "none")


def of_link(judgement: Judgement) -> Iterator[Bounded]:
    """Payload as a share of what the links carry, each as fast as its slowest port."""
    for point in judgement.points:
        for name in PAYLOAD if point.link_bps else ():
            if rate := point.values.get(name):
                share = _times(rate, 1 / (point.link_bps or 1))
                yield point.subject, "link_share", share, is_bound(point)
    links = {(p.plan, p.arm, p.definition.direction): p.link_bps for p in judgement.points}
    for knee in judgement.knees:
        link_bps, definition = links.get((knee.plan, knee.arm, knee.direction)), knee.definition
        if link_bps and definition.frame_bytes:
            bits = payload_bytes(definition.frame_bytes, definition.family) * 8
            share = _times(knee.peak_pps, bits / link_bps)
            yield knee.subject, "peak_link_share", share, knee.at_least


def _queues(queues: Sequence[Queue]) -> Iterator[Derived]:
    """Of the plan's own flow upwards; and what the mean delay with features is to that without."""
    own = [queue for queue in queues if queue.way == "up" and not queue.flow]
    bare = {_at(q): q.values[MEAN] for q in own if MEAN in q.values and not q.definition.features}
    for queue in own:
        yield from ((queue.subject, n, queue.values[n]) for n in QUEUE if n in queue.values)
        if mean := queue.values.get(MEAN):
            base = bare.get(_at(queue), mean)
            if base is not mean and mean.lo > 0:
                n, level = min(base.n, mean.n), min(base.level, mean.level)
                yield (
                    queue.subject,
                    "queue_reduction",
                    Interval(
                        base.value / mean.value, base.lo / mean.hi, base.hi / mean.lo, n, level
                    ),
                )


def _at(queue: Queue) -> tuple[object, ...]:
    return queue.plan, *sorted(queue.point.items())


def _turned(i: Interval, whole: float) -> Interval:
    """Return the rest of the whole."""
    return Interval(whole - i.value, whole - i.hi, whole - i.lo, i.n, i.level)


def _gained(judgement: Judgement, comparison: Comparison) -> Iterator[Derived]:
    """The gain as bits of payload."""
    first, definition = gain.base(judgement, comparison), comparison.definition
    if first is None:
        return
    more = gain.absolute(comparison, first)
    if UNITS[comparison.quantity] == "bit/s":
        yield comparison.subject, "gain_l4_bps", more
    elif definition.frame_bytes and UNITS[comparison.quantity] == "packets/s":
        bits = payload_bytes(definition.frame_bytes, definition.family) * 8
        yield comparison.subject, "gain_l4_bps", _times(more, bits)


def _times(i: Interval, factor: float) -> Interval:
    return Interval(i.value * factor, i.lo * factor, i.hi * factor, i.n, i.level)


def _shares(points: Sequence[PointResult]) -> Iterator[Derived]:
    """Of TCP over sizes of a write: the share of the largest value, by that value's median.

    Where the tester limited the largest value there is no plateau to have a share of.
    """
    lines: dict[tuple[object, ...], list[PointResult]] = {}
    for point in points:
        if "goodput_bps" in point.values and WRITE in point.point:
            lines.setdefault((point.plan, point.arm, *_others(point.point)), []).append(point)
    for members in lines.values():
        top = max(members, key=lambda point: point.values["goodput_bps"].value)
        most = top.values["goodput_bps"].value
        if len(members) >= FEWEST_WRITES and most and not top.at_least:
            for point in (point for point in members if not point.at_least):
                share = _times(point.values["goodput_bps"], 1 / most)
                yield point.subject, "plateau_share", share


def _others(point: Mapping[str, Scalar]) -> list[tuple[str, Scalar]]:
    return sorted((name, level) for name, level in point.items() if name != WRITE)


def _per_mhz(points: Sequence[PointResult]) -> Iterator[Derived]:
    """CoreMark by the measured clock, where a run has both."""
    clocks = [p.values["clock_hz"].value for p in points if "clock_hz" in p.values]
    for point in rate.fastest(points, "coremark") if clocks else ():
        score = point.values["ops_s"]
        yield point.subject, "coremark_per_mhz", _times(score, 1e6 / max(clocks))
