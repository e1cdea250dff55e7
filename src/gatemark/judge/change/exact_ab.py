# SPDX-License-Identifier: Apache-2.0
"""An A/B test in instructions: what NEW executes for a packet more than OLD, by function."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from gatemark.judge.change import exact
from gatemark.judge.change.exact import Moved
from gatemark.judge.change.ladder import INSTRUCTIONS
from gatemark.judge.judgement import Executed, Judgement
from gatemark.judge.math.interval import Interval
from gatemark.plan.model import NEW, OLD
from gatemark.store.run import AB

Word = Literal["needs more", "needs less", "within what is accepted", "no change"]


class Tested(msgspec.Struct, frozen=True):
    """One point of the test."""

    old: Executed
    new: Executed
    difference: Interval  # of the modes, with the range over repeats
    ratio: float  # of what the old one executes
    moved: tuple[Moved, ...]  # the largest first
    word: Word


def findings(test: AB, judgement: Judgement) -> list[Tested]:
    """Each point that both arms were counted at."""
    results = []
    for ladder in filter(exact.is_exact, judgement.ladders):
        for step in ladder.steps:
            if (step.against, step.arm) != (OLD, NEW):
                continue
            if both := exact.pair(judgement.executed, ladder, step):
                ratio = exact.ratio(ladder, step)
                difference = step.costs[INSTRUCTIONS].difference
                moved = tuple(exact.moved(*both))
                word = _word(difference.value, ratio, test.allow)
                results.append(Tested(*both, difference, ratio, moved, word))
    return results


def worst(rows: Sequence[Tested]) -> Tested:
    """The point at which NEW needs most more."""
    return max(rows, key=lambda row: row.ratio)


def regressed(rows: Sequence[Tested]) -> bool:
    """Return whether NEW needs more than OLD by more than is accepted, at any point."""
    return any(row.word == "needs more" for row in rows)


def _word(difference: float, ratio: float, allow: float) -> Word:
    if not difference:
        return "no change"
    if ratio > allow:
        return "needs more"
    return "needs less" if ratio < -allow else "within what is accepted"
