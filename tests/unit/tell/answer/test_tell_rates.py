# SPDX-License-Identifier: Apache-2.0
"""Tables: one style for terminal and page, points below each other."""

import builder
from msgspec.structs import replace

from gatemark.tell.answer import rates
from gatemark.tell.words.table import Table


def test_points_stand_below_each_other() -> None:
    made = Table("t", ("name", "rate"), (("a", "9.1 ± 0.3"), ("b", "≥ 101.2")), frozenset({1}))
    head, first, second = made.lines()
    assert first.index(".") == second.index(".")
    assert head == "name           rate"
    assert second == "b     ≥ 101.2"


def test_units_are_in_the_head_and_not_in_the_cells() -> None:
    made = rates.knees(builder.judgement())
    assert "knee, k packets/s" in made.head
    assert made.rows[0][:5] == ("route", "↑ up", "30.0", "30.10 (29.92\N{EN DASH}30.25)", "20.2")


def test_no_two_knees_of_other_levels_have_one_name() -> None:
    judged = builder.judgement()
    knee = judged.knees[0]
    knees = tuple(replace(knee, subject=knee.subject.at({"clients": n})) for n in (1, 16))
    made = rates.knees(replace(judged, knees=knees))
    assert [row[:3] for row in made.rows] == [
        ("route", "↑ up", "clients 1"),
        ("route", "↑ up", "clients 16"),
    ]


def test_no_two_single_points_of_other_levels_have_one_name() -> None:
    judged = builder.judgement()
    point = judged.ceilings[0]
    points = tuple(replace(point, subject=point.subject.at({"dscp": mark})) for mark in (0, 46))
    made = rates.ceilings(replace(judged, ceilings=points))
    assert [row[1].endswith(f"dscp {mark}") for row, mark in zip(made.rows, (0, 46), strict=True)]
    assert len(set(made.rows)) == 2


def test_a_shape_as_a_bottleneck_is_told_in_words() -> None:
    judged = builder.judgement()
    knees = tuple(replace(judged.knees[0], limit=limit) for limit in ("triggered", "tester"))
    column = rates.knees(replace(judged, knees=knees)).columns()[-1]
    assert [*column] == ["bottleneck", "loss that a rate triggers", "tester"]


def test_every_point_is_listed_with_its_limit_and_invalid_trials() -> None:
    judged = builder.judgement()
    made = rates.points(judged)
    assert len(made.rows) == len(judged.ceilings) + len(judged.points)
    assert any("1 invalid trial" in row[-1] for row in made.rows)


def test_nothing_measured_makes_empty_tables() -> None:
    judged = builder.nothing()
    for make in (rates.knees, rates.ceilings, rates.singles, rates.points):
        assert make(judged).rows == ()
