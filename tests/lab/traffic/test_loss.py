# SPDX-License-Identifier: Apache-2.0
"""Which packets were lost, when they were sent and of which flows, of losses that are planted."""

import pytest

from gatemark.plan.model import Workload
from gatemark.run.bench import Bench
from gatemark.station.wiring import WAN_PORT
from gatemark.store.loss import Loss
from gatemark.store.record import Accounting, Record
from lab.planted import measure, plan

EVERY = 50
RULE = f"numgen inc mod {EVERY} == 0 drop"


async def every_fiftieth(bench: Bench) -> None:
    """The gateway forwards all packets but every fiftieth."""
    nft = bench.station.gateway.node.run
    await nft("nft", "add table ip planted")
    await nft("nft", "add chain ip planted drops { type filter hook forward priority 0; }")
    await nft("nft", f"add rule ip planted drops udp dport {WAN_PORT} {RULE}")


@pytest.fixture(scope="module")
def planted() -> Record:
    load = Workload(rate_pps=10_000, duration_s=0.5, flows=16, mix="imix", direction="up")
    _, records = measure(plan("route", load), plant=every_fiftieth)
    return next(record for record in records if record.pass_ == "outside")


def parts(record: Record) -> tuple[Loss, Accounting]:
    assert record.status == "ok", record.reason
    assert record.evidence is not None
    assert record.accounting is not None
    (loss,) = record.evidence.loss
    return loss, record.accounting


def test_all_sums_are_the_accountings(planted: Record) -> None:
    loss, count = parts(planted)
    assert count.lost >= count.tried // EVERY > 0
    assert sum(loss.lost) == sum(loss.by_flow) == sum(map(sum, loss.halves)) == count.lost
    assert sum(loss.tried) == sum(loss.tried_by_flow) == count.tried
    assert sum(loss.refused) == count.refused
    assert sum(loss.arrived) == count.unique + count.duplicated
    assert sum(tried for tried, _ in loss.by_size.values()) == count.tried
    assert sum(lost for _, lost in loss.by_size.values()) == count.lost


def test_every_fiftieth_is_lost(planted: Record) -> None:
    loss, count = parts(planted)
    if count.lost > count.tried / EVERY + 1:
        pytest.skip("the machine lost packets besides")
    assert loss.distance_cv is not None
    assert loss.distance_cv < 0.01
    assert loss.run_mean == 1.0
    assert loss.direction == "up"
    assert len(loss.ports) == len(loss.by_flow) == 16
