# SPDX-License-Identifier: Apache-2.0
"""How long a trial of each kind sends."""

import pytest

from gatemark.kind.fill.plan import opened_pps
from gatemark.plan.lasting import lasts_s
from gatemark.plan.model import Workload


def test_a_trial_settles_and_sends() -> None:
    assert lasts_s(Workload(kind="tcp", settle_s=0.5, duration_s=3.0)) == 3.5


def test_a_fill_opens_its_flows_and_reads_after_each_step() -> None:
    load = Workload(kind="fill", flows=10_000, steps=4, duration_s=0.5)
    assert opened_pps(load) == 5000.0
    assert lasts_s(load) == pytest.approx(2.0 + 4 * 1.0)
    faster = Workload(kind="fill", flows=10_000, steps=4, duration_s=0.5, rate_pps=10_000.0)
    assert lasts_s(faster) == pytest.approx(1.0 + 4 * 1.0)


@pytest.mark.parametrize(("direction", "each_s"), [("up", 0.02), ("send", 0.06)])
def test_walks_come_after_ten_that_do_not_count(direction: str, each_s: float) -> None:
    load = Workload(kind="walk", walks=200, direction=direction)  # type: ignore[arg-type]
    assert lasts_s(load) == pytest.approx(210 * each_s)
