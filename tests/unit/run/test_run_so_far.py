# SPDX-License-Identifier: Apache-2.0
"""The answer of a run that goes on: when it can be told, and what it says."""

import builder
import pytest
from msgspec.structs import replace

from gatemark.plan.load import load
from gatemark.plan.model import TrialSpec
from gatemark.plan.order import order
from gatemark.run import so_far

PLAN = load("quick/speed")[1][0]
TRIALS = order([PLAN], 1)
RUN = replace(builder.run(), plans=(PLAN,), trials=TRIALS)
FIRST = [spec for spec in TRIALS if spec.point in PLAN.repeat.first and spec.pass_ == "outside"]
REST = [spec for spec in TRIALS if spec not in FIRST]


@pytest.mark.parametrize(("left", "told"), [(TRIALS, False), ([FIRST[-1]], False), (REST, True)])
def test_it_is_told_as_soon_as_none_of_the_first_points_is_left(
    left: list[TrialSpec], told: bool
) -> None:
    assert so_far.is_answered(RUN, left) is told


def test_a_plan_that_wants_nothing_first_tells_nothing_early() -> None:
    assert not so_far.is_answered(builder.run(), [])


def test_it_has_the_sentence_and_the_tables_of_what_was_measured() -> None:
    run, records = builder.run(), builder.trials()
    text = "\n".join(text for _, text in so_far.lines(run, records))
    assert text.startswith(
        "so far:\nSlowed to a home router's speed, the lab gateway routes 30.11 k"
    )
    assert "knee" in text
    assert "report.html" not in text


def test_without_records_it_says_nothing() -> None:
    assert so_far.lines(builder.run(), []) == []
