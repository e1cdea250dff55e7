# SPDX-License-Identifier: Apache-2.0
"""The answer of a run that goes on: told as soon as a plan's first points are measured."""

from collections.abc import Collection, Sequence

from gatemark.plan.model import TrialSpec
from gatemark.plan.order import is_first
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.tell.brief import lines as brief
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered
from gatemark.tell.words.screen import Line


def is_answered(run: Run, left: Collection[TrialSpec]) -> bool:
    """Return True if none is left of what a plan wants to be measured first."""
    plans = {plan.name: plan for plan in run.plans if plan.repeat.first}
    asked = (spec for spec in left if spec.pass_ == "outside" and spec.plan in plans)
    return bool(plans) and not any(is_first(plans[spec.plan], spec.point) for spec in asked)


def lines(run: Run, records: Sequence[Record]) -> list[Line]:
    """Sentence and tables of what has been measured."""
    return list(brief.so_far(Source(run=run, records=records, judgement=answered(run, records))))
