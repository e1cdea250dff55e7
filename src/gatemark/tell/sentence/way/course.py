# SPDX-License-Identifier: Apache-2.0
"""Is a line used whose rate changes, and how long do packets wait on it?"""

from collections.abc import Iterator
from pathlib import Path

from gatemark.judge.judgement import PointResult
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number
from gatemark.tell.words.figure import upper

FACTORS = ("line.course", "line.up.course", "line.down.course")


def applies(case: Case) -> bool:
    """Return True where a line changed its rate while there was a load."""
    return any("course_lost" in point.values for point in case.judgement.points)


def say(case: Case) -> str:
    """Say what was seen of the line, then of each setup how it used it."""
    points = [point for point in case.judgement.points if "course_lost" in point.values]
    seen = dict.fromkeys(text for point in points for text in _line(point))
    scores = "; ".join(f"{_name(point)} {_score(point)}" for point in points)
    return " ".join((*(f"{upper(text)}." for text in seen), f"{scores}."))


def _line(point: PointResult) -> Iterator[str]:
    """The line as its load saw it: slow again and again."""
    if {"course_low_share", "course_low_ns", "course_low_period_ns"} <= point.values.keys():
        share, lasts, period = (
            point.values[f"course_low_{name}"].value for name in ("share", "ns", "period_ns")
        )
        yield (
            f"the line{_on(point)} carries {100 * share:.0f} % of its rate for "
            f"{number.quantity(lasts, 'ns')} in each {number.quantity(period, 'ns')}"
        )


def _name(point: PointResult) -> str:
    return f"{point.arm}{_on(point)}"


def _on(point: PointResult) -> str:
    """The course, where several are compared."""
    names = [Path(str(point.point[each])).stem for each in FACTORS if each in point.point]
    return f" on {' and '.join(names)}" if names else ""


def _score(point: PointResult) -> str:
    values = point.values
    text = f"leaves {number.quantity(values['course_lost'].value, 'ratio')} of the line unused"
    if "course_above" in values:
        above = number.quantity(values["course_above"].value, "ratio")
        text += f", packets wait over 30 ms {above} of the time"
    if "course_reaction_ns" in values:
        after = values["course_reaction_ns"].value
        fast = f", {number.quantity(after, 'ns')} after a fall no longer"
        text += fast if after else ", never after a fall"
    return text
