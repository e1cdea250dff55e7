# SPDX-License-Identifier: Apache-2.0
"""A factor that the plan sweeps is a suspect: one level of it is worse than the others.

Levels are compared where all else is alike: by what is lost at rates below a full CPU, by the most
that comes through, by the delay at the lowest rate. What is found at one level alone says so.
"""

from collections.abc import Iterator, Sequence
from operator import add
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.judge.fact import Fact, fact, several
from gatemark.judge.finding import COUNTED, Diagnosis, Finding, Shape
from gatemark.judge.shape.diagnose import Diagnosed
from gatemark.judge.shape.sight import MOST, Sight, Sweep, in_most
from gatemark.store.record import Scalar

MORE, TIMES = 0.005, 5.0  # lost than at another level, and so many times as much
# Of what comes through at another level; more where each packet takes the CPU longer as well.
LOW, LESS_LOW, DEARER = 0.75, 0.8, 1.2
# Of the delay at another level, and so much longer; less where no trial contradicts it.
LATE, LATER_NS = 1.5, 50_000.0
LESS_LATE, LESS_LATER_NS = 1.3, 25_000.0
FEWEST: Final = 3  # repeats
NEAR: Final = 0.1  # two rates of different levels are the same
# Of which a level may carry less, or take longer, without a fault: larger frames take the line
# longer, and many flows are dearer.
# A path has another way to go.
COSTS: Final = ("frame_bytes", "payload_bytes", "mix", "flows", "flow_ports", "burst", "path")
SHAPES: Final[dict[str, Shape]] = {"direction": "one-direction", "family": "one-family"}
# What a level that loses says no more of: it is no share that all lose, nor without explanation.
LESS: Final[tuple[Shape, ...]] = ("constant-share", "unexplained")
# Shapes that are of the traffic as a whole: told at a level alone, they are the level's.
OF_ALL: Final[tuple[Shape, ...]] = (
    *("nothing", "over-time", "constant-share", "policer", "shaper", "limiter", "corruption"),
    *("exchange", "some-flows", "slow-flows", "waiting-packets", "triggered"),
    "unexplained",
    *COUNTED,
)


def suspected(each: Diagnosed, every: Sequence[Diagnosed]) -> Diagnosis:
    """The diagnosis, with the level at which something is worse."""
    diagnosis = each.diagnosis
    for factor in key(diagnosis):
        others = [o for o in every if differ_in(diagnosis, o.diagnosis, factor)]
        if others:
            diagnosis = _compared(diagnosis, each.sweep, others, factor)
    return diagnosis


def with_levels(diagnoses: Sequence[Diagnosis]) -> tuple[Diagnosis, ...]:
    """The diagnoses; where one level of a factor alone has a shape, with that level's name."""
    return tuple(
        replace(each, findings=tuple(_at_levels(f, each, diagnoses) for f in each.findings))
        for each in diagnoses
    )


def _at_levels(finding: Finding, own: Diagnosis, every: Sequence[Diagnosis]) -> Finding:
    if finding.shape not in OF_ALL:
        return finding
    alone = []
    factors = [name for name in key(own) if (name, own.direction) != ("direction", "both")]
    for factor in factors:
        others = [other for other in every if differ_in(own, other, factor)]
        if others and not any(other.get(finding.shape) for other in others):
            alone.append(factor)
    seen = finding.fact
    if "path" in alone:  # its arm is named for it
        seen = fact("at-path", finding=seen)
        alone.remove("path")
    if alone:
        levels = several(_level(factor, key(own)[factor]) for factor in alone)
        seen = fact("at-levels", finding=seen, levels=levels)
    return replace(finding, fact=seen)


def _compared(
    diagnosis: Diagnosis, sweep: Sweep, others: Sequence[Diagnosed], factor: str
) -> Diagnosis:
    """With what one factor says."""
    if diagnosis.get("nothing", "tester") or factor in COSTS:
        return diagnosis
    findings = diagnosis.findings
    level = _level(factor, key(diagnosis)[factor])
    if any(_loses_more(sweep, other.sweep) for other in others):
        findings = tuple(f for f in findings if f.shape not in LESS)
        return replace(diagnosis, findings=(_loses(factor, level, sweep, len(others)), *findings))
    more: list[Finding] = []
    named = {finding.shape for finding in diagnosis.wrong} - {"first-packets"}
    if not named:
        more += _carries(factor, level, sweep, others)
    if not _waits(diagnosis, sweep):
        more += _takes(factor, level, sweep, others)
    return replace(diagnosis, findings=(*more[:1], *findings))


def _level(factor: str, level: Scalar) -> Fact:
    return fact("level", factor=factor, level=level)


def _loses(factor: str, level: Fact, sweep: Sweep, others: int) -> Finding:
    share = median(sight.lost / sight.tried for sight in sweep.levels[0].sights)
    name = factor if factor in SHAPES else "level"
    rest = fact("level.other-whole", name=name) if others == 1 else fact("level.not-all")
    return Finding(
        shape=SHAPES.get(factor, "one-level"),
        fact=fact("level.loses", share=share, level=level, rest=rest),
        values={"share": share},
    )


def _carries(
    factor: str, level: Fact, sweep: Sweep, others: Sequence[Diagnosed]
) -> Iterator[Finding]:
    """Less at this level than at the best other one, repeat by repeat."""
    best = max(others, key=lambda other: median(_most(other.sweep).values()))
    own, most = _most(sweep), _most(best.sweep)
    pairs = [(own[repeat], most[repeat]) for repeat in own if repeat in most]
    least = LESS_LOW if _is_dearer(sweep, best.sweep) else LOW
    if not in_most([low <= least * high for low, high in pairs]):
        return
    rate, other = (median(rates) for rates in zip(*pairs, strict=True))
    usual = _level(factor, key(best.diagnosis)[factor])
    yield Finding(
        shape=SHAPES.get(factor, "one-level"),
        fact=fact(
            "level.carries",
            rate=rate,
            other=other,
            share=rate / other,
            level=level,
            usual=usual,
        ),
        values={"rate_pps": rate, "other_pps": other},
    )


def _is_dearer(sweep: Sweep, other: Sweep) -> bool:
    """Return True if in each repeat the rates below a full CPU take it longer a packet."""
    sums: dict[tuple[int, int], list[float]] = {}
    for pair in _pairs(sweep, other, lowest=False):
        own = sums.setdefault((pair[0].record.boot, pair[0].record.repeat), [0.0] * 4)
        counts = [value for sight in pair for value in (sight.busy or 0.0, sight.arrived_pps())]
        own[:] = map(add, own, counts)
    return len(sums) >= FEWEST and all(
        busy * usual_pps >= DEARER * usual * pps > 0
        for busy, pps, usual, usual_pps in sums.values()
    )


def _most(sweep: Sweep) -> dict[tuple[int, int], float]:
    """Of each repeat the most that came through at any rate."""
    most: dict[tuple[int, int], float] = {}
    for sight in sweep.sights:
        repeat = (sight.record.boot, sight.record.repeat)
        most[repeat] = max(most.get(repeat, 0.0), sight.arrived_pps())
    return most


def _waits(diagnosis: Diagnosis, sweep: Sweep) -> bool:
    """Return True if a shape makes packets wait at the lowest rate."""
    lowest, limit = sweep.levels[0], diagnosis.get("shaper", "limiter")
    is_queued = limit is not None and limit.values["rate_pps"] < lowest.offered_pps
    return is_queued or any(sight.stalled for sight in lowest.sights)


def _takes(
    factor: str, level: Fact, sweep: Sweep, others: Sequence[Diagnosed]
) -> Iterator[Finding]:
    """Longer at this level than at the best other one, at the lowest rate."""
    timed = [other for other in others if other.sweep.levels[0].delay_ns]
    if not timed:
        return
    best = min(timed, key=lambda other: other.sweep.levels[0].delay_ns or 0.0)
    trials = _pairs(sweep, best.sweep, lowest=True)
    pairs = [(a.delay_ns or 0.0, b.delay_ns or 0.0) for a, b in trials]
    if not pairs or not _is_later(pairs):
        return
    own_ns, usual_ns = (median(delays) for delays in zip(*pairs, strict=True))
    usual = _level(factor, key(best.diagnosis)[factor])
    yield Finding(
        shape=SHAPES.get(factor, "one-level"),
        fact=fact(
            "level.delays",
            own=own_ns,
            other=usual_ns,
            more=own_ns - usual_ns,
            level=level,
            usual=usual,
        ),
        values={"delay_ns": own_ns, "other_ns": usual_ns},
    )


def _is_later(pairs: Sequence[tuple[float, float]]) -> bool:
    """Return True if most delays are far longer, or each is longer than any of the other level."""
    own, usual = zip(*pairs, strict=True)
    is_far, is_more = (
        in_most([a >= times * b and a - b >= more for a, b in pairs])
        for times, more in ((LATE, LATER_NS), (LESS_LATE, LESS_LATER_NS))
    )
    return min(usual) > 0 and (is_far or (is_more and max(usual) < min(own)))


def differ_in(diagnosis: Diagnosis, other: Diagnosis, factor: str) -> bool:
    """Return True if two sweeps differ in one factor and in nothing else."""
    own, its = key(diagnosis), key(other)
    unlike = {name for name in own | its if own.get(name) != its.get(name)}
    return unlike == {factor} and _about(diagnosis, factor) == _about(other, factor)


def _about(diagnosis: Diagnosis, factor: str) -> tuple[object, ...]:
    """What else must be equal; each path is an arm of its own."""
    kind = diagnosis.definition
    arm = kind.features if factor == "path" else diagnosis.arm
    return (diagnosis.plan, arm, kind.slow_to_pps, kind.direction == "both")


def key(diagnosis: Diagnosis) -> dict[str, Scalar]:
    """The level of each factor: those of the plan, and those that every trial has."""
    kind = diagnosis.definition
    own: dict[str, Scalar] = {"direction": diagnosis.direction, "family": kind.family}
    own |= {"frame_bytes": kind.frame_bytes or 0, "path": kind.path}
    return {**diagnosis.point, **own}


def _pairs(sweep: Sweep, other: Sweep, *, lowest: bool) -> Iterator[tuple[Sight, Sight]]:
    """Trials of the same rates below a full CPU, or of the lowest alone."""
    firsts, seconds = (s.levels[:1] if lowest else s.quiet for s in (sweep, other))
    for first, second in zip(firsts, seconds, strict=False):
        if abs(first.offered_pps - second.offered_pps) <= NEAR * second.offered_pps:
            yield from zip(first.sights, second.sights, strict=False)


def _loses_more(sweep: Sweep, other: Sweep) -> bool:
    """At the same rates below a full CPU, in most of the pairs of trials."""
    shares = [(a.lost / a.tried, b.lost / b.tried) for a, b in _pairs(sweep, other, lowest=False)]
    return in_most([a - b >= MORE and a >= TIMES * b for a, b in shares], MOST)
