# SPDX-License-Identifier: Apache-2.0
"""What a question is asked of: a run, its records, and what they were judged to be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gatemark.judge.finding import Diagnosis
from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.point.timed import is_timed
from gatemark.judge.speed import RATE
from gatemark.store.record import Record
from gatemark.store.run import Run


@dataclass(frozen=True)
class Case:
    """A run to be answered for. What was measured once, or by a faulty tester, makes no answer."""

    run: Run
    records: Sequence[Record]
    judgement: Judgement

    @cached_property
    def points(self) -> list[PointResult]:
        """Points that may make an answer."""
        return [point for point in self.judgement.points if is_sound(point, self.judgement)]

    @cached_property
    def knees(self) -> list[Knee]:
        """Knees that may make an answer."""
        return [knee for knee in self.judgement.knees if is_sound(knee, self.judgement)]

    @cached_property
    def timed(self) -> list[PointResult]:
        """Points of these whose answer is the delay."""
        return [point for point in self.points if is_timed(point, self.run.plans)]

    @cached_property
    def plain(self) -> list[PointResult]:
        """All others of these."""
        return [point for point in self.points if point not in self.timed]


def is_sound(judged: PointResult | Knee, among: Judgement) -> bool:
    """Return True if a rate or goodput has two trials at least, and a tester that worked."""
    headline = judged.definition.headline
    if headline not in (RATE, "goodput_bps"):
        return True
    interval = judged.knee_pps if isinstance(judged, Knee) else judged.values.get(headline)
    return (interval is None or interval.n > 1) and not is_testers(judged, among.diagnoses)


def is_testers(judged: PointResult | Knee, diagnoses: Iterable[Diagnosis]) -> bool:
    """Return True if the tester was at fault, as far as is known."""
    own = (judged.plan, judged.arm, judged.definition.direction)
    return any(
        diagnosis.get("tester")
        and own == (diagnosis.plan, diagnosis.arm, diagnosis.definition.direction)
        for diagnosis in diagnoses
    )
