# SPDX-License-Identifier: Apache-2.0
"""A gateway that is restarted in the middle of a trial."""

from gatemark.plan.model import Workload
from lab.planted import bare, measure, plan

RESTARTED = Workload(rate_pps=5_000, flows=16, duration_s=1.0, restart_s=0.3)
AFTER = Workload(rate_pps=5_000, flows=16, duration_s=0.3)


def test_a_reset_is_seen_whole_and_the_gateway_is_as_before() -> None:
    """Its threads, addresses and rules: NAT would not go through without them."""
    plans = (plan("nat", RESTARTED, name="a"), plan("nat", AFTER, name="b"))
    _, (record, after) = measure(*map(bare, plans))
    assert (record.status, record.reason) == ("ok", "")
    assert 0 < record.values["reset_loss_s"] < record.values["restart_s"] + 0.1
    assert record.values["reset_full_s"] >= record.values["reset_s"]
    assert (after.status, after.reason) == ("ok", "")
    assert after.values["loss_ratio"] < 0.01
