# SPDX-License-Identifier: Apache-2.0
"""A gateway that is restarted in the middle of a trial."""

import pytest

from gatemark.plan.model import Workload
from lab.planted import measure, plan

RESTARTED = Workload(rate_pps=5_000, flows=16, duration_s=1.0, restart_s=0.3)


@pytest.mark.parametrize("path", ["route", pytest.param("nat", marks=pytest.mark.long)])
def test_a_reset_is_seen_whole(path: str) -> None:
    _, records = measure(plan(path, RESTARTED))
    record = records[0]
    assert record.status == "ok", record.reason
    assert 0 < record.values["reset_loss_s"] < record.values["restart_s"] + 0.1
    assert record.values["reset_full_s"] >= record.values["reset_s"]


def test_the_gateway_is_as_before_after_a_reset() -> None:
    """Its threads, addresses and rules: NAT would not go through without them."""
    after = Workload(rate_pps=5_000, flows=16, duration_s=0.3)
    _, records = measure(plan("nat", RESTARTED, name="a"), plan("nat", after, name="b"))
    kept = [r for r in records if not r.trial.startswith("a/")]
    assert all(r.status == "ok" and r.values["loss_ratio"] < 0.01 for r in kept), kept
