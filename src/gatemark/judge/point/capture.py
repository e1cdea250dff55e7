# SPDX-License-Identifier: Apache-2.0
"""Gateways that run a program while they forward: how far both go, and which gives way first."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.judge.judgement import Order, PointResult, Watched
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.facts import LOSS
from gatemark.plan.feature import programs
from gatemark.plan.model import is_twin
from gatemark.store.record import Scalar
from gatemark.unit import payload_bytes

REFERENCE_BPS: Final = 20_000_000.0  # of payload: every gateway of the capture study carried it
MISSED: Final = LOSS  # of what crossed the port: as much as may be lost on the way
RATES: Final = ("rate_bps", "rate_pps")
MODES: Final = ("cpu_user", "cpu_system", "cpu_softirq", "cpu_irq")
TOGETHER: Final = 2.0  # times: shares within that are alike

Sweep = Sequence[PointResult]  # of one arm, by rate


def watched(points: Iterable[PointResult]) -> tuple[Watched, ...]:
    """Each arm of those plans that have one with a program and sweep the rate, plan by plan."""
    sweeps = list(_sweeps(points))
    plans = {sweep[0].plan for sweep in sweeps if programs(sweep[0].definition.features)}
    results = [_judged(sweep, sweeps) for sweep in sweeps if sweep[0].plan in plans]
    return tuple(ranked(results))


def rate_bps(point: PointResult) -> float:
    """The offered rate as bits of payload; at most (rate 0) what was offered; 0: not known."""
    bps, pps = (point.point.get(name) for name in RATES)
    if isinstance(bps, int | float) and bps:
        return float(bps)
    size = point.definition.frame_bytes
    if not size or (bps is None and pps is None):
        return 0.0
    if not pps:
        offered = point.values.get("offered_pps")
        pps = offered.value if offered else 0.0
    return float(pps) * payload_bytes(size, point.definition.family) * 8


def is_most(point: PointResult) -> bool:
    """Return whether as much was offered as the tester sends: the rate is no level of the plan."""
    return any(name in point.point and not point.point[name] for name in RATES)


def _level(point: PointResult) -> tuple[Scalar | None, ...]:
    return tuple(point.point.get(name) for name in RATES)


def _sweeps(points: Iterable[PointResult]) -> Iterator[Sweep]:
    """The points at set rates, by plan, arm and all other factors."""
    kept_points: dict[tuple[object, ...], list[PointResult]] = {}
    for point in points:
        if rate_bps(point) and "loss_ratio" in point.values and not is_twin(point.arm):
            key = (point.plan, point.arm, *sorted(_others(point).items()))
            kept_points.setdefault(key, []).append(point)
    return (sorted(points, key=rate_bps) for points in kept_points.values())


def _others(point: PointResult) -> dict[str, Scalar]:
    return {name: level for name, level in point.point.items() if name not in RATES}


def _judged(own: Sweep, every: Iterable[Sweep]) -> Watched:
    first = own[0]
    bare = _baseline(own, every)
    reference = next((p.values for p in own if rate_bps(p) == REFERENCE_BPS), {})
    lost = next((point for point in own if _lossy(point)), None)
    missed = next((point for point in own if _misses(point)), None)
    end_bps = min((rate_bps(point) for point in (lost, missed) if point), default=math.inf)
    # Beyond this, the tester was the bottleneck: the gateway was never offered what the plan says.
    tester_bps = next((rate_bps(point) for point in own if point.at_least), math.inf)
    safe = [rate_bps(point) for point in own if rate_bps(point) < min(end_bps, tester_bps)]
    return Watched(
        subject=first.subject.at(_others(first)),
        baseline=bare[0].arm if bare else "",
        safe_bps=max(safe, default=None),
        at_least=end_bps == math.inf or tester_bps < end_bps,
        loss_bps=rate_bps(lost) if lost else None,
        missed_bps=rate_bps(missed) if missed else None,
        order=_order(lost, missed) if _captures(own) else "",
        livelock_bps=_livelock(own, bare),
        cpu=reference.get("cpu_busy"),
        modes={mode: reference[mode] for mode in MODES if mode in reference},
        rank=None,
    )


def _baseline(own: Sweep, every: Iterable[Sweep]) -> Sweep:
    """The sweep of the same plan, path and factors whose gateway runs no program; or none."""
    first, running = own[0], programs(own[0].definition.features)
    setting = [feature for feature in first.definition.features if feature not in running]
    if not running:
        return ()
    for other in every:
        point = other[0]
        same = (point.plan, point.definition.path) == (first.plan, first.definition.path)
        if same and list(point.definition.features) == setting and _others(point) == _others(first):
            return other
    return ()


def _loss(point: PointResult) -> Interval:
    return point.values["loss_ratio"]


def _lossy(point: PointResult) -> bool:
    return _loss(point).value > LOSS


def _missing(point: PointResult) -> float:
    """What the program missed of what crossed its port."""
    captured = point.values.get("captured_share")
    return 1 - captured.value if captured else 0.0


def _misses(point: PointResult) -> bool:
    return _missing(point) > MISSED


def _captures(sweep: Sweep) -> bool:
    """Whether it was counted what a program captured: without it nothing can be kept longer."""
    return any("captured_share" in point.values for point in sweep)


def _order(lost: PointResult | None, missed: PointResult | None) -> Order:
    """What gave way at the lower rate was kept less; at the same rate, of what more is missing."""
    if lost is None or missed is None:
        return "" if lost is missed else ("forwarding first" if missed else "capture first")
    if lost is not missed:
        return "forwarding first" if rate_bps(missed) < rate_bps(lost) else "capture first"
    loss, missing = _loss(lost).value, _missing(lost)
    if max(loss, missing) <= TOGETHER * min(loss, missing):
        return "both at once"
    return "forwarding first" if missing > loss else "capture first"


def _livelock(own: Sweep, bare: Sweep) -> float | None:
    """A rate that is lost in part with the program alone, and by more than chance moves it."""
    without = {_level(point): _loss(point) for point in bare}
    for point in own:
        other, loss = without.get(_level(point)), _loss(point)
        if other and other.value <= LOSS < loss.value and loss.lo > other.hi:
            return rate_bps(point)
    return None


def ranked(watched_arms: Sequence[Watched]) -> Iterator[Watched]:
    """With their ranks by CPU, in each plan for itself, of all gateways that are given."""
    for watched_arm in watched_arms:
        if watched_arm.cpu is None:
            yield watched_arm
            continue
        peers = [
            p.cpu.value
            for p in watched_arms
            if p.cpu and (p.plan, p.point) == (watched_arm.plan, watched_arm.point)
        ]
        yield replace(watched_arm, rank=1 + sum(value < watched_arm.cpu.value for value in peers))
