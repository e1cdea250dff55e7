# SPDX-License-Identifier: Apache-2.0
"""A knee is the same wherever it is told, and without what a shape explains."""

import pytest
from msgspec.structs import replace
from simulated import RATES, Planted, swept

from gatemark.stats.change.sampled import KNEE
from gatemark.stats.judge import judge, samples

from ..conftest import run


@pytest.mark.parametrize(
    "planted", [Planted(), Planted(share=0.05), Planted(nth=20), Planted(stall=(150, 500))]
)
def test_what_runs_are_compared_by_is_the_knee_of_the_judgement(planted: Planted) -> None:
    records = [record for trials in swept(planted, RATES) for record in trials.outside]
    records = [replace(record, plan="sweep") for record in records]
    made = run(records)
    (knee,) = judge(made, records).knees
    (row,) = [row for row in samples(made, records) if row.quantity == KNEE]
    assert row.interval == knee.knee_pps
    assert knee.knee_pps.value == pytest.approx(27_000, rel=0.05)
