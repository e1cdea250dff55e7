# SPDX-License-Identifier: Apache-2.0
"""A knee is the same wherever it is told, and without what a shape explains."""

from dataclasses import replace as changed

import pytest
from msgspec.structs import replace
from simulated import Planted

from gatemark.judge.change.sampled import KNEE
from gatemark.judge.judge import judge, judged

from ..conftest import run
from .conftest import LOW, outside

STEADY = Planted(drift=0.02, holes=0.0)  # so that its knee is known to 1 %


@pytest.mark.parametrize(
    "planted", [STEADY, changed(STEADY, share=0.1), changed(STEADY, stall=(150, 500))]
)
def test_what_runs_are_compared_by_is_the_knee_of_the_judgement(planted: Planted) -> None:
    records = [replace(record, plan="sweep") for record in outside(planted, (*LOW, 30_000))]
    made = run(records)
    (knee,) = judge(made, records).knees
    (row,) = [row for row in judged(made, records).rows if row.quantity == KNEE]
    assert row.interval == knee.knee_pps
    assert knee.knee_pps.value == pytest.approx(27_000, rel=0.01)
