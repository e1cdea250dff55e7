# SPDX-License-Identifier: Apache-2.0
"""Why did a search find no rate?"""

from gatemark.judge.judgement import PointResult
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.rate import THROUGHPUT, within
from gatemark.tell.words.shape import NAMES


def applies(case: Case) -> bool:
    """Return True where it is known why."""
    sought = _sought(case)
    return bool(sought) and all(not p.values and p.limit in NAMES for p in sought)


def say(case: Case) -> str:
    """Say that there is none: what is wrong goes on with it."""
    allowed = max(point.definition.loss_criterion or 0.0 for point in _sought(case))
    return f"No rate was found {within(allowed)}."


def _sought(case: Case) -> list[PointResult]:
    return [point for point in case.points if point.definition.quantity == THROUGHPUT]
