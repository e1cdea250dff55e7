# SPDX-License-Identifier: Apache-2.0
"""Runs that were put together, each alone again: what is looked up for an arm is of its own run."""

import dataclasses
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.tell.group import latency
from gatemark.tell.group.latency import Timed
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import named
from gatemark.tell.words import headline


def letter(source: Source, arm: str) -> str:
    """The letter of an arm's run; empty where there is one run."""
    letters = (part.label for part in source.parts)
    return next((label for label in letters if arm.startswith(named(label, ""))), "")


def by_run(source: Source) -> dict[str, Source]:
    """Each run by its letter, with records and results of its own; its arms keep the letter.

    Trials are looked up in their own run, since those of two runs have the same names.
    """
    if not source.parts:
        return {"": source}
    letters = {arm: letter(source, arm) for arm in {record.arm for record in source.records}}
    return {
        part.label: dataclasses.replace(
            part,
            records=[record for record in source.records if letters[record.arm] == part.label],
            judgement=_judgement(source, part.label),
            sheaf=source.sheaf,
        )
        for part in source.parts
    }


def _judgement(source: Source, label: str) -> Judgement:
    """What is of no arm stays with every run."""
    judgement = source.judgement
    every: dict[str, Any] = {n: getattr(judgement, n) for n in judgement.__struct_fields__}
    own = {
        name: tuple(each for each in judged if letter(source, getattr(each, "arm", label)) == label)
        for name, judged in every.items()
        if isinstance(judged, tuple)
    }
    return replace(judgement, **own)


def testers(source: Source) -> dict[str, list[PointResult]]:
    """What each run's tester did alone, by the letter of the run."""
    alone: dict[str, list[PointResult]] = {part.label: [] for part in source.parts} or {"": []}
    for point in source.judgement.ceilings:
        alone[letter(source, point.arm)].append(point)
    return alone


def ceilings(source: Source, points: Iterable[PointResult]) -> dict[int, Interval]:
    """The tester's own payload rate (bit/s) for these points, by id(point); of its run alone."""
    alone = testers(source)
    most = {id(p): headline.ceiling(alone[letter(source, p.arm)], p) for p in points}
    return {name: interval for name, interval in most.items() if interval}


def floors(source: Source, timed: Timed) -> dict[str, PointResult]:
    """The tester's own delay beside these loads, by the letters of their runs."""
    letters = dict.fromkeys(letter(source, load.arm) for load in timed.loads)
    own = {
        label: [floor for floor in timed.floors if letter(source, floor.arm) == label]
        for label in letters
    }
    fastest = ((label, latency.fastest(alike)) for label, alike in own.items())
    return {label: floor for label, floor in fastest if floor}
