# SPDX-License-Identifier: Apache-2.0
"""A planted gateway that bleaches ECN is named; one that forwards keeps all bits, both ways."""

import pytest

from gatemark.plan.model import Arm, Command, Direction, Plan, Repeat, Workload
from gatemark.store.record import Record
from lab.planted import bare, measure

BLEACH = """
nft 'add table ip gm_bleach'
nft 'add chain ip gm_bleach bits { type filter hook forward priority 0; }'
nft 'add rule ip gm_bleach bits ip ecn set not-ect'
trap 'nft delete table ip gm_bleach; exit' TERM
echo bleaching
while sleep 1; do :; done"""


def asked(path: str, direction: Direction, *features: str, **beside: Workload) -> Record:
    plan = Plan(
        schema="gatemark.plan/1",
        title="ecn",
        why="",
        reading="",
        arm=(Arm(path=path, features=features, name="own"),),  # type: ignore[arg-type]
        command={"bleach": Command(run=BLEACH, ready="bleaching")} if features else {},
        workload=Workload(kind="ecn", direction=direction, duration_s=0.3),
        beside=beside,
        repeat=Repeat(times=1),
    )
    _, (record,) = measure(bare(plan))
    assert (record.status, record.reason) == ("ok", "")
    return record


def test_a_gateway_that_bleaches_is_seen_in_each_packet() -> None:
    record = asked("nat", "up", "command:bleach")
    assert record.values["ecn_bleached"] == 1
    assert record.values["ecn_kept"] < 0.5


@pytest.mark.long
@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize("path", ["route", "nat", "direct"])
def test_a_gateway_that_forwards_keeps_all_bits(path: str, direction: Direction) -> None:
    record = asked(path, direction)
    assert record.values["ecn_kept"] == 1
    assert record.values["ecn_marked"] == 0
    assert record.values.get("ecn_opened", 1) == 1


@pytest.mark.long
def test_bits_are_asked_for_beside_a_load() -> None:
    load = Workload(kind="udp", direction="up", rate_pps=1000, duration_s=0.5)
    record = asked("route", "up", load=load)
    assert record.values["ecn_kept"] == 1
    assert record.values["load.received_pps"] > 0
