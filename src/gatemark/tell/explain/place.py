# SPDX-License-Identifier: Apache-2.0
"""Where a run was judged so: the points with a warning, a bottleneck or a verdict; their trials."""

from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.subject import About
from gatemark.tell.explain.entry import Entry, plain
from gatemark.tell.explain.sample import COUNTED, Point, Points, Sample, measured
from gatemark.tell.fact import say

STEPS: Final = {"slower": "costs", "faster": "saves"}  # a verdict on a step of a ladder
Place = tuple[About, str, str]  # a result, the word that it has, what was seen


def behind(
    judgement: Judgement, run: Points, entry: Entry, most: int | None
) -> tuple[str, int, list[Sample]]:
    """What is behind a word in a judged run.

    Returns the quantity ("" where the word is none), at how many points, the first `most` of them.
    """
    if entry.kind != "quantity":
        names = {plain(word) for word in (entry.word, *entry.listed("also"))}
        placed = [place for place in _places(judgement, entry.kind) if plain(place[1]) in names]
        if placed:
            shown = [_sample(about, why, run[COUNTED[0]]) for about, _, why in placed[:most]]
            return "", len(placed), shown
    quantity, samples = measured(run, entry.measured, entry.listed("at"))
    return quantity, len(samples), samples[:most]


def _sample(about: About, why: str, points: Iterable[Point]) -> Sample:
    """The trials of a point, or of all rates of one."""
    level, own = about.point.items(), (about.plan, about.arm)
    there = [p for p in points if (p.plan, p.arm) == own and level <= p.point.items()]
    names = sorted((place, trial.trial) for point in there for place, trial in point.trials)
    return Sample(*own, about.point, (), tuple(name for _, name in names), why)


def _places(judgement: Judgement, kind: str) -> Iterator[Place]:
    """Each result with a word of this kind."""
    results: tuple[Knee | PointResult, ...]
    results = (*judgement.knees, *judgement.ceilings, *judgement.points)
    if kind == "warning":
        yield from _warned(results)
    elif kind == "bottleneck":
        yield from ((result, result.limit, say.words(result.why)) for result in results)
    else:
        yield from _compared(judgement)
        yield from _diagnosed(judgement)


def _warned(results: Iterable[Knee | PointResult]) -> Iterator[Place]:
    for result in results:
        for warning in result.warnings:
            yield result, warning.code, say.words(warning.seen)


def _compared(judgement: Judgement) -> Iterator[Place]:
    """Arms and steps, each against its base."""
    for comparison in judgement.comparisons:
        why = f"{comparison.quantity} against {comparison.baseline}"
        yield comparison, comparison.change.verdict, why
    for ladder in judgement.ladders:
        for step in ladder.steps:
            for quantity, cost in step.costs.items():
                word = STEPS.get(cost.verdict, cost.verdict)
                yield step, word, f"{quantity} against {step.against}"


def _diagnosed(judgement: Judgement) -> Iterator[Place]:
    for diagnosis in judgement.diagnoses:
        for finding in diagnosis.findings:
            yield diagnosis, finding.shape, say.words(finding.fact)
