# SPDX-License-Identifier: Apache-2.0
"""The trials behind a word, point by point: what they measured, and their names."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from statistics import median
from typing import Any, Final, Protocol

from gatemark import number
from gatemark.quantity import UNITS

COUNTED: Final = ("outside", "instrumented")  # passes that give values; the first that has some


class Trial(Protocol):
    """What is needed of a record."""

    @property
    def trial(self) -> str:
        """Its name."""

    @property
    def plan(self) -> str:
        """Its plan's name."""

    @property
    def arm(self) -> str:
        """Its arm's name."""

    @property
    def status(self) -> str:
        """`ok` where it counts."""

    @property
    def pass_(self) -> str:
        """The pass that it is of."""

    @property
    def point(self) -> Mapping[str, Any]:
        """Factor -> level."""

    @property
    def values(self) -> Mapping[str, float]:
        """Quantity -> value."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One point of one arm, or all levels of a factor of one: a sweep."""

    plan: str
    arm: str
    point: Mapping[str, Any]  # factor -> level; of a sweep without its factor
    values: tuple[float, ...]  # one a trial; none: no quantity is asked for
    trials: tuple[str, ...]  # their names
    why: str = ""  # what was seen there, in words
    along: str = ""  # the factor of a sweep
    levels: tuple[Any, ...] = ()  # of a sweep: one a value, rising


@dataclass(frozen=True, slots=True)
class Point:
    """The trials of one point of one arm that count, each with its place in the run."""

    plan: str
    arm: str
    point: Mapping[str, Any]
    trials: list[tuple[int, Trial]] = field(default_factory=list)
    quantities: set[str] = field(default_factory=set)  # that any of them has


Points = Mapping[str, Sequence[Point]]  # of each pass


def points(trials: Iterable[Trial]) -> Points:
    """Look through the trials of a run, once for all words."""
    passes: dict[str, dict[tuple[object, ...], Point]] = {pass_: {} for pass_ in COUNTED}
    for place, trial in enumerate(trials):
        if trial.status == "ok" and trial.pass_ in COUNTED:
            key = (trial.plan, trial.arm, *trial.point.items())
            own = passes[trial.pass_]
            if (point := own.get(key)) is None:
                point = own[key] = Point(trial.plan, trial.arm, trial.point)
            point.trials.append((place, trial))
            point.quantities.update(trial.values)
    return {pass_: [*own.values()] for pass_, own in passes.items()}


def measured(
    run: Points, quantities: Sequence[str], factors: Collection[str] = ()
) -> tuple[str, list[Sample]]:
    """The first of these quantities that trials have, and its samples by point; "" for none.

    Trials that do not count have none. With `factors` the samples are sweeps along one of them. A
    quantity of a direction or of another workload is as good: `up.mos`.
    """
    for pass_ in COUNTED:
        there = [p for p in run[pass_] if not factors or not p.point.keys().isdisjoint(factors)]
        known: set[str] = set().union(*(point.quantities for point in there))
        for quantity in quantities:
            if name := _name(known, quantity):
                with_it = [point for point in there if name in point.quantities]
                return name, sorted(_samples(with_it, name, factors), key=_place)
    return "", []


def _name(known: Collection[str], quantity: str) -> str:
    """The quantity as trials have it, with or without an owner; "" where none has it."""
    owned = (name for name in known if name.endswith(f".{quantity}"))
    return quantity if quantity in known else min(owned, default="")


def _samples(points: Iterable[Point], quantity: str, factors: Collection[str]) -> Iterator[Sample]:
    sweeps: dict[tuple[Any, ...], list[Trial]] = {}
    for point in points:
        along = next((factor for factor in factors if factor in point.point), "")
        others = (item for item in point.point.items() if item[0] != along)
        own = sweeps.setdefault((point.plan, point.arm, along, *others), [])
        own += [trial for _, trial in point.trials if quantity in trial.values]
    for (plan, arm, along, *rest), own in sweeps.items():
        if along:
            own.sort(key=lambda trial: trial.point[along])
        values = tuple(trial.values[quantity] for trial in own)
        names = tuple(trial.trial for trial in own)
        levels = tuple(trial.point[along] for trial in own) if along else ()
        yield Sample(plan, arm, dict(rest), values, names, along=along, levels=levels)


def _place(sample: Sample) -> tuple[Any, ...]:
    """In the order of plans, arms and levels."""
    levels = (
        (str(level), 0) if isinstance(level, str) else ("", level)
        for level in sample.point.values()
    )
    return (sample.plan, sample.arm, *levels)


def value(sample: Sample, quantity: str) -> str:
    """The median of its trials with their range: `26.4 k packets/s (25.9 to 28.6)`."""
    if not sample.values:
        return sample.why
    unit = UNITS[quantity]
    if sample.along:
        return _swept(sample, unit)
    middle = number.quantity(median(sample.values), unit)
    to = number.scale([median(sample.values)], unit)
    low, high = (
        number.plain(end / to.factor, number.decimals_of(end / to.factor))
        for end in (min(sample.values), max(sample.values))
    )
    return middle if low == high else f"{middle} ({low} to {high})"


def _swept(sample: Sample, unit: str) -> str:
    """The median at each level: `5.00, 9.96 k packets/s at rate_pps 5000, 10000`."""
    levels: dict[Any, list[float]] = {}
    for level, reading in zip(sample.levels, sample.values, strict=True):
        levels.setdefault(level, []).append(reading)
    middles = [median(values) for values in levels.values()]
    to = number.scale(middles, unit)
    shown = (middle / to.factor for middle in middles)
    texts = (number.plain(text, number.decimals_of(text)) for text in shown)
    return f"{', '.join(texts)} {to.unit} at {sample.along} {', '.join(map(str, levels))}"


def names(sample: Sample) -> list[str]:
    """The names of its trials, repeats of one name together: `quick/sweep/nat/up/3…6/outside`."""
    parts = [name.rsplit("/", 2) for name in sample.trials]
    if any(len(part) != 3 or not part[1].isdigit() for part in parts):
        return list(sample.trials)
    repeats: dict[tuple[str, str], list[int]] = {}
    for lead, repeat, end in parts:
        repeats.setdefault((lead, end), []).append(int(repeat))
    return [f"{lead}/{','.join(_spans(sorted(own)))}/{end}" for (lead, end), own in repeats.items()]


def _spans(repeats: Sequence[int]) -> Iterator[str]:
    """Rising numbers as spans: 1, 2, 3, 5 as `1…3`, `5`."""
    runs = groupby(enumerate(repeats), key=lambda pair: pair[1] - pair[0])
    for _, run in runs:
        span = [repeat for _, repeat in run]
        yield str(span[0]) if len(span) == 1 else f"{span[0]}…{span[-1]}"
