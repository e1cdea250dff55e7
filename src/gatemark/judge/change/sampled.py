# SPDX-License-Identifier: Apache-2.0
"""The samples by which two measurements are compared, of one quantity, and what was asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.judge.judgement import Knee, Limit, PointResult
from gatemark.judge.math.interval import Interval, median_interval
from gatemark.judge.point.boot import medians
from gatemark.judge.point.group import Group, readings
from gatemark.judge.point.sweep import RATES
from gatemark.judge.subject import About, Subject
from gatemark.plan.kind import ABOUT
from gatemark.plan.model import TrialSpec, Workload, is_twin
from gatemark.quantity import UNITS, is_higher_better
from gatemark.store.record import Scalar
from gatemark.store.run import Run

KNEE: Final = "knee_pps"
# What a workload asks for that no definition tells; alike values need it alike.
ASKED: Final = ("rate_pps", "rate_bps", "burst", "cap_pps")
ABLATION: Final = "ablation"  # a plan's figure: its arms are compared block by block


class Sampled(About, frozen=True, kw_only=True):
    """One quantity of one point of one arm, or the knee of one sweep, with every repeat."""

    asked: dict[str, Scalar]  # of ASKED
    quantity: str  # of quantity.UNITS, or KNEE
    samples: tuple[float, ...]
    boots: tuple[int, ...] = ()  # of each sample, the boot or block that pairs it; (): none does
    limit: Limit
    at_least: bool  # the tester was the limit
    swept: bool = False  # a single rate of a sweep or search: what that found tells more

    @property
    def twin(self) -> bool:
        """Return whether it is an arm measured again (A/A): it tells noise, not the gateway."""
        return is_twin(self.arm)

    @property
    def interval(self) -> Interval:
        """The median of the samples with its interval."""
        return median_interval(self.samples)

    @property
    def unit(self) -> str:
        """The unit of the samples."""
        return "packets/s" if self.quantity == KNEE else UNITS[self.quantity]

    @property
    def higher_is_better(self) -> bool:
        """Return whether more of it is better; delays and losses are better if lower."""
        return is_higher_better(self.quantity)


def sampled(
    run: Run,
    judged: Iterable[tuple[Group, PointResult]],
    knees: Sequence[Knee],
    quantities: Sequence[str] = (),
) -> list[Sampled]:
    """The knees and every point by its headline quantity, or by these quantities."""
    asked = {spec.trial: spec for spec in run.trials}
    sampleds: list[Sampled] = []
    curves = {_sweep(knee, knee.point): knee for knee in knees}
    for trials, result in judged:
        point_asked = _of_trials(trials, asked)
        key = _sweep(result, result.point)
        knee = curves.pop(key, None)
        if knee and knee.reached_pps and (not quantities or KNEE in quantities):
            sampleds.append(_of_knee(knee, trials.subject.at(knee.point), point_asked))
        swept = bool(RATES & result.point.keys()) and any(key == _sweep(k, k.point) for k in knees)
        swept = swept or "share" in result.point  # of what a search found: that tells more
        sampleds += _of_point(trials, result, point_asked, swept, quantities)
    repeats = {plan.name: plan.repeat for plan in run.plans}
    paired = {name for name, repeat in repeats.items() if repeat.boots or repeat.turn_ms}
    paired |= {plan.name for plan in run.plans if plan.figure == ABLATION}
    return [
        sampled if sampled.plan in paired else replace(sampled, boots=()) for sampled in sampleds
    ]


def _of_knee(knee: Knee, subject: Subject, asked: Mapping[str, Scalar]) -> Sampled:
    booted = _medians(knee)
    return Sampled(
        subject=subject,
        asked={name: level for name, level in asked.items() if name not in RATES},
        quantity=KNEE,
        samples=tuple(booted.values()) or knee.reached_pps,
        boots=tuple(booted),
        limit=knee.limit,
        at_least=knee.at_least,
    )


def _medians(knee: Knee) -> dict[int, float]:
    """Return the median of the knees of each boot."""
    boots: dict[int, list[float]] = {}
    for boot, reached in zip(knee.boots, knee.reached_pps, strict=False):
        boots.setdefault(boot, []).append(reached)
    return {boot: median(reached) for boot, reached in boots.items()}


def _of_point(
    trials: Group,
    result: PointResult,
    asked: dict[str, Scalar],
    swept: bool,
    quantities: Sequence[str],
) -> Iterator[Sampled]:
    for quantity in quantities or _compared(result):
        booted = medians(trials.outside, quantity)
        blocks = [(r.repeat, value) for r in trials.outside for value in readings([r], quantity)]
        if results := tuple(booted.items()) or blocks:
            yield Sampled(
                subject=trials.subject,
                asked=asked,
                quantity=quantity,
                samples=tuple(value for _, value in results),
                boots=tuple(boot for boot, _ in results),
                limit=result.limit,
                at_least=result.at_least,
                swept=swept and quantity == result.definition.headline,
            )


def _compared(result: PointResult) -> tuple[str, ...]:
    """The headline, and where its kind has it so each value of its name besides."""
    definition = result.definition
    rules = ABOUT.get(definition.quantity)
    if not rules or not rules.compared:
        return (definition.headline,)
    own = (name for name in result.values if name.startswith(f"{definition.quantity}_"))
    return tuple(dict.fromkeys((definition.headline, *own)))


def _asked(workload: Workload, point: Mapping[str, Scalar]) -> dict[str, Scalar]:
    asked = {name: point.get(name, getattr(workload, name)) for name in ASKED}
    return asked | ({"share": point["share"]} if "share" in point else {})


def _of_trials(trials: Group, asked: Mapping[str, TrialSpec]) -> dict[str, Scalar]:
    """Of the first trial that the run's plan names; else the point's own factors alone."""
    for record in (*trials.outside, *trials.instrumented):
        if spec := asked.get(record.trial):
            return _asked(spec.workload, spec.point)
    return _asked(Workload(), trials.point)


def _sweep(judged: PointResult | Knee, point: Mapping[str, Scalar]) -> tuple[object, ...]:
    """Return what the points of one sweep have in common."""
    others = sorted((name, level) for name, level in point.items() if name not in RATES)
    return judged.plan, judged.arm, judged.definition.direction, *others
