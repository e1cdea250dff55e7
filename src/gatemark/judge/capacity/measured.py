# SPDX-License-Identifier: Apache-2.0
"""The data of a model's fit: the CPU time of a packet, or its instructions, by block.

A gateway whose CPU is the limit takes 1 / rate for each packet. So a block (a repeat of a plan, in
which every arm had its turn) gives one time for each case: the shortest, of the most packets/s that
came through at any offered rate. What another limit held back tells nothing of the CPU and is left
out with its reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median

from msgspec.structs import replace

from gatemark.judge.capacity.term import Case, Setup
from gatemark.judge.fact import Fact, Text, fact
from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.point.mode import Modes, first, pooled, shift
from gatemark.plan.model import is_twin
from gatemark.store.record import Definition, Record
from gatemark.store.run import Run

Block = tuple[str, int]  # plan, repeat
Times = Mapping[Block, float]  # ns a packet

RATES = ("received", "throughput")  # quantities that are a rate: _pps, _l2_bps
ONE_WAY = ("up", "down")
TIMED, COUNTED = "ns", "instructions"  # the unit of what a model is fitted to


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A case that was measured and is not in the fit."""

    case: Case
    why: Text


@dataclass(frozen=True, slots=True)
class Measured:
    """All times of one kind of traffic."""

    traffic: Definition  # what all cases have alike; path, features, direction, size mean nothing
    times: Mapping[Case, Times]
    held_out: frozenset[Setup]  # by their plan: measured to test the model, not to make it
    left_out: tuple[LeftOut, ...] = ()
    unit: str = TIMED  # of a time; instructions: they were counted in its place

    @property
    def is_count(self) -> bool:
        """Return whether it is instructions: they have no noise, and tell no rate."""
        return self.unit == COUNTED

    def fitted(self) -> dict[Case, Times]:
        """The cases that make the model."""
        return {c: times for c, times in self.times.items() if c.setup not in self.held_out}

    def speeds(self) -> dict[Block, float]:
        """The slowness of the machine in each block: a factor on every time, 1 in the middle.

        The median, over the fitted cases, of a time against its case's own median.
        """
        logs: dict[Block, list[float]] = {}
        for times in self.fitted().values():
            middle = median(log(ns) for ns in times.values())
            for block, ns in times.items():
                logs.setdefault(block, []).append(log(ns) - middle)
        return {block: exp(median(results)) for block, results in sorted(logs.items())}


def measured(run: Run, records: Iterable[Record], judgement: Judgement) -> Measured | None:
    """Return the times per packet of a run; None if it has none.

    Times of unlike traffic (flows, family, slowdown, who sent) are not put into one model: those of
    the kind with most setups are, and of as many those without a slowdown.
    """
    rates = [point for point in judgement.points if _is_rate(point)]
    counts = [point for point in judgement.points if _is_count(point)]
    judged = [(p, traffic(p.definition)) for p in rates or counts]
    kinds = dict.fromkeys(kind for _, kind in judged)
    if not kinds:
        return None
    setups = {kind: {_setup(p) for p, other in judged if other == kind} for kind in kinds}
    kind = max(kinds, key=lambda definition: (len(setups[definition]), -definition.slow_to_pps))
    points = [p for p, other in judged if other == kind]
    times = _times(points, records) if rates else _counts(points, records)
    held = frozenset(
        Setup(arm.path, arm.features) for plan in run.plans for arm in plan.arm if arm.held_out
    )
    unit = TIMED if rates else COUNTED
    return Measured(kind, times, held, tuple(_left_out(points, times)), unit)


def traffic(definition: Definition) -> Definition:
    """A definition without what a model tells apart, and without how it was looked for."""
    return replace(
        definition,
        quantity="received rate",
        path="",
        features=(),
        direction="",
        frame_bytes=None,
        mix="",
        duration_s=0.0,
        loss_criterion=None,
    )


def _is_rate(point: PointResult) -> bool:
    definition = point.definition
    one_way = definition.direction in ONE_WAY and definition.l4 == "udp" and not definition.packets
    return one_way and definition.headline.endswith("_pps") and not is_twin(point.arm)


def _is_count(point: PointResult) -> bool:
    one_way = point.definition.direction in ONE_WAY
    return point.definition.quantity == COUNTED and one_way and not is_twin(point.arm)


def _setup(point: PointResult) -> Setup:
    return Setup(point.definition.path, point.definition.features)


def _case(point: PointResult) -> Case | None:
    """None of a point without a rate: its trials were skipped, or none is valid."""
    for name in RATES:
        rate, bits = (point.values.get(f"{name}{unit}") for unit in ("_pps", "_l2_bps"))
        if rate and bits and rate.value:
            size = point.definition.frame_bytes or bits.value / rate.value / 8
            return Case(_setup(point), point.definition.direction, size)
    return None


def _times(points: Sequence[PointResult], records: Iterable[Record]) -> dict[Case, Times]:
    usable = {
        (p.plan, p.arm, *sorted(p.point.items())): (p.definition.headline, case)
        for p in points
        if p.limit == "cpu" and (case := _case(p))
    }
    values: dict[Case, dict[Block, float]] = {}
    for record in records:
        key = (record.plan, record.arm, *sorted(record.point.items()))
        if key not in usable or record.status != "ok" or record.pass_ != "outside":
            continue
        headline, case = usable[key]
        if rate := record.values.get(headline):
            times, block = values.setdefault(case, {}), (record.plan, record.repeat)
            times[block] = min(1e9 / rate, times.get(block, 1e9))
    return {case: values[case] for _, case in usable.values() if case in values}


def _counts(points: Sequence[PointResult], records: Iterable[Record]) -> dict[Case, Times]:
    """Instructions of a packet by block; one packet at a time, nothing is saturated."""
    cases = {
        (p.plan, p.arm, *sorted(p.point.items())): Case(
            _setup(p), p.definition.direction, float(p.definition.frame_bytes or 0)
        )
        for p in points
        if COUNTED in p.values
    }
    numbers: dict[Case, dict[Block, Modes]] = {}
    for record in records:
        case = cases.get((record.plan, record.arm, *sorted(record.point.items())))
        counted = record.evidence.counted if record.pass_ != "warmup" else None
        if case and record.status == "ok" and counted and counted.modes:
            modes = {int(number): walks for number, walks in counted.modes.items()}
            numbers.setdefault(case, {})[record.plan, record.repeat] = modes
    return {case: _numbers(numbers, case) for case in cases.values() if case in numbers}


def _numbers(results: Mapping[Case, Mapping[Block, Modes]], case: Case) -> dict[Block, float]:
    """By block: the first mode of the first setup with that traffic, and the shift from there."""
    alike = (
        c for c in results if (c.direction, c.frame_bytes) == (case.direction, case.frame_bytes)
    )
    base = results[next(alike)]
    level = first(pooled(base.values()))
    return {
        block: float(level + shift(base[block], modes)) if block in base else float(first(modes))
        for block, modes in results[case].items()
    }


def _left_out(points: Iterable[PointResult], times: Mapping[Case, Times]) -> Iterator[LeftOut]:
    """One for each case that has no time; of a sweep its last point has the reason."""
    why: dict[Case, Fact] = {}
    for point in points:
        case = _case(point)
        if case is None:
            size = float(point.definition.frame_bytes or 0)
            case = Case(_setup(point), point.definition.direction, size)
        if case not in times:
            code = "left-out" if point.limit == "none" else "left-out.limit"
            why[case] = fact(code, limit=point.limit, why=point.why)
    yield from (LeftOut(case, own) for case, own in why.items())
