# SPDX-License-Identifier: Apache-2.0
"""What a station lacks is told in a sentence each, and its placement says what is so."""

from dataclasses import fields, replace

import pytest

from gatemark.station.ability import MISSING, Ability
from gatemark.station.cpu import Placement
from gatemark.station.demand import Demand

PLACE = Placement(gateway=1, sender=0, sink=0)
NONE = Ability(own_cpu=False, slowdown=False, awake=False, priority=False, steering=False)


def test_each_lack_is_one_sentence() -> None:
    names = [field.name for field in fields(Ability)]
    told = {name: replace(Ability(), **{name: False}).missing for name in names}
    assert told == {name: (text,) for name, text in MISSING.items()}
    assert Ability().missing == ()


def test_the_placement_has_what_root_has() -> None:
    assert PLACE.words(Ability()) == {
        "gateway": "cpu 1, napi threads, fifo 50",
        "sender": "cpu 0, nice -20",
        "sink": "cpu 0, nice -20",
    }


def test_the_placement_claims_nothing_that_is_not_there() -> None:
    assert PLACE.words(Ability(own_cpu=False, priority=False)) == {
        "gateway": "any cpu, napi threads",
        "sender": "cpu 0",
        "sink": "cpu 0",
    }


@pytest.mark.parametrize(
    ("able", "demand", "gateway"),
    [
        (Ability(), Demand(shared=True), "cpu 1, napi threads, nice -20"),
        (Ability(), Demand(relieved=True), "cpu 1, receiving for the sink"),
        (NONE, Demand(shared=True), "any cpu, napi threads; its program on cpu 1"),
        (NONE, Demand(relieved=True), "any cpu, receiving for the sink"),
    ],
)
def test_what_a_trial_asks_for_is_in_its_placement(
    able: Ability, demand: Demand, gateway: str
) -> None:
    assert PLACE.words(able, demand)["gateway"] == gateway


def test_steering_is_told_where_it_was_done() -> None:
    assert "steering" in PLACE.words(Ability(), Demand(steered=True))
    assert "steering" not in PLACE.words(Ability())
    assert "steering" not in PLACE.words(NONE, Demand(steered=True))
