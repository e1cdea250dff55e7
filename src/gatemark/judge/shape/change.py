# SPDX-License-Identifier: Apache-2.0
"""Shapes of loss that came or went from one side to another: printed before any rate."""

from collections.abc import Hashable, Iterable, Iterator, Sequence

import msgspec

from gatemark.judge.fact import Fact, fact
from gatemark.judge.finding import Diagnosis, Finding
from gatemark.plan.model import NEW, OLD
from gatemark.store.record import Definition

ARM = ("path", "features", "slow_to_pps")  # of a definition: which gateway, not which traffic


def changes(old: Sequence[Diagnosis], new: Sequence[Diagnosis]) -> list[Fact]:
    """Of like arms and traffic a fact for each shape that is in one of the two alone."""
    before, after = ({_place(each): each for each in side} for side in (old, new))
    return [each for place in {**after, **before} for each in _changes(place, before, after)]


def between_arms(diagnoses: Iterable[Diagnosis]) -> list[Fact]:
    """The same of an A/B test: its arm `new` against its arm `old`."""
    arms: dict[str, dict[Hashable, Diagnosis]] = {OLD: {}, NEW: {}}
    for diagnosis in diagnoses:
        if diagnosis.arm in arms:
            arms[diagnosis.arm][_traffic(diagnosis)] = diagnosis
    places = {**arms[NEW], **arms[OLD]}
    return [each for place in places for each in _changes(place, arms[OLD], arms[NEW])]


def _changes(
    place: Hashable, before: dict[Hashable, Diagnosis], after: dict[Hashable, Diagnosis]
) -> Iterator[Fact]:
    old, new = before.get(place), after.get(place)
    setup = f"{(new or old).setup} {(new or old).direction}"  # type: ignore[union-attr]
    for finding in _only_in(new, old):
        yield fact("changed.new", setup=setup, finding=finding.fact)
    for finding in _only_in(old, new):
        yield fact("changed.old", setup=setup, finding=finding.fact)


def _only_in(diagnosis: Diagnosis | None, other: Diagnosis | None) -> list[Finding]:
    if diagnosis is None:
        return []
    known = {finding.shape for finding in other.wrong} if other else set()
    return [finding for finding in diagnosis.wrong if finding.shape not in known]


def _place(diagnosis: Diagnosis) -> Hashable:
    definition = diagnosis.definition
    return (definition.setup, diagnosis.direction, _others(definition), _point(diagnosis))


def _traffic(diagnosis: Diagnosis) -> Hashable:
    return (diagnosis.direction, _others(diagnosis.definition), _point(diagnosis))


def _point(diagnosis: Diagnosis) -> Hashable:
    return tuple(sorted(diagnosis.point.items()))


def _others(definition: Definition) -> Hashable:
    fields = msgspec.structs.asdict(definition)
    return tuple(value for name, value in fields.items() if name not in ARM)
