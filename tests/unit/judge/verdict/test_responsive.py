# SPDX-License-Identifier: Apache-2.0
"""Round trips a minute beside the verdict: the worse direction of each setup, in words."""

import builder
from besides import exactly
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.judge.subject import Subject
from gatemark.judge.verdict.responsive import responsive
from gatemark.store.record import Definition
from gatemark.tell.answer import verdict as answer
from gatemark.tell.words.verdict import responsiveness


def point(arm: str, way: str, rpm: float, *features: str, path: str = "nat") -> PointResult:
    definition = Definition(
        quantity="responsiveness", path=path, features=features, direction=way, l4="http"
    )
    subject = Subject(
        plan="delay/responsiveness", arm=arm, setup=definition.setup, point={"direction": way},
        definition=definition,
    )  # fmt: skip
    scores = {"rpm": rpm, "rpm_foreign": rpm + 100, "rpm_loaded": rpm - 100}
    values = {name: exactly(value) for name, value in scores.items()}
    return PointResult(
        subject=subject, values=values, limit="line", why="", at_least=False, invalid=0
    )


def points() -> tuple[PointResult, ...]:
    return (
        point("none", "up", 250),
        point("none", "down", 900),
        point("CAKE", "up", 4200, "shape:cake:95%"),
        point("CAKE", "down", 5000, "shape:cake:95%"),
    )


def test_a_setup_is_as_responsive_as_its_worse_direction() -> None:
    made = responsive(points())
    assert [(each.point.arm, each.rpm, each.grade) for each in made] == [
        ("none", 250, "poor"),
        ("CAKE", 4200, "good"),
    ]


def test_the_fewest_and_the_most_are_said_with_class_and_scores() -> None:
    assert responsiveness(responsive(points())) == [
        "Responsiveness without a shaper, up: 250 round trips/min, poor (foreign 350, loaded 150).",
        "Responsiveness with cake, up: 4200 round trips/min, good (foreign 4300, loaded 4100).",
    ]


def test_it_is_said_where_there_is_no_flow_to_grade() -> None:
    source = builder.source(builder.run(), judged=replace(builder.nothing(), points=points()[:2]))
    (line,) = answer.lines(source)
    assert line.startswith("Responsiveness without a shaper, up: 250 round trips/min, poor")
