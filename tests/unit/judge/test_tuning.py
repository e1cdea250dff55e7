# SPDX-License-Identifier: Apache-2.0
"""The search for the best setting: what it finds, what it costs, and that chance gets no advice."""

import random
from dataclasses import dataclass, field
from itertools import product
from math import exp

import pytest
from msgspec.structs import replace

from gatemark.judge.tuning import PAIRS, QUARTER, Advice, advice, following, schedule
from gatemark.plan.load import load
from gatemark.plan.model import Arm, Plan
from gatemark.plan.tuning.grid import AS_IT_IS, BY_KIND, LAB, axes, axes_for, searched
from gatemark.store.record import Definition, Record
from gatemark.store.run import Tune

TUNE = Tune(base=AS_IT_IS)
PLAN = searched(load("cost/tune")[1][0], Arm(path="nat"), LAB)
GRID = [arm.name for arm in PLAN.arm if arm.path == "nat"]


@dataclass(frozen=True)
class Gateway:
    """A gateway whose settings multiply what it does, and what disturbs it."""

    rate: dict[str, float] = field(default_factory=dict)  # setting -> factor
    delay: dict[str, float] = field(default_factory=dict)
    noise: float = 0.06  # of a trial, as a log
    drift: float = 0.1  # of a block
    lacks: str = ""  # a setting

    def factor(self, effects: dict[str, float], arm: str) -> float:
        factor = 1.0
        for setting in arm.split(" + "):
            factor *= effects.get(setting, 1.0)
        return factor

    def block(self, plan: Plan, repeat: int, arms: list[str], rng: random.Random) -> list[Record]:
        drift = rng.gauss(0, self.drift)
        return [
            self.record(plan, repeat, arm, rate, drift + rng.gauss(0, self.noise))
            for arm, rate in product(arms, (0, 10_000))
        ]

    def record(self, plan: Plan, repeat: int, arm: str, rate: int, log: float) -> Record:
        fast, slow = self.factor(self.rate, arm), self.factor(self.delay, arm)
        values = {"received_pps": 400e3 * fast * exp(log)}
        if rate:
            values = {"delay_p50_ns": 20e3 * slow * exp(log), "cpu_busy": 0.02 * exp(log)}
        is_lacking = bool(self.lacks) and self.lacks in arm.split(" + ")
        return Record(
            trial=f"{plan.name}/{arm}/{rate}/{repeat}/outside",
            plan=plan.name,
            arm=arm,
            point={"rate_pps": rate},
            repeat=repeat,
            pass_="outside",  # noqa: S106
            sequence=0,
            status="skipped" if is_lacking else "ok",
            started="",
            definition=Definition(path="nat"),
            values={} if is_lacking else values,
        )


def search(gateway: Gateway, seed: int = 1, tune: Tune = TUNE, plan: Plan = PLAN) -> Advice:
    rng = random.Random(seed)
    arms = [arm.name for arm in plan.arm if arm.path == "nat"]
    records = gateway.block(plan, 1, arms, rng)
    blocks = 1
    while names := following(tune, plan, records, blocks):
        blocks += 1
        records += gateway.block(plan, blocks, [*names], rng)
    return advice(tune, plan, records)


def test_of_200_gateways_whose_settings_do_nothing_none_gets_advice() -> None:
    advised = [seed for seed in range(200) if search(Gateway(), seed).worth]
    assert advised == []


def test_a_setting_that_gains_is_found_beside_those_that_do_nothing() -> None:
    gateway = Gateway({"gro:list": 1.5, "defer:20": 0.9, "queue:pfifo": 0.8})
    found = [search(gateway, seed) for seed in range(20)]
    assert all(each.worth for each in found)
    assert {"gro:list" in each.best for each in found} == {True}
    inside = [each.gains["rate"].lo <= 0.5 <= each.gains["rate"].hi for each in found]
    assert sum(inside) >= 16, "intervals of 95 %"


def test_what_it_takes_is_at_most_5_percent_worse_than_the_best() -> None:
    gateway = Gateway({"gro:list": 1.3, "defer:100": 1.1, "queue:pfifo_fast": 1.05})
    best = gateway.factor(gateway.rate, "gro:list + defer:100 + queue:pfifo_fast")
    taken = [gateway.factor(gateway.rate, search(gateway, seed).best) for seed in range(20)]
    assert sum(factor >= 0.95 * best for factor in taken) >= 18
    assert min(taken) >= 0.9 * best


@pytest.mark.parametrize("combinations", [12, 16, 18, 24, 54, 72, 180, 1000])
def test_a_quarter_of_the_whole_grid_is_enough(combinations: int) -> None:
    sizes = schedule(combinations)
    most = combinations + sum(sizes) + len(sizes) + 2 * PAIRS
    assert most <= combinations * PAIRS / QUARTER


def test_a_gain_that_costs_delay_is_left_and_named() -> None:
    every = {setting: 3.0 for axis in LAB for setting in axis}
    gateway = Gateway({setting: 1.4 for axis in LAB for setting in axis}, every)
    found = search(gateway, 3)
    assert (found.worth, found.worse) == (False, ("delay",))


def test_less_delay_is_found_where_it_is_preferred() -> None:
    found = search(Gateway(delay={"defer:20": 0.5}), 4, replace(TUNE, prefer="delay"))
    assert found.worth
    assert "defer:20" in found.best


def test_what_the_gateway_lacks_is_counted_and_never_chosen() -> None:
    found = search(Gateway({"queue:pfifo": 2.0, "gro:list": 1.2}, lacks="queue:pfifo"), 5)
    assert (found.able, found.skipped) == (12, 6)
    assert "queue:pfifo" not in found.best.split(" + ")


def test_the_whole_grid_is_measured_twelve_times_where_it_is_asked_for() -> None:
    found = search(Gateway({"gro:list": 1.5}), 6, replace(TUNE, whole=True))
    assert found.trials == found.whole == len(GRID) * PAIRS
    assert "gro:list" in found.best


def test_nothing_is_told_where_nothing_could_be_measured() -> None:
    assert advice(TUNE, PLAN, []).best == ""
    assert following(TUNE, PLAN, [], 1) == ()


def test_each_station_has_axes_whose_settings_exist() -> None:
    for kind, cpus in product((*BY_KIND, "ssh"), (0, 1, 2)):
        made = searched(load("cost/tune")[1][0], Arm(path="nat"), axes_for(kind, cpus))
        assert len(made.arm) > 12, kind
    assert axes(["gro:list, gro:udp", "defer:5"]) == (("gro:list", "gro:udp"), ("defer:5",))
