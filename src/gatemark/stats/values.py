# SPDX-License-Identifier: Apache-2.0
"""A judgement as flat values, one line each, for `show --json`."""

from collections.abc import Iterator

from msgspec.structs import replace

from gatemark.stats.change import exact
from gatemark.stats.change.ladder import INSTRUCTIONS
from gatemark.stats.judgement import (
    Comparison,
    Cost,
    Estimate,
    Interval,
    Judgement,
    Knee,
    Ladder,
    PointResult,
    Step,
    Travel,
    Value,
)
from gatemark.store.record import UNITS

# What a faster tester could only raise; a delay or a share of an overloaded tester has no bound.
BOUNDED = frozenset(
    f"{rate}_{unit}"
    for rate in ("received", "knee", "peak", "throughput")
    for unit in ("pps", "l1_bps", "l2_bps", "l4_bps")
) | {"goodput_bps", "burst_packets", "connections", "connections_per_s", "flows"}


def values(judgement: Judgement) -> list[Value]:
    """All values: the tester's ceilings and floors, the points, the knees, then the differences."""
    points = (*judgement.ceilings, *judgement.floors, *judgement.points)
    return [
        *(value for point in points for value in _of_point(point)),
        *(value for knee in judgement.knees for value in _of_knee(knee)),
        *(value for ladder in judgement.ladders for value in _of_ladder(ladder)),
        *(value for one in judgement.travels for value in _of_travel(one)),
        *(
            value
            for ladder in judgement.ladders
            if exact.is_exact(ladder)
            for value in _of_functions(judgement, ladder)
        ),
        *(_of_comparison(one) for one in judgement.comparisons),
        *(_of_estimate(one) for one in judgement.estimates),
    ]


def _of_point(point: PointResult) -> Iterator[Value]:
    for quantity, interval in point.values.items():
        yield _value(point, quantity, interval, UNITS[quantity])


def _of_knee(knee: Knee) -> Iterator[Value]:
    rate = knee.knee_pps
    yield _value(knee, "knee_pps", rate, "packets/s")
    yield _value(knee, "knee_l1_bps", _scale(rate, knee.knee_l1_bps), "bit/s")
    yield _value(knee, "peak_pps", knee.peak_pps, "packets/s")
    yield _value(knee, "no_loss_pps", _exactly(knee.no_loss_pps, rate.n), "packets/s")
    for times, interval in knee.retained.items():
        yield _value(knee, f"retained_{times}", interval, "ratio")
    if knee.cpu_r2 is not None:
        yield _value(knee, "cpu_r2", _exactly(knee.cpu_r2, rate.n), "ratio")


def _of_travel(one: Travel) -> Iterator[Value]:
    """Calls on a packet's way, and netfilter's share of them: read off one packet."""
    for quantity, value, unit in (
        *((("path_calls", one.own.calls, "calls"),) if one.in_order else ()),
        (f"path_{one.unit}", one.own.amount, one.unit),
        *((("path_netfilter_calls", one.netfilter.calls, "calls"),) if one.in_order else ()),
        (f"path_netfilter_{one.unit}", one.netfilter.amount, one.unit),
        ("path_unmatched", one.unmatched, "ratio"),
    ):
        yield Value(
            plan=one.plan,
            arm=one.arm,
            point=one.point,
            setup=one.setup,
            quantity=quantity,
            value=float(value),
            lo=float(value),
            hi=float(value),
            unit=unit,
            n=1,
            level=0.0,
            definition=one.definition,
            limit="none",
            warnings=(),
        )


def _of_ladder(ladder: Ladder) -> Iterator[Value]:
    """What each step adds: `step_packet_ns`, `step_received_pps`, `step_cpu_busy`."""
    for step in ladder.steps:
        for quantity, cost in step.costs.items():
            yield _of_step(ladder, step, quantity, cost)


def _of_step(ladder: Ladder, step: Step, quantity: str, cost: Cost) -> Value:
    i = cost.difference
    return Value(
        plan=ladder.plan,
        arm=step.arm,
        against=step.against,
        point=ladder.point,
        setup=step.setup,
        quantity=f"step_{quantity}",
        value=i.value,
        lo=i.lo,
        hi=i.hi,
        unit=UNITS[quantity],
        n=i.n,
        level=i.level,
        p=cost.p,
        mde=cost.mde,
        definition=step.definition,
        limit=step.limit,
        at_least=False,
        warnings=(),
    )


def _of_functions(judgement: Judgement, ladder: Ladder) -> Iterator[Value]:
    """What a step in instructions is made of: the dearest functions, and all others as one."""
    for step in ladder.steps:
        found = exact.pair(judgement.executed, ladder, step)
        if not found:
            continue
        whole = _of_step(ladder, step, INSTRUCTIONS, step.costs[INSTRUCTIONS])
        for name, by in exact.dearest(exact.moved(*found)):
            yield replace(
                whole,
                quantity="step_function_instructions",
                function=name,
                value=float(by),
                lo=float(by),
                hi=float(by),
                level=0.0,
            )


def _of_comparison(one: Comparison) -> Value:
    """By how much an arm differs from the first of its plan: `change_received_pps`, a ratio."""
    change, path = one.change, one.definition.path
    return Value(
        plan=one.plan,
        arm=one.arm,
        against=one.baseline,
        point=one.point,
        setup=" + ".join((path, *one.definition.features)),
        quantity=f"change_{one.quantity}",
        value=change.change.value,
        lo=change.change.lo,
        hi=change.change.hi,
        unit="ratio",
        n=change.change.n,
        level=change.change.level,
        p=change.p,
        mde=change.mde,
        definition=one.definition,
        limit="tester" if one.at_least else "unknown",
        warnings=(),
    )


def _of_estimate(one: Estimate) -> Value:
    """What a packet would take on a device: `estimated_cycles`."""
    return Value(
        plan=one.plan,
        arm=one.arm,
        point={**one.point, "device": one.device.name},
        setup=one.setup,
        quantity="estimated_cycles",
        value=one.cycles.value,
        lo=one.cycles.lo,
        hi=one.cycles.hi,
        unit="cycles",
        n=one.cycles.n,
        level=one.cycles.level,
        definition=one.definition,
        limit="unknown",
        warnings=(),
    )


def _value(judged: PointResult | Knee, quantity: str, interval: Interval, unit: str) -> Value:
    return Value(
        plan=judged.plan,
        arm=judged.arm,
        point=judged.point,
        setup=judged.setup,
        quantity=quantity,
        value=interval.value,
        lo=interval.lo,
        hi=interval.hi,
        unit=unit,
        n=interval.n,
        level=interval.level,
        definition=judged.definition,
        limit=judged.limit,
        at_least=judged.at_least and quantity in BOUNDED,
        warnings=tuple(warning.code for warning in judged.warnings),
    )


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
