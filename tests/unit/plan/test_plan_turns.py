# SPDX-License-Identifier: Apache-2.0
"""Plans whose arms are measured at once, in turns: what they may ask for, each fault by its key."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.ab import versus
from gatemark.plan.expand import check, override
from gatemark.plan.expand import turns_faults as faults
from gatemark.plan.load import load
from gatemark.plan.model import Arm, Plan, Search, Workload
from gatemark.plan.order import order


def ladder() -> Plan:
    return load("cost/ladder")[1][0]


def test_the_ladder_asks_for_turns() -> None:
    plan = ladder()
    check(plan)
    assert {spec.turn.ms for spec in order([plan], seed=1)} == {plan.repeat.turn_ms}


def test_a_probed_pass_goes_one_after_the_other() -> None:
    plan = override(ladder(), {"probe.use": ("cpu",), "probe.times": 1})
    turns = {spec.pass_: spec.turn.ms for spec in order([plan], seed=1)}
    assert turns == {"outside": plan.repeat.turn_ms, "instrumented": 0.0}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"repeat.turn_ms": 1.0}, "must be 2 to 100"),
        ({"repeat.turn_ms": 200.0}, "must be 2 to 100"),
        ({"workload.rate_pps": 5000}, "leave out rate"),
        ({"workload.packets": 5000}, "leave out rate, cap, count"),
        ({"workload.kind": "tcp"}, "is for kind udp"),
        ({"workload.driver": "iperf3", "workload.duration_s": 1.0}, "sent by our own agent"),
    ],
)
def test_what_cannot_be_sent_in_turns_is_told(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=r"`turn_ms` of \[repeat\]") as told:
        override(ladder(), settings)
    assert said in str(told.value)


def test_a_search_has_its_own_order() -> None:
    plan = replace(ladder(), search=Search(), workload=Workload())
    assert [*faults(plan)] == [
        "`turn_ms` of [repeat] and [search] exclude each other; leave one out"
    ]


def test_a_gateway_that_is_an_end_takes_no_turns() -> None:
    plan = ladder()
    with pytest.raises(UsageError, match="sends or receives itself"):
        check(replace(plan, arm=(*plan.arm, Arm(path="endpoint", name="end", against="route"))))


@pytest.mark.parametrize(
    ("settings", "turns", "ms"),
    [
        ({}, True, 20),
        ({}, False, 0),  # one gateway cannot be both at once
        ({"workload.rate_pps": 5000}, True, 0),
    ],
)
def test_a_test_of_two_takes_turns_where_both_can_be_there_at_once(
    settings: dict[str, Any], turns: bool, ms: float
) -> None:
    plan, route = override(load("cost/ab")[1][0], settings), Arm(path="route")
    assert versus(plan, route, route, 2, turns=turns).repeat.turn_ms == ms


def test_both_and_the_tester_alone_share_each_boot_and_take_turns() -> None:
    route = Arm(path="route")
    trials = order([versus(load("cost/ab")[1][0], route, route, 2, turns=True)], seed=1)
    rounds = {repeat: [t for t in trials if t.repeat == repeat] for repeat in range(1, 7)}
    assert [{(t.boot, t.turn.ms) for t in those} for those in rounds.values()] == [
        {((repeat + 2) // 3, 20.0)} for repeat in range(1, 7)
    ]
    assert all(len(those) == 3 for those in rounds.values())
