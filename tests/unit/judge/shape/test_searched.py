# SPDX-License-Identifier: Apache-2.0
"""A search tells a constant share by all of its steps, each of which loses a few packets."""

import random

import pytest
from msgspec.structs import replace
from simulated import Planted, trial

from gatemark.judge.judge import judge
from gatemark.judge.shape.searched import constant, diagnosed
from gatemark.store.record import Record
from gatemark.tell.fact import say

from ..conftest import run

STEPS = (40_000, 20_000, 10_000, 5_000, 2_500, 2_000)  # as a search halves its way down


def search(planted: Planted, seed: int = 1) -> list[Record]:
    """The steps of a search through a simulated gateway."""
    chance = random.Random(seed)
    steps = (trial(planted, rate, 1, chance) for rate in STEPS)
    return [replace(step, pass_="search") for step in steps]  # noqa: S106


def test_every_thousandth_packet_is_told() -> None:
    found = constant(search(Planted(nth=1000)), "up")
    assert found
    assert found.values["share"] == pytest.approx(0.001, rel=0.2)
    assert "(every 1" in say.words(found.fact)
    assert "not load" in say.words(found.fact)


def test_a_random_share_is_told() -> None:
    found = constant(search(Planted(share=0.005)), "up")
    assert found
    assert found.values["share"] == pytest.approx(0.005, rel=0.3)


@pytest.mark.parametrize(
    "planted",
    [
        Planted(),
        Planted(rising=0.03),
        Planted(stall=(150, 500)),
        Planted(policer=(3_000, 200)),
        Planted(shaper=(3_000, 50)),
    ],
    ids=["nothing", "rising", "stalls", "policer", "shaper"],
)
@pytest.mark.parametrize("seed", range(1, 6))
def test_what_is_no_constant_share_is_not_told_as_one(planted: Planted, seed: int) -> None:
    assert constant(search(planted, seed), "up") is None


def test_two_rates_that_are_near_say_nothing_of_all() -> None:
    steps = [step for step in search(Planted(nth=100)) if step.point["rate_pps"] in (2_500, 2_000)]
    assert constant(steps, "up") is None


def test_a_step_of_a_burst_has_no_share() -> None:
    bursts = [
        replace(step, definition=replace(step.definition, packets=100))
        for step in search(Planted(nth=100))
    ]
    assert constant(bursts, "up") is None


def test_only_steps_that_count_are_asked() -> None:
    steps = search(Planted(nth=100))
    (own,) = diagnosed(steps)
    assert (own.arm, own.direction, own.findings[0].shape) == ("route", "up", "constant-share")
    assert list(diagnosed(replace(step, status="invalid") for step in steps)) == []
    assert list(diagnosed(replace(step, pass_="outside") for step in steps)) == []  # noqa: S106


@pytest.mark.parametrize("sees_cpu", [True, False])
def test_where_no_cpu_is_read_nothing_is_blamed(sees_cpu: bool) -> None:
    records = search(Planted(nth=100))
    seen = run(records)
    judgement = judge(replace(seen, station=replace(seen.station, sees_cpu=sees_cpu)), records)
    assert bool(judgement.diagnoses) == sees_cpu
