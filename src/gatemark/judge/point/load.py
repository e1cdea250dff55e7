# SPDX-License-Identifier: Apache-2.0
"""CPU load against packet rate or flows, by every way of accounting; the rate at 80 and 100 % CPU.

Three ways, each with a fault of its own: the scheduler's books (schedstat) of the gateway's
threads, where they can be read from outside; the ticks of /proc/stat, which see who has the CPU a
hundred times a second; the soak, by what a loop of the lowest priority lacks (probe/soak.py).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point.group import Group, readings
from gatemark.judge.point.limit import SATURATED
from gatemark.judge.point.sweep import RATES, others
from gatemark.judge.subject import About
from gatemark.store.record import Record, Scalar

FLOWS: Final = "flows"
SCHEDSTAT: Final = "schedstat"
WAYS: Final = {SCHEDSTAT: "cpu_busy", "ticks": "cpu_busy_inside", "soak": "cpu_busy_soak"}
SHARES: Final = (0.8, 1.0)  # of a CPU, at which the rate is told (DIFFUSE report, section 5)


class Load(About, frozen=True, kw_only=True):
    """One point: the load by each way, and what ticks and soak differ by in the same trials."""

    factor: str  # what varies: rate_pps, rate_bps or flows
    level: float  # of it
    offered_pps: Interval
    received_pps: Interval
    busy: Mapping[str, Interval]  # way -> share of the busiest CPU
    apart: Interval | None  # ticks - soak


class RateAt(About, frozen=True, kw_only=True):
    """The rate that takes a share of the CPU."""

    way: str
    share: float
    pps: Interval | None  # None: not reached in most repeats
    most_busy: float  # what was reached, the median of the repeats


def loads(groups: Iterable[Group]) -> list[Load]:
    """Every point of the sweeps whose trials were soaked; over flows, of those that were not, too.

    There the scheduler's books alone tell the load, at a set rate.
    """
    points = [trials for trials in groups if _factor(trials.point) and trials.outside]
    made = [_load(trials) for trials in points if _is_soaked(trials)]
    made += _over_flows([trials for trials in points if not _is_soaked(trials)])
    return sorted(
        (load for load in made if load), key=lambda load: (load.plan, load.arm, load.level)
    )


def _is_soaked(trials: Group) -> bool:
    return bool(readings(trials.instrumented, WAYS["soak"]))


def _over_flows(points: Iterable[Group]) -> list[Load | None]:
    """By schedstat, where flows were varied at a set rate: as fast as it goes a CPU is full."""
    sweeps: dict[tuple[object, ...], list[Group]] = {}
    for members in points:
        paced = any(record.evidence.schedule_ratio is not None for record in members.outside)
        if paced and _factor(members.point) == FLOWS and _busy(members, SCHEDSTAT):
            other = sorted((name, at) for name, at in members.point.items() if name != FLOWS)
            sweeps.setdefault((members.plan, members.arm, *other), []).append(members)
    swept = [members for sweep in sweeps.values() if len(sweep) > 1 for members in sweep]
    return [_load(members, (SCHEDSTAT,)) for members in swept]


def rates_at(groups: Iterable[Group]) -> list[RateAt]:
    """For each arm and way the rates at SHARES of a CPU, where rates were swept."""
    sweeps: dict[tuple[str, str, object], list[Group]] = {}
    for this_group in groups:
        if RATES & this_group.point.keys() and _is_soaked(this_group):
            key = this_group.plan, this_group.arm, others(this_group.point)
            sweeps.setdefault(key, []).append(this_group)
    return [at for sweep in sweeps.values() for at in _rates(sweep)]


def rate_at(curve: Sequence[tuple[float, float]], share: float) -> float | None:
    """The rate at which a line through (rate, busy), by rising rate, first reaches a share.

    100 % is reached at 97 %, from where a CPU counts as saturated. None where no point reaches it,
    or all do.
    """
    wanted = min(share, SATURATED)
    for (low, less), (high, more) in pairwise(sorted(curve)):
        if less < wanted <= more:
            return low + (high - low) * (wanted - less) / (more - less)
    return None


def _factor(point: Mapping[str, Scalar]) -> str:
    return next((name for name in (*sorted(RATES), FLOWS) if name in point), "")


def _load(group: Group, ways: Iterable[str] = WAYS) -> Load | None:
    rates = [readings(group.outside, f"{name}_pps") for name in ("offered", "received")]
    factor = _factor(group.point)
    level = group.point[factor]
    if not all(rates) or isinstance(level, str):
        return None
    offered, received = map(median_interval, rates)
    busy = {way: median_interval(values) for way in ways if (values := _busy(group, way))}
    apart = [
        record.values[WAYS["ticks"]] - record.values[WAYS["soak"]]
        for record in group.instrumented
        if {WAYS["ticks"], WAYS["soak"]} <= record.values.keys()
    ]
    return Load(
        subject=group.subject,
        factor=factor,
        level=float(level),
        offered_pps=offered,
        received_pps=received,
        busy=busy,
        apart=median_interval(apart) if apart else None,
    )


def _seen(group: Group, way: str) -> Sequence[Record]:
    """The trials that a way was read in: threads in the outside pass, all else in the other."""
    if way != SCHEDSTAT:
        return group.instrumented
    return [record for record in group.outside if record.evidence.cpu]


def _busy(group: Group, way: str) -> list[float]:
    return readings(_seen(group, way), WAYS[way])


def _rates(sweep: Sequence[Group]) -> Iterator[RateAt]:
    first = sweep[0]
    for way, name in WAYS.items():
        curves: dict[int, list[tuple[float, float]]] = {}
        for members in sweep:
            for record in _seen(members, way):
                if name in record.values and "received_pps" in record.values:
                    pair = record.values["received_pps"], record.values[name]
                    curves.setdefault(record.repeat, []).append(pair)
        if not curves:
            continue
        most = median_interval([max(busy for _, busy in curve) for curve in curves.values()])
        for share in SHARES:
            values = [at for curve in curves.values() if (at := rate_at(curve, share))]
            interval = median_interval(values) if 2 * len(values) > len(curves) else None
            yield RateAt(
                subject=first.subject, way=way, share=share, pps=interval, most_busy=most.value
            )
