# SPDX-License-Identifier: Apache-2.0
"""The plan of an A/B test, and the order of its boots."""

from functools import cache
from itertools import groupby

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.ab import BOOTS, own, setup, versus
from gatemark.plan.expand import check
from gatemark.plan.load import load
from gatemark.plan.model import NEW, OLD, PLAN_SCHEMA, Arm, Plan, Probe, Repeat, TrialSpec
from gatemark.plan.order import order

BARE = Plan(
    schema=PLAN_SCHEMA,
    title="t",
    why="w",
    reading="r",
    name="s/p",
    arm=(Arm(path="direct", name="tester alone"), Arm(path="nat", name="nat")),
    sweep={"flows": (1, 64)},
    repeat=Repeat(times=2, twin=True, spread=0.1),
    probe=Probe(use=("cpu",)),
)
ROUTE = Arm(path="route")


@cache
def made() -> Plan:
    return versus(BARE, ROUTE, Arm(path="route", features=("filter:10",)), boots=4)


def ordered(seed: int = 1) -> tuple[TrialSpec, ...]:
    return order([made()], seed)


def turns(seed: int = 1) -> list[tuple[str, int]]:
    """Which boot of which arm is measured after which."""
    booted = [(spec.arm.name, spec.boot) for spec in ordered(seed) if spec.boot]
    return [boot for boot, _ in groupby(booted)]


def test_a_setup_is_a_path_and_features() -> None:
    assert setup("nat + filter:100+conntrack") == Arm(
        path="nat", features=("filter:100", "conntrack")
    )


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nta", "'nta': no path 'nta'; did you mean 'nat'?"),
        ("direct", "'direct': no path 'direct'"),
        ("nat+filtr:1", "'nat+filtr:1': `features`: no feature 'filtr:1'"),
        ("switch+filter:1", "'switch+filter:1': `features`: filter has no effect on the path"),
        ("", "'': no path ''"),
    ],
)
def test_what_is_no_setup_is_refused(word: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        setup(word)
    assert str(refused.value).startswith(said)


def test_old_and_new_stand_in_the_place_of_the_arms_and_the_tester_alone_stays() -> None:
    assert [(arm.name, arm.setup) for arm in made().arm] == [
        ("tester alone", "direct"),
        (OLD, "route"),
        (NEW, "route + filter:10"),
    ]


def test_what_the_boots_make_needless_goes() -> None:
    plan = made()
    assert (plan.probe.use, plan.repeat.spread, plan.repeat.twin) == ((), 0.0, False)


@pytest.mark.parametrize(("asked", "has", "found"), [(3, 8, 3), (0, 8, 8), (0, 0, BOOTS)])
def test_boots_are_as_asked_or_the_plans_or_six(asked: int, has: int, found: int) -> None:
    plan = replace(BARE, repeat=Repeat(boots=has), probe=Probe())
    assert versus(plan, ROUTE, ROUTE, asked).repeat.boots == found


def test_the_plans_first_gateway_is_its_own_setup() -> None:
    assert own(BARE).name == "nat"


def test_the_plan_that_ships_is_of_six_boots() -> None:
    (plan,) = load("cost/ab")[1]
    assert (plan.repeat.boots, plan.gateway.slow_to_pps) == (BOOTS, 0)


def test_a_block_is_one_boot_of_each_arm() -> None:
    for at, boot in enumerate(range(1, 5)):
        assert sorted(turns()[2 * at : 2 * at + 2]) == [(NEW, boot), (OLD, boot)]


def test_which_arm_of_a_block_comes_first_is_by_lot() -> None:
    assert len({tuple(turns(seed)) for seed in range(20)}) > 5
    assert turns(3) == turns(3)


def test_a_boot_holds_each_point_as_often_as_the_plan_repeats() -> None:
    first = [s.point["flows"] for s in ordered() if (s.arm.name, s.boot) == (OLD, 1)]
    assert sorted(first) == [1, 1, 64, 64]
    assert {first[0], first[1]} == {1, 64}


def test_trials_have_names_of_their_own() -> None:
    names = [spec.trial for spec in ordered()]
    assert len(set(names)) == len(names) == 4 * (2 * 2 * 2 + 2)


def test_the_tester_alone_is_measured_once_a_block_without_a_boot_of_its_own() -> None:
    alone = [spec for spec in ordered() if spec.arm.path == "direct"]
    assert [spec.boot for spec in alone] == [0] * 8


@pytest.mark.parametrize(
    ("repeat", "probe", "said"),
    [
        (Repeat(boots=101), Probe(), "`boots` of [repeat] must be 0 (one boot for all) to 100"),
        (Repeat(boots=2, spread=0.1), Probe(), "`boots` of [repeat] and `spread` exclude"),
        (Repeat(boots=2), Probe(use=("cpu",)), "`boots` of [repeat] and the probes of [probe] ex"),
    ],
)
def test_boots_that_mean_nothing_are_refused(repeat: Repeat, probe: Probe, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(replace(BARE, repeat=repeat, probe=probe))
    assert str(refused.value).startswith(said)
