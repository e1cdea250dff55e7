# SPDX-License-Identifier: Apache-2.0
"""Loss, captured share and CPU over log rate: panels, published markers, the table."""

import pytest

from gatemark.report.answer import watched
from gatemark.report.chart import capture
from gatemark.report.chart.figure import Figure
from gatemark.report.words.number import DASH
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.stats.math.interval import Interval
from gatemark.stats.point.capture import watched as judge
from gatemark.stats.subject import Subject
from gatemark.store.record import Definition
from gatemark.store.reference import published

CAPTURED = {1e6: 1.0, 20e6: 1.0, 500e6: 0.4}


def sure(value: float) -> Interval:
    return Interval(value, value * 0.9, value * 1.1, 6, 0.97)


def point(arm: str, bps: float) -> PointResult:
    running = arm != "no capture"
    values = {"loss_ratio": sure(0.0), "cpu_busy": sure(bps / 1e9)}
    values |= {"captured_share": sure(CAPTURED[bps]), "program_cpu": sure(0.01)} if running else {}
    features = ("capture:tcpdump:68",) if running else ()
    return PointResult(
        subject=Subject(
            plan="capture/feasibility",
            arm=arm,
            setup=arm,
            point={"rate_bps": bps},
            definition=Definition(path="nat", features=features, frame_bytes=1518),
        ),
        values=values,
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )


@pytest.fixture(scope="module")
def judgement() -> Judgement:
    points = tuple(point(arm, bps) for arm in ("no capture", "snaplen 68") for bps in CAPTURED)
    return Judgement(
        ceilings=(),
        points=points,
        knees=(),
        watched=judge(points),
        sentence="",
        warnings=(),
        trials=0,
        invalid=0,
        skipped=0,
        missing=0,
    )


@pytest.fixture(scope="module")
def figure(judgement: Judgement) -> Figure:
    (one,) = capture.figures(judgement, published())
    return one


def test_each_quantity_has_a_panel_over_a_log_axis(figure: Figure) -> None:
    assert [heading for heading, _ in figure.panels] == [one.heading for one in capture.PANELS]
    kinds = {
        layer["encoding"]["x"]["scale"]["type"]
        for spec in figure.specifications()
        for layer in spec["layer"]
    }
    assert kinds == {"log"}


def test_the_title_says_how_far_both_are_whole(figure: Figure) -> None:
    assert figure.title == "Nothing lost and nothing missed with snaplen 68: up to 20 Mbit/s"


def test_published_values_of_like_setups_are_hollow_markers(figure: Figure) -> None:
    (rows,) = figure.extra.values()
    shown = {(row["field"], row["device"]) for row in rows}
    assert ("captured_share", "DIR-615 (MIPS2)") in shown
    assert {row["differs"] for row in rows} & {"capture.1500 captured@max"} == set()


def test_the_table_has_a_line_for_each_arm(judgement: Judgement) -> None:
    rows = watched.table(judgement).rows
    assert [row[1] for row in rows] == ["no capture", "snaplen 68"]
    assert rows[1][2:6] == ("20 Mbit/s", DASH, "500 Mbit/s", "forwarding")
