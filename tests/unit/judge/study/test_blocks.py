# SPDX-License-Identifier: Apache-2.0
"""Claims on the blocks of a send: of exact instructions, of samples, and of which sends."""

from collections.abc import Mapping
from functools import cache

import pytest
import traveled
from msgspec.structs import replace

from gatemark.judge.judgement import Part, Travel
from gatemark.judge.study.blocks import FIXED, GROWING, LARGEST, claims
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition

SMALL = {"socket API": 100, "UDP": 80, "IP and routing": 300, "buffer handling": 400, "driver": 90}
LARGE = SMALL | {"buffer handling": 500, "memory and copies": 300, "driver": 120}


@cache
def made() -> Travel:
    return traveled.judgement().travels[0]


def travel(
    payload: int,
    blocks: Mapping[str, int],
    *,
    in_order: bool = True,
    direction: str = "send",
    features: tuple[str, ...] = ("netfilter-absent",),
) -> Travel:
    definition = Definition(path="endpoint", direction=direction, features=features)
    subject = Subject(
        plan="p/q", arm="own", setup="", point={"payload_bytes": payload}, definition=definition
    )
    parts = {name: Part(amount, 1) for name, amount in blocks.items()}
    return replace(made(), subject=subject, subsystems=parts, in_order=in_order)


def told(*travels: Travel) -> dict[str, list[str]]:
    known: dict[str, list[str]] = {}
    for claim in claims(travels):
        known.setdefault(claim.claim, []).append(claim.holds)
    return known


def test_the_studys_claims_hold_where_they_are_planted() -> None:
    assert told(travel(400, SMALL), travel(1450, LARGE)) == {
        LARGEST: ["holds", "holds"],
        FIXED: ["holds"],
        GROWING: ["holds"],
    }


def test_the_worst_block_decides() -> None:
    grown = LARGE | {"IP and routing": 400, "driver": 60}
    assert told(travel(400, SMALL), travel(1450, grown)) == {
        LARGEST: ["holds", "holds"],
        FIXED: ["does not hold"],
        GROWING: ["does not hold"],
    }


def test_another_block_is_the_largest() -> None:
    assert told(travel(400, SMALL | {"driver": 900}))[LARGEST] == ["does not hold"]


@pytest.mark.parametrize(("in_order", "holds"), [(True, "does not hold"), (False, "holds")])
def test_of_samples_a_small_change_tells_nothing(*, in_order: bool, holds: str) -> None:
    grown = LARGE | {"IP and routing": 330}
    pair = travel(400, SMALL, in_order=in_order), travel(1450, grown, in_order=in_order)
    assert told(*pair)[FIXED] == [holds]


def test_of_sends_without_netfilter_alone() -> None:
    assert told(travel(400, SMALL, direction="receive"), travel(400, SMALL, features=())) == {}
