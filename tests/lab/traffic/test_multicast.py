# SPDX-License-Identifier: Apache-2.0
"""A bridge that floods a group is seen to, and so is one that listens to members."""

from msgspec.structs import replace

from gatemark.plan.load import load
from gatemark.plan.model import Plan, Repeat
from lab.planted import bare, measure


def plan(arm: str) -> Plan:
    """The plan that is shipped, with one of its arms."""
    _, (shipped,) = load("rfc/multicast")
    arms = tuple(each for each in shipped.arm if each.name == arm)
    return bare(replace(shipped, arm=arms, repeat=Repeat(times=1)))


def test_a_bridge_that_floods_sends_to_others_too() -> None:
    _, (record,) = measure(plan("floods"))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["flooded_share"] > 0.9
    assert "join_ns" not in record.values


def test_a_bridge_that_listens_sends_to_members_alone() -> None:
    judgement, (record,) = measure(plan("listens"))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["flooded_share"] == 0
    assert record.values["forwarded_share"] > 0.9
    assert record.values["join_ns"] < record.values["leave_ns"]
    assert judgement.points[0].definition.quantity == "multicast"
