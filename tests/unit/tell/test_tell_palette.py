# SPDX-License-Identifier: Apache-2.0
"""One colour, one meaning: a setup has its colour in every figure and on every card of a page."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import builder
import counted
import drawn
import pytest
import stacked
import studies

from gatemark.tell import gallery
from gatemark.tell.card.cards import cards
from gatemark.tell.chart import ladder
from gatemark.tell.chart.palette import COLORS, GREY, Palette, palette
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together

CHANNELS = ("color", "fill", "stroke")
SOURCES: dict[str, Callable[[], Source]] = {
    "sweeps": builder.source,
    "studies": studies.source,
    "steps": lambda: builder.source(judged=stacked.judgement(), records=[]),
}


@pytest.fixture(scope="module", params=SOURCES)
def source(request: pytest.FixtureRequest) -> Source:
    return SOURCES[request.param]()


def encodings(spec: Any) -> Iterator[dict[str, Any]]:
    """Every colour of a specification that a field decides."""
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ()
    for name, part in spec.items() if isinstance(spec, dict) else ():
        if name in CHANNELS and isinstance(part, dict) and "field" in part:
            yield part
    for part in parts:
        yield from encodings(part)


@pytest.fixture(scope="module")
def painted(source: Source) -> list[tuple[str, list[dict[str, Any]]]]:
    """Of each figure: its plan, and what is coloured."""
    colors = palette(source.judgement)
    made = []
    for figure in gallery.figures(source):
        panels = figure.specifications()
        colors.paint(panels, figure.plan)
        made.append((figure.plan, [part for part in encodings(panels) if "scale" in part]))
    return made


def setup_of(source: Source, colors: Palette, plan: str, label: str) -> str:
    arm = colors.arm(plan, label)
    judged = (*source.judgement.points, *source.judgement.knees, *source.judgement.ceilings)
    return next(about.setup for about in judged if (about.plan, about.arm) == arm)


def test_a_setup_has_one_colour_on_a_page(
    source: Source, painted: list[tuple[str, list[dict[str, Any]]]]
) -> None:
    colors = palette(source.judgement)
    seen: dict[tuple[str, str], set[str]] = {}
    for plan, parts in painted:
        # Lines of a single arm by their streams are no arms, and have no colours of arms.
        for scale in (part["scale"] for part in parts if "range" in part["scale"]):
            for arm, color in zip(scale["domain"], scale["range"], strict=True):
                if colors.arm(plan, arm):
                    key = setup_of(source, colors, plan, arm), arm
                    seen.setdefault(key, set()).add(color)
    assert seen
    assert {len(looks) for looks in seen.values()} == {1}


def test_two_setups_of_few_have_two_colours(source: Source) -> None:
    colors = palette(source.judgement)
    looks = {
        (point.setup, colors.color(point.plan, point.arm))
        for point in source.judgement.points
        if point.arm == point.setup  # the first of its setup, not a twin or another tuning
    }
    assert len({color for _, color in looks}) == len({setup for setup, _ in looks}) == len(looks)


def test_what_is_no_setup_has_no_colour_of_one(
    painted: list[tuple[str, list[dict[str, Any]]]],
) -> None:
    others = [part for _, parts in painted for part in parts if part["field"] != "arm"]
    assert not [part for part in others if "--arm" in str(part.get("scale"))]


def test_a_card_has_the_colours_of_the_figures() -> None:
    source = builder.source()
    colors = palette(source.judgement)
    pictures = [card.picture for card in cards(source.judgement) if card.picture]
    drawn = {(bar.name, bar.color) for picture in pictures for bar in picture.bars}
    drawn |= {(line.name, line.color) for picture in pictures for line in picture.lines}
    assert drawn == {(arm, colors.color("quick/sweep", arm)) for arm in ("route", "nat")}


def test_the_tester_alone_is_grey() -> None:
    assert palette(builder.judgement()).color("quick/ceiling", "direct") == GREY


def test_the_runs_of_a_page_have_colours_of_their_own() -> None:
    two = together([builder.source(label="A"), builder.source(label="B")])
    colors = palette(two.judgement)
    names = ("A: route", "A: nat", "B: route", "B: nat")
    assert len({colors.color("quick/sweep", name) for name in names}) == len(names)


def test_lines_of_one_arm_share_its_colour_and_differ_in_dash() -> None:
    names = ["nat, 1 stream", "nat, 4 streams"]
    spec: dict[str, Any] = {
        channel: {"field": "arm", "scale": {"domain": names}} for channel in ("color", "strokeDash")
    }
    palette(builder.judgement()).paint(spec, "quick/sweep")
    first, second = spec["color"]["scale"]["range"]
    assert first == second
    first, second = spec["strokeDash"]["scale"]["range"]
    assert first != second


def test_no_two_lines_of_a_panel_look_alike() -> None:
    source = counted.modelled()
    figure = drawn.of(ladder.SIZES, ladder.walks(source.judgement)[0])
    panels = figure.specifications()
    palette(source.judgement).paint(panels, figure.plan)
    for panel in panels:
        marks = panel["layer"][-1]["encoding"]
        looks = zip(marks["color"]["scale"]["range"], marks["shape"]["scale"]["range"], strict=True)
        arms = marks["color"]["scale"]["domain"]
        assert len(set(looks)) == len(arms) > COLORS


def test_colours_of_setups_are_those_of_the_style() -> None:
    color = palette(builder.judgement()).color("quick/sweep", "nat")
    assert re.fullmatch(r"var\(--arm[1-6]\)", color)
