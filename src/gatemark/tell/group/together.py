# SPDX-License-Identifier: Apache-2.0
"""Several runs as one: the arms of each bear its letter, so that figures draw them side by side."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from gatemark.judge.change.reference import Beside
from gatemark.judge.judgement import Judgement
from gatemark.judge.point import capture
from gatemark.plan.model import Plan
from gatemark.store.record import Record
from gatemark.tell.group.source import Source

Result = TypeVar("Result", bound=msgspec.Struct)

# Fields that name an arm, or several; and parts that have arms of their own.
ARMS = {"arm", "setup", "baseline", "against", "beaten"}
PARTS = {"subject", "steps", "options"}


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
        records=[_record(record, source.label) for source in sources for record in source.records],
        judgement=_judgement(sources),
        sheaf={named(o.label, name): results for o in sources for name, results in o.sheaf.items()},
        beside=_beside(sources),
        parts=sources,
    )


def named(label: str, arm: str) -> str:
    """An arm with the letter of its run: `A: route`."""
    return f"{label}: {arm}" if label else arm


def _beside(sources: Sequence[Source]) -> list[Beside]:
    """Each published value once, beside the first run that has its like."""
    kept: list[Beside] = []
    for source in sources:
        known = [pair.published for pair in kept]
        fresh = [pair for pair in source.beside if pair.published not in known]
        kept += [replace(pair, arm=named(source.label, pair.arm)) for pair in fresh]
    return kept


def _judgement(sources: Sequence[Source]) -> Judgement:
    """All that was judged, each arm with the letter of its run; totals are summed."""
    merged: dict[str, Any] = {"sentence": "", "warnings": ()}
    for name in Judgement.__struct_fields__:
        values = [(getattr(source.judgement, name), source.label) for source in sources]
        if isinstance(values[0][0], int):
            merged[name] = sum(value for value, _ in values)
        elif name not in merged:
            merged[name] = tuple(
                _labelled(result, label) for results, label in values for result in results
            )
    merged["watched"] = tuple(capture.ranked(merged["watched"]))
    return Judgement(**merged)


def _labelled(result: Result, label: str) -> Result:
    """A result whose arms bear the letter, in its own parts too: each step of a ladder."""
    changed: dict[str, Any] = {}
    for name in result.__struct_fields__:
        match getattr(result, name):
            case str(arm) if name in ARMS and arm:
                changed[name] = named(label, arm)
            case (str(), *_) as arms if name in ARMS:
                changed[name] = tuple(named(label, arm) for arm in arms)
            case msgspec.Struct() as part if name in PARTS:
                changed[name] = _labelled(part, label)
            case (msgspec.Struct(), *_) as parts if name in PARTS:
                changed[name] = tuple(_labelled(part, label) for part in parts)
    return replace(result, **changed)


def _record(record: Record, label: str) -> Record:
    return replace(record, arm=named(label, record.arm), series=named(label, record.series))
