# SPDX-License-Identifier: Apache-2.0
"""A slow connection that a gateway forgets is named; without a flow table nothing is in one."""

import pytest

from gatemark.plan.model import Arm, Plan, Repeat, Workload
from gatemark.store.record import Record
from lab.planted import bare, measure


def followed(*features: str, duration_s: float, interval_s: float) -> Record:
    plan = Plan(
        schema="gatemark.plan/1",
        title="fastpath",
        arm=(Arm(path="nat", features=features, name="NAT"),),
        workload=Workload(kind="fastpath", duration_s=duration_s, interval_s=interval_s),
        repeat=Repeat(times=1),
    )
    _, (record,) = measure(bare(plan))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["fastpath_kept"] > 0.9 or features
    return record


def test_a_slow_connection_is_kept_and_seen_on_the_usual_path() -> None:
    seen = followed(duration_s=5, interval_s=2)
    assert (seen.values["fastpath_slow_kept"], seen.values["fastpath_idle_died"]) == (1, 0)
    assert (seen.values["fastpath_steady"], seen.values["fastpath_forgotten"]) == (0, 0)


@pytest.mark.long
def test_a_slow_connection_that_is_forgotten_is_named() -> None:
    seen = followed("conntrack-timeout:2", duration_s=14, interval_s=5)
    assert seen.values["fastpath_forgotten"] >= 1
    assert any("slow UDP" in at for at, why in seen.evidence.fastpath.items() if "forgotten" in why)
