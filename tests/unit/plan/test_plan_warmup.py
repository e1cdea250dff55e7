# SPDX-License-Identifier: Apache-2.0
"""Warm-up trials: each point is sent before its repeats, and again in each boot of a gateway."""

from itertools import groupby
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.ab import versus
from gatemark.plan.expand import override
from gatemark.plan.load import read_plan
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Probe, Repeat, Search, TrialSpec
from gatemark.plan.order import further, order

PLAN = Plan(
    schema=PLAN_SCHEMA,
    title="t",
    why="w",
    reading="r",
    name="s/p",
    arm=(Arm(path="direct", name="tester alone"), Arm(path="nat", name="nat")),
    sweep={"flows": (1, 64)},
    repeat=Repeat(warmup=2, times=3),
    probe=Probe(use=("cpu",)),
)


def blocks(trials: tuple[TrialSpec, ...]) -> list[tuple[str, int, int]]:
    """The pass, the repeat and the number of trials of each block, in order."""
    named = groupby(trials, key=lambda spec: (spec.pass_, spec.repeat))
    return [(pass_, repeat, len(list(specs))) for (pass_, repeat), specs in named]


def test_every_point_of_every_arm_is_sent_before_the_repeats() -> None:
    warmups = [("warmup", 1, 4), ("warmup", 2, 4)]
    assert blocks(order([PLAN], 1))[:3] == [*warmups, ("outside", 1, 4)]


def test_without_it_the_order_of_a_seed_is_as_ever() -> None:
    plain = order([replace(PLAN, repeat=Repeat(times=3))], 1)
    assert {spec.pass_ for spec in plain} == {"outside", "instrumented"}


def test_in_each_boot_it_comes_first() -> None:
    plan = versus(PLAN, Arm(path="route"), Arm(path="nat"), boots=2)
    boots = groupby(order([plan], 1), key=lambda spec: (spec.arm.name, spec.boot))
    passes = [[spec.pass_ for spec in specs] for (_, boot), specs in boots if boot]
    assert passes == [["warmup"] * 4 + ["outside"] * 6] * 4


@pytest.mark.parametrize("boots", [0, 3])
def test_names_of_all_trials_differ(boots: int) -> None:
    plan = replace(PLAN, repeat=replace(PLAN.repeat, boots=boots), probe=Probe())
    names = [spec.trial for spec in order([plan], 1)]
    assert len(set(names)) == len(names)


def test_a_search_is_warmed_up_by_plain_trials_at_overload() -> None:
    trials = order([replace(PLAN, search=Search())], 1)
    warmups = [spec for spec in trials if spec.pass_ == "warmup"]
    assert len(warmups) == 8
    assert {(spec.search, spec.seeks, spec.workload.rate_pps) for spec in warmups} == {
        (None, "", 0.0)
    }


def test_arms_that_take_turns_do_so_while_they_warm_up() -> None:
    plan = replace(PLAN, repeat=replace(PLAN.repeat, turn_ms=2.0))
    turns = {spec.pass_: spec.turn.ms for spec in order([plan], 1)}
    assert turns == {"warmup": 2.0, "outside": 2.0, "instrumented": 0.0}


def test_a_further_repeat_has_none() -> None:
    assert {spec.pass_ for spec in further(PLAN, 7, [{"flows": 1}], 1)} == {"outside"}


def test_it_is_a_key_of_a_file_and_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    head = 'schema = "gatemark.plan/1"\ntitle = "t"\nwhy = "w"\nreading = "r"\n'
    path.write_text(f'{head}[setup]\npath = "nat"\n[repeat]\nwarmup = 2\n')
    assert read_plan(path, "plan").repeat.warmup == 2
    assert override(PLAN, {"repeat.warmup": 1}).repeat.warmup == 1
    with pytest.raises(UsageError, match=r"`warmup` of \[repeat\] must be 0 \(no warm-up\) to"):
        override(PLAN, {"repeat.warmup": -1})
