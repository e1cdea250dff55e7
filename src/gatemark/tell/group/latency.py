# SPDX-License-Identifier: Apache-2.0
"""The loads at which a delay is shown: those of plans that ask for it, else some of a sweep."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.math.histogram import RESOLUTION
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.timed import MEDIAN, SHARE, is_timed
from gatemark.plan.model import Plan, is_twin
from gatemark.store.record import Definition
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic

NEAR: Final = (0.75, 1.0)  # of the lowest knee: between them a rate is near it
BEST: Final = 0.9  # of the knee: the rate that is wanted
BEYOND: Final = 1.2  # times the knee: from there on it is overload
PARTS: Final = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p999": 0.001, "p9999": 0.0001}
NAMES: Final = {
    "p50": "50 %",
    "p90": "90 %",
    "p99": "99 %",
    "p999": "99.9 %",
    "p9999": "99.99 %",
    "max": "max",
}
WHERE: Final = (
    "One way: from just before the sender's call to the packet's arrival at the other host, by one "
    "clock; through both links, the gateway's queue and its work."
)
KNOWN: Final = f"{ceil(RESOLUTION * 1000) / 10:g} %"  # a histogram's resolution


@dataclass(frozen=True, slots=True)
class Load:
    """One arm at one of the loads."""

    arm: str
    load: str  # of a sweep low, near, over; else in words: "2.6 k packets/s", "game"
    point: PointResult

    @property
    def direction(self) -> str:
        """Up, down, ..."""
        return self.point.definition.direction


@dataclass(frozen=True, slots=True)
class Timed:
    """Points of one plan that are shown together: one kind of traffic."""

    plan: str
    loads: tuple[Load, ...]  # in the order of the plan, by rate
    floors: tuple[PointResult, ...]  # the tester's own delays; none: not measured

    @property
    def anchor(self) -> str:
        """What the names of its figures end in."""
        d = self.loads[0].point.definition
        parts = [self.plan, d.trace or str(d.frame_bytes or "mix")]
        parts += [f"{d.flows}-flows"] if d.flows != 1 else []
        return sweep.plain("-".join(parts + ([d.family] if d.family != "ipv4" else [])))

    @property
    def definition(self) -> Definition:
        """The definition of its first point."""
        return self.loads[0].point.definition


def groups(judgement: Judgement, plans: Sequence[Plan]) -> list[Timed]:
    """All that was measured for its delay, or replayed: plan by plan, kind by kind."""
    kept_points: dict[tuple[object, ...], list[PointResult]] = {}
    for point in judgement.points:
        asked = is_timed(point, plans)
        if asked and MEDIAN in point.values and not is_twin(point.arm):
            d = point.definition
            key = (point.plan, d.trace, d.frame_bytes, d.mix, d.flows, d.family)
            kept_points.setdefault(key, []).append(point)
    return [
        Timed(
            points[0].plan,
            tuple(Load(p.arm, in_words(p), p) for p in points),
            tuple(_floors(judgement, points[0].definition)),
        )
        for points in kept_points.values()
    ]


def in_words(point: PointResult) -> str:
    """The load in words: a share of what the arm carries, a trace, else its rate.

    What is sent beside it follows where it is a factor: `game, uploads: 4 streams`.
    """
    others = [traffic.factor(name, level) for name, level in point.point.items() if "." in name]
    return ", ".join([_own_load(point), *others])


def _own_load(point: PointResult) -> str:
    asked = point.point.get(SHARE)
    if isinstance(asked, int | float):
        return f"{number.nominal(asked, 'ratio')} of what it carries"
    return point.definition.trace or number.nominal(sweep.offered_pps(point), "packets/s")


def share(judgement: Judgement, point: PointResult) -> float | None:
    """The offered rate as a share of the knee that this run found for the same; None: found none.

    A knee of the same setup and traffic; of the same arm first, as each run of a page has its own.
    """
    knees = [k for k in judgement.knees if _alike(k.definition, point.definition)]
    own_knees = [knee for knee in knees if knee.arm == point.arm] or knees
    if not own_knees or own_knees[0].at_least or not own_knees[0].knee_pps.value:
        return None
    return sweep.offered_pps(point) / own_knees[0].knee_pps.value


def floor(judgement: Judgement, definition: Definition) -> PointResult | None:
    """The tester alone at a rate that it keeps, of the same traffic; the fastest of several."""
    return fastest(_floors(judgement, definition))


def fastest(floors: Iterable[PointResult]) -> PointResult | None:
    """The one with the shortest median."""
    return min(floors, key=lambda p: p.values[MEDIAN].value, default=None)


def _floors(judgement: Judgement, definition: Definition) -> list[PointResult]:
    alike = (p for p in judgement.floors if _traffic(p.definition) == _traffic(definition))
    return [p for p in alike if MEDIAN in p.values]


def _traffic(definition: Definition) -> tuple[object, ...]:
    return (
        definition.l4,
        definition.frame_bytes,
        definition.mix,
        definition.trace,
        definition.family,
        definition.direction == "both",
    )


def loads(judgement: Judgement, knees: Sequence[Knee]) -> list[Load]:
    """The points of sweeps that are drawn: low, near the knee, beyond it, where measured.

    Of each direction at rates that all its arms were offered, so that their delays compare.
    """
    carried = [knee for knee in knees if knee.knee_pps.value]  # 0: it lost at every rate
    return [
        this_load
        for way in dict.fromkeys(knee.direction for knee in carried)
        for this_load in _of_one_way(judgement, [knee for knee in carried if knee.direction == way])
    ]


def _of_one_way(judgement: Judgement, knees: Sequence[Knee]) -> Iterator[Load]:
    swept = [
        {sweep.offered_pps(p): p for p in sweep.points_of(judgement, knee) if MEDIAN in p.values}
        for knee in knees
    ]
    rates = sorted(set.intersection(*map(set, swept)))
    least, most = (end(knee.knee_pps.value for knee in knees) for end in (min, max))
    near = [rate for rate in rates if NEAR[0] * least <= rate <= NEAR[1] * least]
    chosen = {
        "low": next((rate for rate in rates if rate < NEAR[0] * least), None),
        "near": min(near, key=lambda rate: abs(rate - BEST * least), default=None),
        "over": next((rate for rate in reversed(rates) if rate >= BEYOND * most), None),
    }
    for knee, points in zip(knees, swept, strict=True):
        yield from (
            Load(knee.arm, name, points[at]) for name, at in chosen.items() if at is not None
        )


def highest(timed: Timed) -> list[Load]:
    """Each arm's highest rate, in each direction."""
    loads: dict[tuple[str, str], Load] = {}
    for this_load in sorted(timed.loads, key=lambda load: -sweep.offered_pps(load.point)):
        loads.setdefault((this_load.arm, this_load.direction), this_load)
    return [load for load in timed.loads if load in loads.values()]


def arms(loads: Iterable[Load]) -> list[str]:
    """The arms' names in the order of the plan, each once."""
    return list(dict.fromkeys(load.arm for load in loads))


def spread(point: PointResult, *, to_max: bool = True) -> str:
    """A point's percentiles in one line: `48.1 µs, 99 %: 61 µs, 99.9 %: 80 µs, max 140 µs`."""
    parts = [_ns(point.values[MEDIAN])]
    parts += [
        f"{NAMES[name]} within {_ns(i)}"
        for name in ("p99", "p999", "p9999")
        if (i := point.values.get(f"delay_{name}_ns"))
    ]
    if to_max and (i := point.values.get("delay_max_ns")):
        parts.append(f"max {_ns(i)}")
    return ", ".join(parts)


def way(load: Load) -> str:
    """Arm and direction in words: `nat ↑ up`."""
    return f"{load.arm} {traffic.way(load.direction)}"


def _ns(i: Interval) -> str:
    return number.quantity(i.value, "ns")


def _alike(knee: Definition, d: Definition) -> bool:
    """Return whether a knee is that of the same gateway, setup and traffic."""
    names = (
        "path",
        "features",
        "direction",
        "family",
        "frame_bytes",
        "mix",
        "flows",
        "slow_to_pps",
    )
    return all(getattr(knee, name) == getattr(d, name) for name in names)
