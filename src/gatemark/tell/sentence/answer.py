# SPDX-License-Identifier: Apache-2.0
"""The answer of a run in one sentence, numbers with units: the first question that has one."""

from collections.abc import Sequence
from typing import Final, Protocol

from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.judge.queue.mixed import Sheaf
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.store.subsystem import Subsystem
from gatemark.tell.sentence import (
    ab,
    alone,
    applications,
    carries,
    costs,
    delay,
    estimate,
    exact_ab,
    fastpath,
    fault,
    full_speed,
    kernels,
    nat,
    nowhere,
    outage,
    path,
    shaper,
    sizes,
    tuned,
    uncounted,
    unsound,
)
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.home import multicast, services
from gatemark.tell.sentence.way import course, ecn


class Question(Protocol):
    """A module of this folder."""

    def applies(self, case: Case) -> bool:
        """Return True where a run may answer it."""

    def say(self, case: Case) -> str:
        """The answer; "": it has none after all."""


# In this order; what these answer stands alone.
ALONE: Final[Sequence[Question]] = (tuned, exact_ab, ab, estimate, path)
# Then these; behind what they answer stands what is wrong.
RATES: Final[Sequence[Question]] = (
    kernels,
    applications,
    multicast,
    nat,
    sizes,
    outage,
    services,
    fastpath,
    ecn,
    course,
    full_speed,
    costs,
    carries,
    delay,
    shaper,
    unsound,
    alone,
    nowhere,
    uncounted,
)
NOT_YET: Final = "Nothing has been measured yet."


def answer(run: Run, records: Sequence[Record], judged: Judgement) -> str:
    """Return the sentence of a run whose records these are; warm-ups are none."""
    case = Case(run, [record for record in records if record.pass_ != "warmup"], judged)
    if text := _first(ALONE, case):
        return text
    text = _first(RATES, case) or NOT_YET
    but = fault.TESTERS if text == unsound.TESTERS_FAULT else ()
    text = fault.with_wrong(text, fault.wrong(judged.diagnoses, but))
    return " ".join((text, *fault.replayed(case.records)))


def _first(questions: Sequence[Question], case: Case) -> str:
    texts = (question.say(case) for question in questions if question.applies(case))
    return next(filter(None, texts), "")


def answered(
    run: Run,
    records: Sequence[Record],
    subsystems: Sequence[Subsystem] = (),
    sheaf: Sheaf | None = None,
) -> Judgement:
    """Judge a run, and say what it answers."""
    made = judge(run, records, subsystems, sheaf)
    return replace(made, sentence=answer(run, records, made))
