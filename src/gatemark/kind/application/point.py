# SPDX-License-Identifier: Apache-2.0
"""The fate of an application at one point: what held it back, as far as its own figures tell."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.error import TOO_SLOW
from gatemark.judge.judgement import PointResult
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import Judge, Marked
from gatemark.judge.point.limit import Verdict
from gatemark.kind.application.grade import grades, word
from gatemark.kind.application.programs import ABOUT, APPLICATIONS


def decide(trials: Group, ceilings: Iterable[PointResult]) -> Verdict:
    """Return that nothing held it back, or the first figure that is not good.

    Figures that are judged by the clean way's are not looked at: that is another point's.
    """
    del ceilings
    if not trials.outside:
        reasons = Counter(TOO_SLOW if TOO_SLOW in each else each for each in trials.reasons)
        return Verdict("unknown", max(reasons, key=reasons.__getitem__, default="no valid trial"))
    for quality in APPLICATIONS[trials.definition.application].qualities:
        value = middle(readings(trials.outside, quality.quantity))
        if value is not None and not quality.of_clean and word(quality, value) != "good":
            return Verdict("unknown", f"its {quality.quantity} is {word(quality, value)}")
    return Verdict("none", "it is good")


def marked(points: Iterable[PointResult]) -> Iterator[Marked]:
    """Yield the grade of each application, at the figure that decided it."""
    for grade in grades(points):
        yield Marked(point=grade.point, quantity=grade.quantity, word=grade.word)


KIND: Final = Judge(
    quantities=dict.fromkeys(ABOUT, ""),
    decide=decide,
    has_ceiling=True,
    is_rate=False,
    is_bounded=False,
    marked=marked,
)
