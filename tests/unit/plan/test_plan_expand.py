# SPDX-License-Identifier: Apache-2.0
"""From factors to points and trials: crossed, shuffled in blocks, changed by --set."""

from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.expand import applies, check, override, points, workload_at
from gatemark.plan.load import load
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Probe, Repeat, Workload
from gatemark.plan.order import order

BARE = Plan(
    schema=PLAN_SCHEMA,
    title="t",
    why="w",
    reading="r",
    name="s/p",
    arm=(Arm(path="route", name="route"), Arm(path="nat", name="nat")),
)
SWEPT = replace(
    BARE,
    sweep={"flows": (1, 64), "rate_pps": (1000, 2000)},
    repeat=Repeat(times=2),
    probe=Probe(use=("cpu",)),
)

few = settings(max_examples=settings().max_examples // 5)
rates = st.floats(0, 1e6) | st.integers(0, 1_000_000)
plans = st.builds(
    lambda arms, flows, rate, cases, times, instrumented: replace(
        BARE,
        arm=tuple(Arm(path="route", name=name) for name in arms),
        sweep={"flows": tuple(flows), "rate_pps": tuple(rate)},
        case=tuple({"frame_bytes": size} if size else {"direction": "down"} for size in cases),
        repeat=Repeat(times=times),
        probe=Probe(use=("cpu",), times=instrumented),
    ),
    st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(1, 4096), min_size=1, max_size=3, unique=True),
    st.lists(rates, min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from([0, 64, 512, 1518]), max_size=3, unique=True),
    st.integers(1, 3),
    st.integers(0, 2),
)


def test_factors_are_crossed() -> None:
    levels = [(point["flows"], point["rate_pps"]) for point in points(SWEPT)]
    assert levels == [(1, 1000), (1, 2000), (64, 1000), (64, 2000)]


def test_cases_vary_together_within_each_point() -> None:
    plan = replace(
        BARE,
        sweep={"flows": (1, 2)},
        case=({"family": "ipv4", "frame_bytes": 64}, {"family": "ipv6", "frame_bytes": 80}),
    )
    assert points(plan) == [
        {"flows": 1, "family": "ipv4", "frame_bytes": 64},
        {"flows": 1, "family": "ipv6", "frame_bytes": 80},
        {"flows": 2, "family": "ipv4", "frame_bytes": 64},
        {"flows": 2, "family": "ipv6", "frame_bytes": 80},
    ]


def test_a_plan_without_factors_has_one_point() -> None:
    assert points(BARE) == [{}]


def test_a_point_changes_its_factors_alone() -> None:
    load = workload_at(BARE, {"flows": 7})
    assert load == replace(Workload(), flows=7)


def test_a_size_is_checked_against_the_family_of_its_point() -> None:
    plan = replace(BARE, sweep={"family": ("ipv4", "ipv6"), "frame_bytes": (80, 79)})
    with pytest.raises(UsageError, match="`frame_bytes` = 79 is impossible for ipv6"):
        check(plan)


@few
@given(plan=plans, seed=st.integers(0, 1 << 31))
def test_the_same_seed_gives_the_same_order(plan: Plan, seed: int) -> None:
    assert order([plan], seed) == order([plan], seed)


def test_another_seed_gives_another_order() -> None:
    assert order([SWEPT], 1) != order([SWEPT], 2)


@few
@given(seed=st.integers(0, 1000))
def test_by_path_a_block_has_the_same_trials_and_each_path_once(seed: int) -> None:
    plain, grouped = order([SWEPT], seed), order([SWEPT], seed, by_path=True)
    assert {spec.trial for spec in grouped} == {spec.trial for spec in plain}
    for _, block in groupby(grouped, key=lambda spec: (spec.pass_, spec.repeat)):
        paths = [path for path, _ in groupby(block, key=lambda spec: spec.arm.path)]
        assert sorted(paths) == ["nat", "route"]


def test_by_path_either_path_comes_first() -> None:
    assert {order([SWEPT], seed, by_path=True)[0].arm.path for seed in range(9)} == {"nat", "route"}


@few
@given(plan=plans, seed=st.integers(0, 1 << 31))
def test_every_block_holds_each_point_of_each_arm_once(plan: Plan, seed: int) -> None:
    wanted = Counter((arm.name, *point.items()) for arm in plan.arm for point in points(plan))
    blocks = groupby(order([plan], seed), key=lambda spec: (spec.pass_, spec.repeat))
    met = []
    for name, specs in blocks:
        met.append(name)
        assert Counter((spec.arm.name, *spec.point.items()) for spec in specs) == wanted
    outside = [("outside", repeat + 1) for repeat in range(plan.repeat.times)]
    assert met == outside + [("instrumented", repeat + 1) for repeat in range(plan.probe.times)]


def test_all_repeats_of_the_first_points_come_before_the_others() -> None:
    plan = replace(SWEPT, repeat=Repeat(times=2, first=({"flows": 64},)))
    outside = [spec for spec in order([plan], 0) if spec.pass_ == "outside"]
    assert [spec.point["flows"] for spec in outside] == [64] * 8 + [1] * 8
    assert [spec.repeat for spec in outside] == [1] * 4 + [2] * 4 + [1] * 4 + [2] * 4


@few
@given(plan=plans)
def test_trial_names_are_unique(plan: Plan) -> None:
    check(plan)
    names = [spec.trial for spec in order([plan], 0)]
    assert len(set(names)) == len(names)


def test_plans_run_one_after_the_other_in_sequence() -> None:
    named = [replace(plan, name=f"s/{at}") for at, plan in enumerate((SWEPT, BARE, SWEPT))]
    specs = order(named, 0)
    assert [spec.sequence for spec in specs] == list(range(len(specs)))
    assert [name for name, _ in groupby(spec.plan for spec in specs)] == [p.name for p in named]


def test_arms_are_interleaved() -> None:
    plan = replace(BARE, repeat=Repeat(times=6))
    arms = [spec.arm.name for spec in order([plan], 0)]
    assert all(set(arms[at : at + 2]) == {"route", "nat"} for at in range(0, 12, 2))


def test_probes_belong_to_the_probed_pass_alone() -> None:
    assert {(spec.pass_, spec.probes) for spec in order([SWEPT], 0)} == {
        ("outside", ()),
        ("instrumented", ("cpu",)),
    }


@pytest.mark.parametrize(
    ("settings", "read"),
    [
        ({"sweep.flows": [3, 4]}, lambda plan: plan.sweep["flows"] == (3, 4)),
        ({"sweep.flows": 3}, lambda plan: plan.sweep["flows"] == (3,)),
        ({"repeat.times": 9}, lambda plan: plan.repeat.times == 9),
        ({"gateway.slow_to_pps": 5000}, lambda plan: plan.gateway.slow_to_pps == 5000),
        ({"probe.use": []}, lambda plan: plan.probe.use == ()),
        ({"workload.rate_pps": 5}, lambda plan: plan.workload.rate_pps == 5.0),
    ],
)
def test_a_setting_changes_its_key(settings: dict[str, Any], read: Any) -> None:
    assert read(override(SWEPT, settings))


def test_settings_are_checked_together() -> None:
    both = {"workload.family": "ipv6", "workload.frame_bytes": 80}
    assert override(BARE, both).workload.frame_bytes == 80


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"repeat.times": "x"}, "--set repeat.times: 'x' is no whole number"),
        ({"repeat.times": True}, "--set repeat.times: true is no whole number"),
        ({"repeat.times": 0}, "--set repeat.times: s/p: `times` of [repeat] must be 1 to 1000"),
        ({"sweep.flows": []}, "--set sweep.flows: s/p: `flows` has no levels; give at least one"),
        ({"sweep.flows": [[1]]}, "--set sweep.flows: a list is no single value"),
        ({"sweep.flows": ["a"]}, "--set sweep.flows: s/p: flows: 'a' is no whole number"),
        (
            {"workload.direction": "in"},
            "--set workload.direction: 'in' is none of its words;",
        ),
        ({"workload.frame_bytes": 9}, "--set workload.frame_bytes: s/p: `frame_bytes` = 9 is"),
    ],
)
def test_a_wrong_setting_is_told_by_its_key(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        override(SWEPT, settings)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("key", ["foo", "foo.bar", "repeat", "repeat.", "repeat.times.x", ".", ""])
def test_an_unknown_setting_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="no such key; "):
        applies(SWEPT, key)


def test_the_nearest_setting_is_offered() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'repeat\.times'\?"):
        applies(SWEPT, "repeat.time")


@pytest.mark.parametrize(
    ("key", "means"),
    [
        ("sweep.flows", True),
        ("sweep.frame_bytes", False),  # not swept here
        ("workload.flows", False),  # swept: it would have no effect
        ("workload.direction", False),  # varied by the cases: neither
        ("workload.frame_bytes", True),
        ("probe.times", True),
    ],
)
def test_a_setting_applies_where_it_has_an_effect(key: str, means: bool) -> None:
    assert applies(replace(SWEPT, case=({"direction": "up"},)), key) is means


@pytest.mark.parametrize(
    ("key", "value"), [("workload.rate_bps", 1e7), ("workload.rate_pps", 1000.0)]
)
def test_a_rate_is_given_in_one_of_its_words(key: str, value: float) -> None:
    """The second word would win in silence, at every level of the first."""
    plan = load("quick/sweep" if key.endswith("bps") else "kofler/routing")[1][0]
    with pytest.raises(UsageError, match="`rate_pps` and `rate_bps` say the same thing"):
        override(plan, {key: value})


def test_a_size_is_given_in_one_of_its_words() -> None:
    plan = load("kofler/block-size")[1][0]
    with pytest.raises(UsageError, match="`frame_bytes` and `payload_bytes` say the same thing"):
        override(plan, {"workload.frame_bytes": 512})


@pytest.mark.parametrize("name", ["kofler/netfilter-routing", "rfc/mix"])
def test_a_size_is_given_also_where_it_is_the_default(name: str) -> None:
    plan = load(name)[1][0]
    with pytest.raises(UsageError, match="say the same thing; leave one out"):
        override(plan, {"workload.frame_bytes": 64})


def test_an_empty_word_makes_room_for_the_other() -> None:
    plan = load("rfc/mix")[1][0]
    made = override(plan, {"workload.mix": "", "workload.frame_bytes": 64})
    assert (made.workload.mix, made.workload.frame_bytes) == ("", 64)


@pytest.mark.parametrize(
    ("key", "means"),
    [
        ("line.rate_bps", False),
        ("line.up.rate_bps", False),  # the sweep gives both ways
        ("line.down.buffer_bytes", False),  # a case has packets
        ("line.up.fixed_ms", True),
    ],
)
def test_what_the_sweep_gives_of_the_line_is_not_set(key: str, means: bool) -> None:
    assert applies(load("delay/home")[1][0], key) is means


def test_one_way_of_the_line_is_swept_and_the_other_is_set() -> None:
    home = load("delay/home")[1][0]
    one_way = replace(home, case=(), sweep={"line.up.rate_bps": (1e6, 2e6)})
    keys = ("line.rate_bps", "line.up.rate_bps", "line.down.rate_bps")
    assert [applies(one_way, key) for key in keys] == [False, False, True]


@pytest.mark.parametrize("key", ["workload.streams", "workload.settle_s", "workload.write_bytes"])
def test_a_key_of_another_kind_does_not_apply(key: str) -> None:
    (udp,) = load("rfc/ceiling")[1]
    (both,) = load("kofler/ceiling")[1]
    assert not applies(udp, key)
    assert applies(both, "workload.streams")


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("counting/kernel-path", False),  # walks: one packet after the other
        ("algorithms/lpm", False),  # its repeats and the time of each are words
        ("delay/responsiveness", False),  # it ends by itself
        ("rfc/connections", True),
    ],
)
def test_a_duration_applies_where_a_workload_sends_for_that_long(name: str, means: bool) -> None:
    (plan,) = load(name)[1]
    assert applies(plan, "workload.duration_s") is means
