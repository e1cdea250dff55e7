# SPDX-License-Identifier: Apache-2.0
"""The rate sweep of one arm: its points put together, its knee with interval and limit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from gatemark.judge.judgement import Knee, PointResult, Warning_
from gatemark.judge.math.backlog import growth
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point import warn
from gatemark.judge.point.facts import loss_ratio
from gatemark.judge.point.group import Group, reading, readings
from gatemark.judge.point.knee import FOLLOWS, Sample, find_knee, peak, retained, straightness
from gatemark.judge.point.limit import ON_SCHEDULE, Verdict
from gatemark.store.record import Record, Scalar

RATE = "rate_pps"  # the factor that makes a sweep
RATES = frozenset({RATE, "rate_bps"})  # the same as bits of payload
SEARCHED = frozenset({"goal", "share"})  # factors that what a search found has besides
FEWEST_RATES = 3
CALM = 0.9  # of its CPU
Judged = tuple[Group, PointResult]


@dataclass(frozen=True, slots=True)
class Curve:
    """One repeat of a sweep and its knee; None: everything came through."""

    samples: tuple[Sample, ...]
    knee_pps: float | None
    boot: int = 0

    @property
    def reached_pps(self) -> float:
        """The knee, or the highest rate that was offered without one."""
        return max(s.offered for s in self.samples) if self.knee_pps is None else self.knee_pps


def knees(points: Iterable[Judged], received: Mapping[str, float] | None = None) -> list[Knee]:
    """The knees of all points that differ in their rate alone.

    `received` has packets/s of trials of whose loss a part is explained, without that part.
    """
    sweeps: dict[tuple[object, ...], list[Judged]] = {}
    for trials, result in points:
        if RATES & result.point.keys():
            key = (result.plan, result.arm, result.definition.direction, *others(result.point))
            sweeps.setdefault(key, []).append((trials, result))
    known = received or {}
    knees = (_knee(sweep, known) for sweep in sweeps.values() if len(sweep) >= FEWEST_RATES)
    return [knee for knee in knees if knee]


def _knee(sweep: Sequence[Judged], received: Mapping[str, float]) -> Knee | None:
    curves = _curves(sweep, received)
    if not curves:
        return None
    reached = [curve.reached_pps for curve in curves]
    interval = median_interval(reached)
    open_ended = sum(curve.knee_pps is None for curve in curves) * 2 > len(curves)
    verdict = _limit(sweep, None if open_ended else interval.value)
    first = sweep[0][1]
    return Knee(
        subject=first.subject.at(dict(others(first.point))),
        direction=first.definition.direction,
        knee_pps=interval,
        knee_l1_bps=_wire_bps(interval.value, sweep),
        peak_pps=median_interval([peak(curve.samples) for curve in curves]),
        no_loss_pps=_no_loss(sweep, interval.hi),
        retained={} if open_ended else _retained(curves),
        limit=verdict.limit,
        why=verdict.why,
        at_least=open_ended or verdict.limit == "tester",
        cpu_r2=_cpu_straightness(sweep, interval.value),
        reached_pps=tuple(reached),
        boots=tuple(curve.boot for curve in curves if curve.boot),
        warnings=_warnings(reached, interval, verdict),
    )


def _wire_bps(rate_pps: float, sweep: Iterable[Judged]) -> float:
    """A rate as bits on the wire, by what packets of its own came to: sizes may be mixed.

    By the first point that received any: the lowest rate may have no trial that counts.
    """
    for _, result in sweep:
        packets, bits = (result.values.get(f"received_{unit}") for unit in ("pps", "l1_bps"))
        if packets and bits and packets.value:
            return rate_pps * bits.value / packets.value
    return 0.0


def _warnings(
    reached: Sequence[float], interval: Interval, verdict: Verdict
) -> tuple[Warning_, ...]:
    """What to know before trusting a knee."""
    results = (
        warn.tester_limited(verdict.limit, verdict.why),
        warn.few_repeats(interval.n),
        warn.spread(interval),
        warn.first_run_slow(reached),
        warn.drift(reached),
        warn.bimodal(reached),
    )
    return tuple(warning for warning in results if warning)


def _curves(sweep: Sequence[Judged], received: Mapping[str, float]) -> list[Curve]:
    """One curve a repeat. Without its highest rate a repeat without a knee says nothing."""
    repeats: dict[tuple[int, int], list[Sample]] = {}
    for trials, _ in sweep:
        for record in trials.outside:
            if sample := _sample(record, received.get(record.trial)):
                repeats.setdefault((record.boot, record.repeat), []).append(sample)
    top = max((s.offered for samples in repeats.values() for s in samples), default=0.0)
    curves = []
    for (boot, _), samples in sorted(repeats.items()):
        curve = Curve(tuple(sorted(samples)), find_knee(samples), boot)
        complete = curve.knee_pps is not None or curve.reached_pps >= FOLLOWS * top
        if len(samples) >= FEWEST_RATES and complete:
            curves.append(curve)
    return curves


def _sample(record: Record, cleared_pps: float | None) -> Sample | None:
    tried_pps, received = _tried_pps(record), reading(record, "received_pps")
    if tried_pps <= 0:
        return None
    if cleared_pps is not None:
        return Sample(tried_pps, min(cleared_pps, tried_pps))
    return None if received is None else Sample(tried_pps, received)


def _tried_pps(record: Record) -> float:
    """What the sender tried: a missed schedule must not look like a knee. 0 if it offered none."""
    count, ratio = record.accounting, record.evidence.schedule_ratio
    if count and count.unique and ratio is not None and ratio < ON_SCHEDULE:
        received = reading(record, "received_pps")
        if received is not None:
            return received * count.tried / count.unique
    return reading(record, "offered_pps") or 0.0


def _limit(sweep: Sequence[Judged], knee_pps: float | None) -> Verdict:
    """The limit of the first point beyond the knee that names one; without a knee, of the last."""
    ordered = sorted((_offered(result), i) for i, (_, result) in enumerate(sweep))
    results = [(offered, sweep[i][1]) for offered, i in ordered]
    last = Verdict(results[-1][1].limit, results[-1][1].why)
    if knee_pps is None:
        return last
    beyond = [r for offered, r in results if offered >= FOLLOWS * knee_pps and r.limit != "none"]
    chosen = next((r for r in beyond if r.limit != "unknown" or _is_calm(r)), None)
    chosen = chosen or next(iter(beyond), None)
    return Verdict(chosen.limit, chosen.why) if chosen else last


def _is_calm(result: PointResult) -> bool:
    """Return whether its CPU is not nearly full: then it is not what a higher rate would name."""
    busy = result.values.get("cpu_busy")
    return busy is not None and busy.value < CALM


def _asked(result: PointResult) -> float:
    """The factor that makes the sweep: a point without valid trials has it too."""
    return max(float(result.point.get(name, 0)) for name in RATES)


def _offered(result: PointResult) -> float:
    offered = result.values.get("offered_pps")
    return offered.value if offered else 0.0


def _no_loss(sweep: Iterable[Judged], knee_pps: float) -> float:
    """The highest rate at and below which no repeat lost a packet and no queue grew; 0: none is.

    Of a rate whose schedule was missed it is what the sender tried. Beyond the knee's upper end a
    short trial lost nothing because its queue had room.
    """
    clean = 0.0
    for trials, _ in sorted(sweep, key=lambda judged: _asked(judged[1])):
        known = [record for record in trials.outside if loss_ratio(record) is not None]
        if not known or any(loss_ratio(r) or _grows(r) for r in known):
            break
        tried_pps = median(map(_tried_pps, trials.outside))
        if tried_pps > knee_pps:
            break
        clean = max(clean, tried_pps)
    return clean


def _grows(record: Record) -> bool:
    """Return True if a queue grew in a trial, in any direction, by what was sent and came."""
    return any(
        growth([a - b for a, b in zip(way.tried, way.lost, strict=True)], way.arrived) > 1 - FOLLOWS
        for way in record.evidence.loss
    )


def _retained(curves: Sequence[Curve]) -> dict[str, Interval]:
    """Each repeat's own ratio; absent where most sweeps end before."""
    intervals: dict[str, Interval] = {}
    for times in (1.5, 2.0):
        shares = [
            share
            for curve in curves
            if curve.knee_pps
            and (share := retained(curve.samples, curve.knee_pps, times)) is not None
        ]
        if len(shares) * 2 > len(curves):
            intervals[f"{times:g}x"] = median_interval(shares)
    return intervals


def _cpu_straightness(sweep: Iterable[Judged], knee_pps: float) -> float | None:
    """Of the median load at each rate: one disturbed trial does not bend a line."""
    below = []
    for trials, _ in sweep:
        offered, busy = (readings(trials.outside, name) for name in ("offered_pps", "cpu_busy"))
        if offered and busy and median(offered) <= knee_pps:
            below.append((median(offered), median(busy)))
    return straightness([offered for offered, _ in below], [busy for _, busy in below])


def others(point: Mapping[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    """The factors of a point but its rate: what one sweep has in common."""
    return tuple(sorted((name, level) for name, level in point.items() if name not in RATES))


def common(point: Mapping[str, Scalar]) -> tuple[tuple[str, Scalar], ...]:
    """The same without the factors of a search: what its steps and its goals have in common."""
    return tuple((name, level) for name, level in others(point) if name not in SEARCHED)
