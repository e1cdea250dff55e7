# SPDX-License-Identifier: Apache-2.0
"""Which packets were lost, when they were sent and of which flows, of losses that are planted."""

from dataclasses import dataclass
from functools import cache

import backlog
import pytest
from msgspec.structs import replace

from gatemark.plan.model import Keep, Workload
from gatemark.run.bench import Bench
from gatemark.station.wiring import WAN_PORT
from gatemark.store.drops import NETFILTER
from gatemark.store.loss import Loss
from gatemark.store.record import Accounting, Record
from lab.planted import bare, measure, plan

EVERY = 50
RULE = f"numgen inc mod {EVERY} == 0 counter drop"


async def every_fiftieth(bench: Bench) -> None:
    """The gateway forwards all packets but every fiftieth."""
    nft = bench.station.gateway.node.run
    await nft("nft", "add table ip planted")
    await nft("nft", "add chain ip planted drops { type filter hook forward priority 0; }")
    await nft("nft", f"add rule ip planted drops udp dport {WAN_PORT} {RULE}")


@dataclass(frozen=True)
class Planted:
    """A trial of which every fiftieth packet is dropped."""

    record: Record
    packets: bytes  # what waits to be kept of it
    backlogged: int  # what this machine's backlogs dropped meanwhile, of anybody's packets

    @property
    def by_rule(self) -> int:
        """Packets that the rule's own counter has."""
        assert self.record.evidence.drops is not None
        causes = self.record.evidence.drops.causes
        return sum(drop.packets for drop in causes if drop.stage == NETFILTER)


@cache
def dropped() -> Planted:
    """One trial for all tests, here and of what is kept (test_kept.py)."""
    benches: list[Bench] = []

    async def plant(bench: Bench) -> None:
        await every_fiftieth(bench)
        benches.append(bench)

    load = Workload(rate_pps=5_000, duration_s=0.5, flows=16, mix="imix", direction="up")
    asked = replace(bare(plan("route", load)), keep=Keep(pcapng=True))
    with backlog.watched() as backlogs:
        _, (record,) = measure(asked, plant=plant)
    assert record.status == "ok", record.reason
    kept = benches[0].packets[record.trial].files[""]
    return Planted(record, kept, backlogs.dropped)


@pytest.fixture(scope="module")
def planted() -> Planted:
    return dropped()


def parts(planted: Planted) -> tuple[Loss, Accounting]:
    record = planted.record
    assert record.evidence is not None
    assert record.accounting is not None
    (loss,) = record.evidence.loss
    return loss, record.accounting


def test_all_sums_are_the_accountings(planted: Planted) -> None:
    loss, count = parts(planted)
    assert count.lost >= count.tried // EVERY > 0
    assert sum(loss.lost) == sum(loss.by_flow) == sum(map(sum, loss.halves)) == count.lost
    assert sum(loss.tried) == sum(loss.tried_by_flow) == count.tried
    assert sum(loss.refused) == count.refused
    assert sum(loss.arrived) == count.unique + count.duplicated
    assert sum(tried for tried, _ in loss.by_size.values()) == count.tried
    assert sum(lost for _, lost in loss.by_size.values()) == count.lost


@pytest.mark.long
def test_what_is_lost_is_what_the_rule_dropped(planted: Planted) -> None:
    _, count = parts(planted)
    besides = count.refused + count.ring_dropped + planted.backlogged
    assert planted.by_rule <= count.lost <= planted.by_rule + besides
    assert (count.tried - besides) // EVERY <= planted.by_rule <= count.tried // EVERY + 1


@pytest.mark.long
def test_every_fiftieth_is_lost(planted: Planted) -> None:
    loss, count = parts(planted)
    if count.lost > planted.by_rule:
        pytest.skip("the machine lost packets besides")
    assert loss.distance_cv is not None
    assert loss.distance_cv < 0.01
    assert loss.run_mean == 1.0
    assert loss.direction == "up"
    assert len(loss.ports) == len(loss.by_flow) == 16
