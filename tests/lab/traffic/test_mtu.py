# SPDX-License-Identifier: Apache-2.0
"""A narrow port that tells, one that does not, and rules that drop fragments are told apart."""

import pytest

from gatemark.plan.model import Arm, Direction, Family, Plan, Repeat, Workload
from lab.planted import bare, measure


def values(
    *features: str, direction: Direction = "up", family: Family = "ipv4"
) -> dict[str, float]:
    workload = Workload(kind="mtu", direction=direction, family=family)
    arm = Arm(path="nat", features=features, name="NAT")
    plan = Plan(
        schema="gatemark.plan/1",
        title="sizes",
        why="",
        reading="",
        arm=(arm,),
        workload=workload,
        repeat=Repeat(times=1),
    )
    _, (record,) = measure(bare(plan))
    assert (record.status, record.reason) == ("ok", "")
    return record.values


def test_all_sizes_and_fragments_come_through_nat_both_ways() -> None:
    for direction in ("up", "down"):
        seen = values(direction=direction)
        assert (seen["mtu_bytes"], seen["mtu_handled"]) == (1500, 1)
        assert (seen["mtu_fragments"], seen["mtu_fragments_late"]) == (1, 1)


def test_a_narrow_port_tells_and_one_that_is_silent_does_not() -> None:
    tells = values("mtu:1400", family="ipv6")
    assert (tells["mtu_bytes"], tells["mtu_told_bytes"], tells["mtu_handled"]) == (1400, 1400, 1)
    silent = values("mtu:1400", "pmtu-silent", "mss")
    assert (silent["mtu_bytes"], silent["mtu_told"], silent["mtu_fragmented"]) == (1400, 0, 1)
    assert silent["mtu_mss_bytes"] == 1360


def test_a_line_behind_jumbo_frames_tells() -> None:
    narrow = values("jumbo:9000", "mtu:1500")
    assert (narrow["mtu_bytes"], narrow["mtu_told_bytes"], narrow["mtu_handled"]) == (1500, 1500, 1)


@pytest.mark.long
def test_jumbo_frames_come_through() -> None:
    assert values("jumbo:9000")["mtu_bytes"] == 9000


@pytest.mark.long
def test_what_a_narrow_port_does_not_take_is_lost_and_ends_no_trial() -> None:
    assert values("mtu:1400", direction="down")["mtu_bytes"] < 1500
