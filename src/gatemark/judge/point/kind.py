# SPDX-License-Identifier: Apache-2.0
"""A kind of workload as it is judged, where that is not by the rules for packets."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gatemark.judge.fact import fact
from gatemark.judge.finding import Finding
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.limit import Verdict
from gatemark.kind.rules import Rules
from gatemark.store.record import Definition

WHOLE: Final = 0.999


def _never(definition: Definition, ceilings: Iterable[PointResult]) -> bool:
    del definition, ceilings
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A point with the word that it has earned, and the value that decided."""

    point: PointResult
    quantity: str
    word: str


def _without_find(groups: Sequence[Group]) -> Iterator[Finding]:
    del groups
    yield from ()


def _without(points: Iterable[PointResult]) -> Iterator[Marked]:
    del points
    yield from ()


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
    # The words of its points among all of a run: good, bad, not judged.
    marked: Callable[[Iterable[PointResult]], Iterator[Marked]] = _without
    # What is wrong, by all points of an arm that differ in their rate alone.
    find: Callable[[Sequence[Group]], Iterator[Finding]] = _without_find


def by_share(rules: Rules) -> Judge:
    """Return the judge of a kind whose share of 1 says that nothing held it back."""

    def decide(trials: Group, ceilings: Iterable[PointResult]) -> Verdict:
        del ceilings
        share = middle(readings(trials.outside, next(iter(rules.headlines.values()))))
        if share is None:
            return Verdict("unknown", fact("why.no-trial"))
        return Verdict(
            "none" if share >= WHOLE else "unknown",
            rules.whole.format(share=f"{100 * share:.3g} %"),
        )

    return Judge(
        quantities=dict.fromkeys(rules.headlines, ""),
        decide=decide,
        has_ceiling=True,
        is_rate=False,
        is_bounded=False,
    )
