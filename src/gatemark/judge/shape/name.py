# SPDX-License-Identifier: Apache-2.0
"""A shape as the bottleneck of a point or of a knee, where it is what held it back."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from gatemark.judge.finding import COUNTED, EXPLAINED, LOSSLESS, Diagnosis, Finding, Shape
from gatemark.judge.judgement import Knee, PointResult
from gatemark.judge.point.facts import LOSS
from gatemark.judge.point.limit import HALF
from gatemark.judge.point.sweep import common

LIMITERS: Final[tuple[Shape, ...]] = ("policer", "shaper", "limiter")
# That explain a loss at any rate; the first that was found is named.
ALWAYS: Final[tuple[Shape, ...]] = ("one-direction", "one-family", *EXPLAINED)
# That explain a loss at some rates, or of some traffic, where nothing of the above does.
SOMETIMES: Final[tuple[Shape, ...]] = ("triggered", "one-level", "not-monotone")
MOST_OF_TCP: Final = 0.1  # of its packets: it holds TCP back, whose own losses are fewer
NEAR: Final = 1.1  # of a limiter's rate: a knee there is its


def named(point: PointResult, diagnoses: Iterable[Diagnosis]) -> PointResult:
    """The same point; where its loss had no explanation, with the shape that explains it."""
    if point.limit != "unknown":
        return point
    for diagnosis in diagnoses:
        if _is_of(diagnosis, point) and (finding := _explains(diagnosis, point)):
            return replace(point, limit=finding.shape, why=finding.fact)
    return point


def at_knee(knee: Knee, diagnoses: Iterable[Diagnosis]) -> Knee:
    """The same knee; where a limiter makes it, with that limiter.

    A bucket lets more through in a short trial, and a queue takes it: no rate that lasts.
    """
    for diagnosis in diagnoses:
        if not _is_of(diagnosis, knee):
            continue
        if finding := diagnosis.get(*LIMITERS):
            if knee.knee_pps.value <= NEAR * _limit_pps(finding, knee):
                return replace(knee, limit=finding.shape, why=finding.fact, at_least=False)
            if finding.shape != "limiter":
                return _lasting(knee, finding)
        elif knee.limit == "unknown" and (finding := diagnosis.get(*ALWAYS, *SOMETIMES)):
            return replace(knee, limit=finding.shape, why=finding.fact)
    return knee


def _lasting(knee: Knee, limiter: Finding) -> Knee:
    """The knee at a limiter's rate, where short trials carried more."""
    times = _limit_pps(limiter, knee) / knee.knee_pps.value
    own = knee.knee_pps
    return replace(
        knee,
        knee_pps=replace(own, value=times * own.value, lo=times * own.lo, hi=times * own.hi),
        knee_l1_bps=times * knee.knee_l1_bps,
        reached_pps=tuple(times * rate for rate in knee.reached_pps),
        limit=limiter.shape,
        why=limiter.fact,
        at_least=False,
    )


def _is_of(diagnosis: Diagnosis, result: PointResult | Knee) -> bool:
    key = diagnosis.plan, diagnosis.arm, diagnosis.definition.direction, common(diagnosis.point)
    own = result.plan, result.arm, result.definition.direction, common(result.point)
    return key == own


def _explains(diagnosis: Diagnosis, point: PointResult) -> Finding | None:
    loss, offered = (point.values.get(name) for name in ("loss_ratio", "offered_pps"))
    if loss is None:
        return _without_loss(diagnosis, point)
    if loss.value <= LOSS:
        return None
    limiter = diagnosis.get(*LIMITERS)
    if limiter and offered and offered.value > _limit_pps(limiter, point):
        return limiter
    always = diagnosis.get(*ALWAYS) or _counted(diagnosis, HALF * loss.value)
    return always or diagnosis.get(*SOMETIMES)


def _without_loss(diagnosis: Diagnosis, point: PointResult) -> Finding | None:
    """Of TCP, and of connections, what a counter names; of a search that found nothing, a shape."""
    if point.definition.quantity == "throughput":
        return None if point.values else diagnosis.get(*ALWAYS, *COUNTED)
    return _counted(diagnosis, MOST_OF_TCP)


def _counted(diagnosis: Diagnosis, least: float) -> Finding | None:
    """The first counter that names such a share of what was sent as lost."""
    lossy = (finding for finding in diagnosis.counted.findings if finding.shape not in LOSSLESS)
    return next((finding for finding in lossy if finding.values["share"] >= least), None)


def _limit_pps(limiter: Finding, result: PointResult | Knee) -> float:
    """The rate from which on a limiter of one direction drops, as a result counts its rate.

    Where both directions are loaded, as much is sent the other way.
    """
    return limiter.values["rate_pps"] * (2 if result.definition.direction == "both" else 1)
