# SPDX-License-Identifier: Apache-2.0
"""Figures draw what was judged: their rows equal the judgement's values."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import altair as alt
import builder
import drawn
import msgspec
import pytest
import studies

from gatemark.judge.judgement import Knee, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.tell import gallery, script
from gatemark.tell.chart import bar, bars, payload, swept, theme
from gatemark.tell.chart.figure import Figure
from gatemark.tell.chart.palette import palette
from gatemark.tell.chart.swept import Sweep
from gatemark.tell.group import sweep
from gatemark.tell.group.together import together


@pytest.fixture(scope="module")
def knees() -> Figure:
    """The figure of all knees."""
    return drawn.of(swept.KNEE, Sweep(builder.source(), builder.judgement().knees))


def test_knee_rows_are_the_points_of_the_sweep(knees: Figure) -> None:
    judged, figure = builder.judgement(), knees
    assert len(figure.rows) == len(builder.KNEES) * len(builder.RATES)
    by_place = {(r["arm"], r["direction"], r["offered_pps"]): r for r in figure.rows}
    for point in judged.points:
        if point.plan != "quick/sweep":
            continue
        row = by_place[point.arm, point.definition.direction, point.point["rate_pps"]]
        received = point.values["received_pps"]
        assert row["received_pps"] == received.value
        assert (row["received_pps_lo"], row["received_pps_hi"]) == (received.lo, received.hi)


def test_knee_figure_shows_each_trial_and_each_knee(knees: Figure) -> None:
    figure = knees
    repeats = figure.extra[f"{figure.name}-repeats"]
    assert len(repeats) == len(figure.rows) * builder.REPEATS
    marks = figure.extra[f"{figure.name}-marks"]
    assert {(m["arm"], m["direction"]): m["knee_pps"] for m in marks} == builder.KNEES
    assert (
        figure.title
        == "The slowed gateway keeps up until 30.10 k packets/s (route), 26.20 k packets/s (nat): "
        "↑ up, 64 B"
    )
    assert "slowed to about 30 k packets/s" in figure.definition
    assert "tester alone reaches 407 k packets/s" in figure.definition


def test_panels_are_the_directions(knees: Figure) -> None:
    assert [heading for heading, _ in knees.panels] == ["↑ up: LAN to WAN", "↓ down: WAN to LAN"]


def test_near_ceiling_is_drawn() -> None:
    judged = builder.judgement()
    slow = tuple(_at(point, 31_000.0) for point in judged.ceilings)
    near = msgspec.structs.replace(judged, ceilings=slow)
    figure = drawn.of(swept.KNEE, Sweep(builder.source(judged=near, records=[]), judged.knees))
    assert "tester's ceiling" in str(figure.specifications()[0])
    far = drawn.of(swept.KNEE, Sweep(builder.source(judged=judged, records=[]), judged.knees))
    assert "tester's ceiling" not in str(far.specifications()[0])


def _at(point: PointResult, rate: float) -> PointResult:
    values = point.values | {"received_pps": Interval(rate, rate, rate, 6, 0.969)}
    return msgspec.structs.replace(point, values=values)


def scales(spec: Any) -> Iterator[dict[str, Any]]:
    """Every scale of a specification, with a type that was asked for."""
    if isinstance(spec, dict):
        if "scale" in spec and "type" in (spec["scale"] or {}):
            yield spec["scale"]
        spec = list(spec.values())
    if isinstance(spec, list):
        yield from (scale for part in spec for scale in scales(part))


def test_a_log_axis_has_room_for_a_zero() -> None:
    made = [f for name in ("builder", "studies", "timed") for f in drawn.figures(name)]
    specs = [spec for figure in made for spec in figure.specifications()]
    logs = [scale for spec in specs for scale in scales(spec) if scale["type"] == "log"]
    assert logs
    # Without both ends and `clamp` Vega draws a zero, or every value, at the upper end.
    assert [scale for scale in logs if not (scale["clamp"] and scale["domain"][0] > 0)] == []
    assert theme.logarithmic(0, 1000)["domain"] == [0.001, 1000]


def test_every_panel_is_complete_and_of_each_kind_one_is_valid_vega_lite() -> None:
    valid: set[str] = set()
    for figure in (*drawn.figures("builder"), *drawn.figures("studies")):
        named = figure.datasets()
        for spec in figure.specifications():
            assert spec["width"] == "container"
            data = [layer["data"] for layer in spec["layer"] if "data" in layer]
            assert {part["name"] for part in data if "name" in part} <= set(named)
        kind = figure.name.partition("-")[0] + "-share" * figure.name.endswith("-share")
        few = {name: rows[:3] for name, rows in figure.extra.items()}
        short = replace(figure, rows=figure.rows[:3], extra=few)
        for place in range(len(figure.panels)) if kind not in valid else ():
            spec = short.specifications()[place] | {"datasets": short.datasets()}
            alt.LayerChart.from_dict(spec)  # checks it against the schema of Vega-Lite
        valid.add(kind)


def places(figures: list[Figure]) -> list[tuple[str, str]]:
    """The rows of ranked bars: the heading above each, and its name."""
    (figure,) = figures
    (panel,) = figure.specifications()
    order = panel["layer"][0]["encoding"]["y"]["scale"]["domain"]
    heading, found = "", []
    for key in order:
        heading = key[5:] if bars.is_heading(key) else heading
        found += [] if bars.is_heading(key) else [(heading, key[5:])]
    assert [row["key"] for row in figure.rows] == [k for k in order if not bars.is_heading(k)]
    return found


def test_the_ceilings_of_two_runs_stand_apart() -> None:
    two = together([builder.source(label="A"), builder.source(label="B")])
    found = places(drawn.every(bar.CEILING, bar.ceilings(two)))
    assert len(set(found)) == len(found) == 2 * len(builder.CEILING)
    assert {heading for heading, _ in found} == {"A: direct", "B: direct"}


def test_the_tcp_ceilings_of_two_runs_stand_apart() -> None:
    two = together([*(replace(studies.source(), label=label) for label in "AB")])
    headings = {
        heading for heading, _ in places(drawn.every(payload.CEILING, payload.ceilings(two)))
    }
    assert headings == {"A: direct", "B: direct"}


def test_the_ceilings_of_two_plans_stand_apart() -> None:
    judged = builder.judgement()
    others = tuple(point.about(plan="quick/cost") for point in judged.ceilings)
    judged = msgspec.structs.replace(judged, ceilings=(*judged.ceilings, *others))
    figures = drawn.every(bar.CEILING, bar.ceilings(builder.source(judged=judged)))
    assert {heading for heading, _ in places(figures)} == {"quick/ceiling", "quick/cost"}


def test_points_at_several_rates_without_a_knee_stand_apart() -> None:
    judged = msgspec.structs.replace(builder.judgement(), knees=())
    found = places(drawn.every(bar.SINGLE, bar.singles(builder.source(judged=judged))))
    assert len(set(found)) == len(found) == len(judged.points)


def test_single_points_that_share_all_words_are_told_by_their_plan() -> None:
    judged = builder.judgement()
    plain = [point for point in judged.points if point.plan == "quick/plain"]
    others = tuple(point.about(plan="quick/again") for point in plain)
    judged = msgspec.structs.replace(judged, points=(*judged.points, *others))
    found = places(drawn.every(bar.SINGLE, bar.singles(builder.source(judged=judged))))
    assert len(set(found)) == len(found) == 2 * len(plain)


def test_a_band_is_explained() -> None:
    for figure in drawn.figures("builder"):
        if "'type': 'area'" in str(figure.specifications()):
            assert re.search(r"\bbands?:", figure.definition), figure.name


def test_what_was_not_read_has_no_figure() -> None:
    judged = builder.judgement()
    bare = [_without(point, ("cpu_busy", "delay_p50_ns")) for point in judged.points]
    judged = msgspec.structs.replace(judged, points=tuple(bare), ceilings=())
    source = builder.source(judged=judged)
    assert swept.CPU(Sweep(source, judged.knees)) is None
    assert swept.DELAY(Sweep(source, judged.knees)) is None
    assert bar.ceilings(source) == []


def _without(point: PointResult, names: tuple[str, ...]) -> PointResult:
    values = {name: i for name, i in point.values.items() if name not in names}
    return msgspec.structs.replace(point, values=values)


def test_many_or_long_arms_get_a_legend() -> None:
    judged = builder.judgement()
    long = "nat + filter:100 + capture:68"
    knees = tuple(_renamed(k, long) for k in judged.knees)
    points = tuple(p.about(arm=_name(p.arm, long)) for p in judged.points)
    judged = msgspec.structs.replace(judged, knees=knees, points=points)
    figure = drawn.of(swept.KNEE, Sweep(builder.source(judged=judged, records=[]), judged.knees))
    spec = str(figure.specifications()[0])
    assert "'legend': {'symbolOpacity': 1}" in spec


def _name(arm: str, long: str) -> str:
    return long if arm == "nat" else arm


def _renamed(found: Knee, long: str) -> Knee:
    return found.about(arm=_name(found.arm, long))


def test_infinity_is_left_out() -> None:
    judged = builder.judgement()
    odd = msgspec.structs.replace(
        judged.knees[0], knee_pps=Interval(30_000.0, 29_000.0, math.inf, 6, 0.9)
    )
    judged = msgspec.structs.replace(judged, knees=(odd, *judged.knees[1:]))
    assert "Infinity" not in script.embedded(
        gallery.figures(builder.source(records=[], judged=judged)), palette(judged)
    )


def test_knees_of_unlike_traffic_get_figures_of_their_own() -> None:
    judged = builder.judgement()
    bigger = [
        k.about(definition=msgspec.structs.replace(k.definition, frame_bytes=1518))
        for k in judged.knees
    ]
    judged = msgspec.structs.replace(judged, knees=(*judged.knees, *bigger))
    assert len(sweep.groups(judged)) == 2


def test_of_very_many_trials_some_are_drawn_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(swept, "MOST_DOTS", 60)
    judged = builder.judgement()
    figure = drawn.of(swept.KNEE, Sweep(builder.source(judged=judged), judged.knees))
    assert len(figure.extra[f"{figure.name}-repeats"]) == 60
    assert "dots: one of 4 trials" in figure.definition


def test_no_two_figures_have_one_title() -> None:
    """Two plans fill the CPU by the same thread: a list of titles still tells them apart."""
    figures = drawn.figures("builder")
    (first, second) = (figure for figure in figures if figure.name.startswith("thread-"))
    assert first.title.endswith(" (plan quick/sweep)")
    assert second.title == first.title.replace(first.plan, second.plan)
    assert len({figure.title for figure in figures}) == len(figures)
