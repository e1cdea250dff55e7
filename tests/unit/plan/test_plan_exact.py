# SPDX-License-Identifier: Apache-2.0
"""A plan asked exactly keeps its setups and sizes, and what each arm stands against."""

from functools import cache

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.exact import between, counts, exact, of_programs
from gatemark.plan.load import load
from gatemark.plan.model import Arm, Plan, Probe


@cache
def plan(name: str) -> Plan:
    return load(name)[1][0]


def test_a_ladder_keeps_its_steps_and_loses_the_tester() -> None:
    made = exact(plan("cost/ladder"))
    assert (made.figure, made.workload.kind) == ("exact", "walk")
    assert "direct" not in {arm.path for arm in made.arm}
    against = {arm.name: arm.against for arm in made.arm}
    assert against["masquerade"] == "conntrack"


def test_other_plans_have_their_arms_against_the_first() -> None:
    made = exact(plan("cost/ablation"))
    first, *others = made.arm
    assert first.against == ""
    assert {arm.against for arm in others} == {first.name}


def test_both_directions_at_once_become_one() -> None:
    ladder = plan("cost/ladder")
    both = replace(ladder, workload=replace(ladder.workload, direction="both"))
    assert exact(both).workload.direction == "up"
    down = replace(ladder, workload=replace(ladder.workload, direction="down"))
    assert exact(down).workload.direction == "down"


def test_what_only_a_rate_needs_is_left_out() -> None:
    made = exact(plan("cost/ladder"))
    assert (made.probe, made.search, made.variants, made.variant) == (Probe(), None, (), "")


def test_a_probe_that_counts_needs_a_gateway_that_is_counted() -> None:
    ladder = plan("cost/ladder")
    assert not counts(ladder)
    assert counts(replace(ladder, probe=Probe(use=("instructions",))))


def test_a_plan_that_counts_is_as_it_is() -> None:
    counting = plan("counting/features")
    assert exact(counting) is counting
    assert counts(counting)


def test_a_plan_of_one_arm_is_told_without_steps() -> None:
    assert exact(plan("cost/ab")).figure == "auto"


@pytest.mark.parametrize("name", ["rfc/ceiling", "cost/flows"])
def test_what_is_no_packet_through_a_gateway_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is not of packets through a gateway"):
        exact(plan(name))


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("rfc/mix", "sends a mix of sizes, .*; counting/sizes has one size"),
        ("quick/tcp", "is of TCP connections, .*; counting/protocols has segments of TCP"),
        ("rfc/flows", "varies flows, clients, which one packet .*; counting/features compares"),
        ("rfc/cross-check", "varies kind, rate_pps, driver, which one packet at a time"),
        ("cost/cpu-flows", "varies flows, which one packet at a time"),
    ],
)
def test_what_would_be_another_question_is_refused(name: str, printed: str) -> None:
    with pytest.raises(UsageError, match=f"^--exact: {name} {printed}"):
        exact(plan(name))
    assert all(counts(plan(f"counting/{own}")) for own in ("sizes", "protocols", "features"))


def test_what_the_documents_promise_is_counted() -> None:
    """Ladders, ablations, models; of a sweep of rates the setups are left."""
    cost = ("ladder", "ablation", "model", "ab")
    names = [*(f"cost/{name}" for name in cost), "quick/speed", "quick/sweep"]
    assert [name for name in names if not counts(exact(plan(name)))] == []


def test_points_that_are_no_packet_are_left_out() -> None:
    """A TCP connection upwards would else be a smallest packet upwards."""
    paths = plan("wrt54/paths")
    assert {"kind": "tcp", "direction": "up"} in paths.case
    cases = exact(paths).case
    assert 0 < len(cases) < len(paths.case)
    assert all("frame_bytes" in case for case in cases)


def test_kernels_are_counted_in_a_pass_of_their_own() -> None:
    made = exact(plan("algorithms/lpm"))
    assert made.name == "algorithms/lpm-exact"
    assert (made.probe.use, made.probe.times) == (("instructions",), 3)
    assert made.sweep == plan("algorithms/lpm").sweep
    assert counts(made)


def test_kernels_that_mark_nothing_are_refused() -> None:
    with pytest.raises(
        UsageError, match="platform is not counted; lpm, filter, match, gateway are"
    ):
        exact(plan("algorithms/platform"))


def test_what_kernels_mark_is_programs() -> None:
    names = [f"algorithms/{name}" for name in ("lpm", "filter", "match", "today")]
    assert [name for name in [*names, "cost/ladder"] if of_programs(exact(plan(name)))] == names


@pytest.mark.parametrize("boots", [0, 2])
def test_a_test_in_one_boot_has_both_arms_in_turn(boots: int) -> None:
    old, new = Arm(path="route"), Arm(path="route", features=("filter:1",))
    made = between(exact(plan("cost/ab")), old, new, boots)
    assert (made.figure, made.repeat.boots, made.repeat.times) == ("exact", boots, 3)
    assert [arm.name for arm in made.arm] == ["old", "new"]
