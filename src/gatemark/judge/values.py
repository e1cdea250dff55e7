# SPDX-License-Identifier: Apache-2.0
"""A judgement as flat values, one line each, for `show --json`."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from gatemark.judge.change import exact
from gatemark.judge.change.ladder import INSTRUCTIONS, is_limited
from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import (
    Comparison,
    Cost,
    Estimate,
    Judgement,
    Knee,
    Ladder,
    Limit,
    PointResult,
    Queue,
    Step,
    Travel,
    Value,
)
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.sweep import others
from gatemark.judge.points import marked
from gatemark.judge.subject import About
from gatemark.judge.verdict import shaping
from gatemark.judge.verdict.shaper import advice
from gatemark.judge.verdict.verdict import verdicts
from gatemark.quantity import LOSS, UNITS, is_bounded, judged_unit, words
from gatemark.store.record import Definition


def values(judgement: Judgement) -> list[Value]:
    """All values: the tester's ceilings and floors, the points, the knees, then the differences."""
    points = (*judgement.ceilings, *judgement.floors, *judgement.points)
    wrong = {_side(diagnosis): diagnosis for diagnosis in judgement.diagnoses}
    made = [
        *(value for point in points for value in of_point(point)),
        *(value for knee in judgement.knees for value in of_knee(knee)),
        *(value for ladder in judgement.ladders for value in _of_ladder(ladder)),
        *(value for travel in judgement.travels for value in _of_travel(travel)),
        *(
            value
            for ladder in judgement.ladders
            if exact.is_exact(ladder)
            for value in _of_functions(judgement, ladder)
        ),
        *(_of_comparison(comparison) for comparison in judgement.comparisons),
        *(value for queue in judgement.queues for value in _of_queue(queue)),
        *_of_verdicts(judgement),
        *(_of_estimate(estimate) for estimate in judgement.estimates),
        *(value for diagnosis in judgement.diagnoses for value in _of_diagnosis(diagnosis)),
    ]
    return [_shaped(value, wrong.get(_side(value))) for value in _graded(made, judgement)]


def _graded(made: Iterable[Value], judgement: Judgement) -> Iterator[Value]:
    """Yield them, with the word that a point has earned at the figure that decided it."""
    named = {
        (each.point.plan, each.point.arm, *sorted(each.point.point.items()), each.quantity): each
        for each in marked(judgement.points)
    }
    for value in made:
        place = (value.plan, value.arm, *sorted(value.point.items()), value.quantity)
        yield replace(value, grade=named[place].word) if place in named else value


def _side(about: About | Value) -> tuple[object, ...]:
    """An arm in one direction: at any of its rates, with its other factors."""
    return about.plan, about.arm, about.definition.direction, *others(about.point)


def _shaped(value: Value, diagnosis: Diagnosis | None) -> Value:
    """The same with the codes of what is wrong with its arm."""
    if diagnosis is None or value.shapes or not diagnosis.wrong:
        return value
    return replace(value, shapes=tuple(finding.shape for finding in diagnosis.wrong))


def _of_diagnosis(diagnosis: Diagnosis) -> Iterator[Value]:
    """What was measured of each shape: `loss_share`, `loss_rate_pps`, `loss_burst_packets`, ..."""
    for finding in diagnosis.findings:
        for name, number in finding.values.items():
            is_time = name.endswith("_ms")
            quantity = LOSS + (f"{name.removesuffix('_ms')}_ns" if is_time else name)
            read = _exactly(number * 1e6 if is_time else number, 1)
            value = _value(diagnosis, quantity, read, judged_unit(quantity), limit=finding.shape)
            point = value.point
            if diagnosis.direction != diagnosis.definition.direction:  # one of both ways at once
                point = {**point, "direction": diagnosis.direction}
            yield replace(value, shapes=(finding.shape,), point=point)


def of_point(point: PointResult) -> Iterator[Value]:
    """What was measured at a point."""
    for quantity, interval in point.values.items():
        yield _judged(point, quantity, interval, UNITS[quantity])


def of_knee(knee: Knee) -> Iterator[Value]:
    """What a sweep of rates comes to."""
    rate = knee.knee_pps
    yield _judged(knee, "knee_pps", rate, "packets/s")
    yield _judged(knee, "knee_l1_bps", _scale(rate, knee.knee_l1_bps), "bit/s")
    yield _judged(knee, "peak_pps", knee.peak_pps, "packets/s")
    yield _judged(knee, "no_loss_pps", _exactly(knee.no_loss_pps, rate.n), "packets/s")
    for times, interval in knee.retained.items():
        yield _judged(knee, f"retained_{times}", interval, "ratio")
    if knee.cpu_r2 is not None:
        yield _judged(knee, "cpu_r2", _exactly(knee.cpu_r2, rate.n), "ratio")


def _of_travel(travel: Travel) -> Iterator[Value]:
    """Calls on a packet's way, and netfilter's share of them: read off one packet."""
    for quantity, value, unit in (
        *((("path_calls", travel.own.calls, "calls"),) if travel.in_order else ()),
        (f"path_{travel.unit}", travel.own.amount, travel.unit),
        *((("path_netfilter_calls", travel.netfilter.calls, "calls"),) if travel.in_order else ()),
        (f"path_netfilter_{travel.unit}", travel.netfilter.amount, travel.unit),
        ("path_unmatched", travel.unmatched, "ratio"),
    ):
        read = _exactly(float(value), 1)
        yield _value(travel, quantity, read, unit, limit="none")


def _of_ladder(ladder: Ladder) -> Iterator[Value]:
    """What each step adds: `step_packet_ns`, `step_received_pps`, `step_cpu_busy`."""
    for step in ladder.steps:
        for quantity, cost in step.costs.items():
            yield _of_step(ladder, step, quantity, cost)


def _of_step(ladder: Ladder, step: Step, quantity: str, cost: Cost) -> Value:
    limit: Limit = "tester" if is_limited(step, quantity) else step.limit
    value = _value(step, f"step_{quantity}", cost.difference, UNITS[quantity], limit=limit)
    return replace(value, point=ladder.point, against=step.against, p=cost.p, mde=cost.mde)


def _of_functions(judgement: Judgement, ladder: Ladder) -> Iterator[Value]:
    """What a step in instructions is made of: the dearest functions, and all others as one."""
    for step in ladder.steps:
        results = exact.pair(judgement.executed, ladder, step)
        if not results:
            continue
        whole = _of_step(ladder, step, INSTRUCTIONS, step.costs[INSTRUCTIONS])
        for name, by in exact.dearest(exact.moved(*results)):
            yield replace(
                whole,
                quantity="step_function_instructions",
                function=name,
                value=float(by),
                lo=float(by),
                hi=float(by),
                level=0.0,
            )


def _of_comparison(comparison: Comparison) -> Value:
    """By how much an arm differs from the first of its plan: `change_received_pps`, a ratio."""
    change = comparison.change
    limit: Limit = "tester" if comparison.at_least else "unknown"
    value = _value(comparison, f"change_{comparison.quantity}", change.change, "ratio", limit=limit)
    return replace(value, against=comparison.baseline, p=change.p, mde=change.mde)


def _of_estimate(estimate: Estimate) -> Value:
    """What a packet would take on a device: `estimated_cycles`."""
    value = _value(estimate, "estimated_cycles", estimate.cycles, "cycles", limit="unknown")
    return replace(value, point={**estimate.point, "device": estimate.device.name})


def _of_queue(queue: Queue) -> Iterator[Value]:
    """What a flow saw of a queue: `up.queue_added_p99_ns`; of another workload, its name first."""
    owner = f"{queue.flow}.{queue.way}" if queue.flow else queue.way
    n = max(interval.n for interval in queue.values.values())
    wanted = {name: _exactly(value, n) for name, value in queue.expected.items()}
    for name, interval in (queue.values | wanted).items():
        quantity = f"{owner}.{name}"
        yield _value(queue, quantity, interval, judged_unit(quantity), limit="unknown")


def _of_verdicts(judgement: Judgement) -> Iterator[Value]:
    """What is said of each flow beside a load, and the shaper's rate that follows from it."""
    every = verdicts(judgement)
    for verdict in every:
        point, limit = verdict.point, verdict.point.limit
        added = _value(point, "verdict_added_ns", verdict.added_ns, "ns", limit=limit)
        yield replace(added, grade=verdict.letter)
        if verdict.tail_ns:
            yield _value(point, "verdict_worse_ns", verdict.tail_ns, "ns", limit=limit)
        for use in verdict.uses:
            quantity = f"verdict_{use.name.replace(' ', '_')}_works"
            works = _exactly(float(use.works), use.reason.value.n)
            yield _value(point, quantity, works, "ratio", limit=limit)
    for made in advice(every, shaping.rates(judgement.points)):
        for way, (least, most) in made.rates_bps.items():
            n = made.before.goodput_bps[way].n
            rates = Interval((least + most) / 2, least, most, n, 0.0)
            quantity = f"verdict_shaper_{way}_bps"
            yield _value(made.best.point, quantity, rates, "bit/s", limit=made.best.point.limit)


def _judged(judged: PointResult | Knee, quantity: str, interval: Interval, unit: str) -> Value:
    return replace(
        _value(judged, quantity, interval, unit, limit=judged.limit),
        at_least=judged.at_least and is_bounded(quantity),
        warnings=tuple(warning.code for warning in judged.warnings),
    )


def _value(about: About, quantity: str, interval: Interval, unit: str, *, limit: Limit) -> Value:
    return Value(
        plan=about.plan,
        arm=about.arm,
        point=about.point,
        setup=about.setup,
        quantity=quantity,
        value=interval.value,
        lo=interval.lo,
        hi=interval.hi,
        unit=unit,
        n=interval.n,
        level=interval.level,
        definition=_defined(about.definition, quantity),
        limit=limit,
        warnings=(),
    )


def _defined(definition: Definition, quantity: str) -> Definition:
    """A trial's definition as that of one value: a trial is about its headline, a row is not."""
    if quantity == definition.headline:
        return definition
    return replace(definition, quantity=words(quantity))


def _scale(interval: Interval, value: float) -> Interval:
    """The same interval in another unit, in which its median is `value`."""
    if not interval.value:
        return replace(interval, value=value, lo=value, hi=value)
    # The ratio first: it is 1 or on its side of 1, so rounding moves no bound past the median.
    lo, hi = (value * (bound / interval.value) for bound in (interval.lo, interval.hi))
    return replace(interval, value=value, lo=lo, hi=hi)


def _exactly(value: float, n: int) -> Interval:
    """A value read off the sweep's levels, not estimated: it has no interval of its own."""
    return Interval(value, value, value, n, 0.0)
