# SPDX-License-Identifier: Apache-2.0
"""The first screen's cards and grades: what they tell, what they leave out."""

from collections.abc import Sequence

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.judge.math.interval import Interval
from gatemark.tell.answer import rates
from gatemark.tell.card import cards, delay
from gatemark.tell.card.card import Card


def at_full_speed() -> Judgement:
    """The same of a gateway that was not slowed."""
    judged = builder.judgement()
    knees = tuple(k.about(definition=replace(k.definition, slow_to_pps=0)) for k in judged.knees)
    points = tuple(p.about(definition=replace(p.definition, slow_to_pps=0)) for p in judged.points)
    return replace(judged, knees=knees, points=points)


def card_of(made: Sequence[Card], title: str) -> Card:
    return next(card for card in made if card.title == title)


def test_delay_under_load_is_what_load_adds() -> None:
    found = card_of(cards.cards(at_full_speed()), "Delay under load")
    assert found.grade == "B"  # a queue of 33 ms
    assert "Grade: A+ < 5 ms, A < 30, B < 60" in found.definition
    assert found.evidence.startswith("delay-")


def test_a_knee_at_zero_that_is_a_bound_has_a_card_and_a_row() -> None:
    judged = builder.judgement()
    zero = Interval(0.0, 0.0, 0.0, 6, 0.97)
    knees = [replace(knee, knee_pps=zero, knee_l1_bps=0.0, at_least=True) for knee in judged.knees]
    limited = replace(judged, knees=tuple(knees))
    assert "≥ 0" in card_of(cards.cards(limited), "Capacity, slowed: route").value
    assert "≥ 0" in rates.knees(limited).rows[0][3]


@pytest.mark.parametrize("kind", ["slowed", "virtual"])
def test_what_is_no_device_gets_no_grade_and_no_share_of_a_line(kind: str) -> None:
    is_virtual = kind == "virtual"
    judged = at_full_speed() if is_virtual else builder.judgement()
    made = cards.cards(judged, virtual=is_virtual)
    assert card_of(made, "Delay under load").grade == ""
    texts = [text for card in made for text in (card.line, *card.lines, card.definition)]
    assert not [text for text in texts if "gigabit" in text or "Grade" in text]


def test_a_card_has_one_line_and_a_picture() -> None:
    for card in cards.cards(builder.judgement()):
        assert card.line
        assert len(card.line) <= 70
        assert card.picture is not None


def test_an_added_delay_is_no_narrower_than_both_its_ends() -> None:
    found = delay.added(builder.judgement())
    assert found is not None
    light, heavy = (p.values[delay.MEDIAN] for p in (found.light, found.heavy))
    assert found.delay_ns.lo == heavy.lo - light.hi
    assert found.delay_ns.hi == heavy.hi - light.lo


def test_without_a_load_beyond_the_knee_there_is_no_grade() -> None:
    judged = builder.judgement()
    far = tuple(
        replace(k, knee_pps=replace(k.knee_pps, value=1e6), at_least=True) for k in judged.knees
    )
    assert delay.added(replace(judged, knees=far)) is None


def test_what_was_not_measured_has_no_card() -> None:
    assert cards.cards(builder.nothing()) == []


def test_capacity_tells_every_direction_and_setup_of_its_sweep() -> None:
    found = cards.cards(at_full_speed())[0]
    assert found.title == "Capacity: route"
    starts = ("route ↑ up: ", "route ↓ down: ", "nat ↑ up: ", "nat ↓ down: ")
    assert [line.startswith(start) for line, start in zip(found.lines, starts, strict=False)] == [
        True
    ] * len(starts)
    assert "of a gigabit line" in found.lines[0]
