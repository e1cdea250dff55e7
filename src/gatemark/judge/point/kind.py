# SPDX-License-Identifier: Apache-2.0
"""A kind of workload as it is judged, where that is not by the rules for packets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.group import Group
from gatemark.judge.point.limit import Verdict
from gatemark.store.record import Definition


def _never(definition: Definition, ceilings: Iterable[PointResult]) -> bool:
    del definition, ceilings
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What a kind's points are about, and what holds them back."""

    # What a definition is about -> what is counted, as it stands behind a number; "": a rate, or
    # no answer in a sentence.
    quantities: Mapping[str, str]
    decide: Callable[[Group, Iterable[PointResult]], Verdict]  # by the tester's own points too
    has_ceiling: bool = False  # the tester alone is judged by the same rules
    is_rate: bool = True  # arms are compared by it
    is_bounded: bool = True  # a tester that asks no more may hold it back
    is_read: bool = False  # what drops is read in every pass
    # Whether the tester alone should have been asked the same, and was not.
    is_unchecked: Callable[[Definition, Iterable[PointResult]], bool] = _never
