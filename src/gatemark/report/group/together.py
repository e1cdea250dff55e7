# SPDX-License-Identifier: Apache-2.0
"""Several runs as one: the arms of each bear its letter, so that figures draw them side by side."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from gatemark.plan.model import Plan
from gatemark.report.group.source import Source
from gatemark.stats.change.reference import Beside
from gatemark.stats.judgement import (
    Comparison,
    Front,
    Judgement,
    Ladder,
)
from gatemark.stats.subject import About
from gatemark.store.record import Record

Result = TypeVar("Result", bound=About)


def together(sources: Sequence[Source]) -> Source:
    """One source for the figures and tables that runs share; of a single run that run itself."""
    first = sources[0]
    if len(sources) == 1:
        return first
    plans: dict[str, Plan] = {}
    for source in sources:
        for plan in source.run.plans:
            plans.setdefault(plan.name, plan)
    return Source(
        run=replace(first.run, plans=tuple(plans.values())),
        records=[_record(record, one.label) for one in sources for record in one.records],
        judgement=_judgement(sources),
        sheaf={named(o.label, name): found for o in sources for name, found in o.sheaf.items()},
        beside=_beside(sources),
    )


def named(label: str, arm: str) -> str:
    """An arm with the letter of its run: `A: route`."""
    return f"{label}: {arm}" if label else arm


def _beside(sources: Sequence[Source]) -> list[Beside]:
    """Each published value once, beside the first run that has its like."""
    kept: list[Beside] = []
    for source in sources:
        known = [found.published for found in kept]
        fresh = [found for found in source.beside if found.published not in known]
        kept += [replace(found, arm=named(source.label, found.arm)) for found in fresh]
    return kept


def _judgement(sources: Sequence[Source]) -> Judgement:
    made = [(source.label, source.judgement) for source in sources]
    every = [judgement for _, judgement in made]
    return Judgement(
        ceilings=tuple(_result(one, at) for at, judged in made for one in judged.ceilings),
        floors=tuple(_result(one, at) for at, judged in made for one in judged.floors),
        points=tuple(_result(one, at) for at, judged in made for one in judged.points),
        knees=tuple(_result(one, at) for at, judged in made for one in judged.knees),
        comparisons=tuple(_change(one, at) for at, judged in made for one in judged.comparisons),
        cross_checks=tuple(_result(one, at) for at, judged in made for one in judged.cross_checks),
        ladders=tuple(_ladder(one, at) for at, judged in made for one in judged.ladders),
        travels=tuple(_result(one, at) for at, judged in made for one in judged.travels),
        fronts=tuple(_front(one, at) for at, judged in made for one in judged.fronts),
        executed=tuple(_result(one, at) for at, judged in made for one in judged.executed),
        sentence="",
        warnings=(),
        trials=sum(judged.trials for judged in every),
        invalid=sum(judged.invalid for judged in every),
        skipped=sum(judged.skipped for judged in every),
        missing=sum(judged.missing for judged in every),
    )


def _result(one: Result, label: str) -> Result:
    return one.about(arm=named(label, one.arm), setup=named(label, one.setup))


def _change(one: Comparison, label: str) -> Comparison:
    return replace(_result(one, label), baseline=named(label, one.baseline))


def _ladder(one: Ladder, label: str) -> Ladder:
    """Each run's ladder stays its own: its steps are of that run."""
    steps = tuple(
        replace(_result(step, label), against=named(label, step.against)) for step in one.steps
    )
    return replace(_result(one, label), steps=steps)


def _front(one: Front, label: str) -> Front:
    options = tuple(
        replace(_result(option, label), beaten=tuple(named(label, arm) for arm in option.beaten))
        for option in one.options
    )
    return replace(one, options=options)


def _record(record: Record, label: str) -> Record:
    return replace(record, arm=named(label, record.arm), series=named(label, record.series))
