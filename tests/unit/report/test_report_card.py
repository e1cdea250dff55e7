# SPDX-License-Identifier: Apache-2.0
"""The first screen's cards and grades: what they tell, what they leave out."""

import builder
import pytest
from msgspec.structs import replace

from gatemark.report import card
from gatemark.report.answer import grade


@pytest.mark.parametrize(
    ("added_ms", "letter"),
    [
        (-1, "A+"),
        (4.9, "A+"),
        (5, "A"),
        (29.9, "A"),
        (30, "B"),
        (60, "C"),
        (200, "D"),
        (400, "F"),
    ],
)
def test_a_grade_changes_at_its_limit(added_ms: float, letter: str) -> None:
    assert grade.letter(added_ms * 1e6) == letter


def test_delay_under_load_is_what_load_adds() -> None:
    judged = builder.judgement()
    found = next(one for one in card.cards(judged) if one.title == "Delay under load")
    assert found.grade == "B"  # a queue of 33 ms
    assert "Grade: A+ < 5 ms, A < 30, B < 60" in found.definition
    assert found.evidence.startswith("delay-")


def test_an_added_delay_is_no_narrower_than_both_its_ends() -> None:
    found = grade.added(builder.judgement())
    assert found is not None
    light, heavy = (p.values[grade.MEDIAN] for p in (found.light, found.heavy))
    assert found.delay_ns.lo == heavy.lo - light.hi
    assert found.delay_ns.hi == heavy.hi - light.lo


def test_without_a_load_beyond_the_knee_there_is_no_grade() -> None:
    judged = builder.judgement()
    far = tuple(
        replace(k, knee_pps=replace(k.knee_pps, value=1e6), at_least=True) for k in judged.knees
    )
    assert grade.added(replace(judged, knees=far)) is None


def test_what_was_not_measured_has_no_card() -> None:
    assert card.cards(builder.nothing()) == []


def test_capacity_tells_every_direction_and_setup_of_its_sweep() -> None:
    found = card.cards(builder.judgement())[0]
    assert found.title == "Capacity: route"
    starts = ("route ↑ up: ", "route ↓ down: ", "nat ↑ up: ", "nat ↓ down: ")
    assert [line.startswith(start) for line, start in zip(found.lines, starts, strict=False)] == [
        True
    ] * len(starts)
    assert "of a gigabit line" in found.lines[0]
