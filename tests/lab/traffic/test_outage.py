# SPDX-License-Identifier: Apache-2.0
"""An action that cuts a call for 1.2 s is measured, and one that breaks nothing breaks nothing."""

import pytest

from gatemark.plan.model import Arm, Command, Plan, Repeat, Workload
from lab.planted import bare, measure

OFF = "/proc/sys/net/ipv4/ip_forward"


def values(run: str) -> dict[str, float]:
    arm = Arm(path="nat", features=("command:action",), name="NAT")
    plan = Plan(
        schema="gatemark.plan/1",
        title="outage",
        why="",
        reading="",
        arm=(arm,),
        command={"action": Command(run=run)},
        workload=Workload(kind="outage", duration_s=5),
        repeat=Repeat(times=1),
    )
    _, (record,) = measure(bare(plan))
    assert (record.status, record.reason) == ("ok", "")
    return record.values


def test_a_call_that_is_cut_for_a_while_comes_back() -> None:
    seen = values(f"at 1\necho 0 > {OFF}; sleep 1.2; echo 1 > {OFF}\nover")
    for name in ("outage_call_up_ns", "outage_call_down_ns", "outage_busy_up_ns"):
        assert seen[name] > 1.1e9
    assert (seen["outage_call_died"], seen["outage_idle_died"]) == (0, 0)


@pytest.mark.long
def test_a_port_that_was_down_finds_its_hosts_again() -> None:
    seen = values("at 1\nip link set $PORT down; sleep 1; ip link set $PORT up\nover")
    assert seen["outage_call_down_ns"] > 0.9e9
    assert (seen["outage_call_died"], seen["outage_idle_died"]) == (0, 0)


@pytest.mark.long
def test_rules_that_are_replaced_at_once_break_nothing() -> None:
    seen = values(
        "at 1\nnft list ruleset > rules; { echo flush ruleset; cat rules; } | nft -f -\nover"
    )
    assert seen["outage_kept"] > 0.99
    assert (seen["outage_busy_died"], seen["outage_idle_died"]) == (0, 0)
