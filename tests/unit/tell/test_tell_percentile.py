# SPDX-License-Identifier: Apache-2.0
"""Delay by percentile: which loads are drawn, and what their lines hold."""

import builder
import drawn
import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, Knee
from gatemark.judge.math.interval import Interval
from gatemark.tell.chart import swept
from gatemark.tell.chart.swept import Sweep
from gatemark.tell.group import latency, sweep


@pytest.fixture
def judged() -> Judgement:
    return builder.judgement()


def offered(judged: Judgement, knee: Knee) -> dict[str, float]:
    return {one.load: sweep.offered_pps(one.point) for one in latency.loads(judged, [knee])}


def test_the_loads_are_the_lowest_near_the_knee_and_the_highest(judged: Judgement) -> None:
    assert offered(judged, judged.knees[0]) == {"low": 5_000, "near": 25_000, "over": 60_000}


@pytest.mark.parametrize(
    ("knee_pps", "loads"),
    [
        (90_000.0, {"low": 5_000}),  # no rate comes near
        (55_000.0, {"low": 5_000, "near": 50_000}),  # none goes far beyond
        (5_200.0, {"near": 5_000, "over": 60_000}),
    ],
)
def test_a_load_that_was_not_measured_has_no_line(
    judged: Judgement, knee_pps: float, loads: dict[str, float]
) -> None:
    knee = replace(judged.knees[0], knee_pps=Interval(knee_pps, knee_pps, knee_pps, 6, 0.97))
    assert offered(judged, knee) == loads


def test_rows_are_the_percentiles_of_these_points(judged: Judgement) -> None:
    figure = drawn.of(swept.PERCENTILE, Sweep(builder.source(judged=judged), judged.knees))
    for row in figure.rows:
        point = next(
            one.point
            for knee in judged.knees
            if (knee.arm, knee.direction) == (row["arm"], row["direction"])
            for one in latency.loads(judged, [knee])
            if one.load == row["load"]
        )
        quantity = {"50 %": "p50", "99 %": "p99", "99.9 %": "p999"}[str(row["percentile"])]
        delay = point.values[f"delay_{quantity}_ns"]
        assert (row["delay_ns"], row["delay_ns_lo"], row["delay_ns_hi"]) == (
            delay.value,
            delay.lo,
            delay.hi,
        )


def test_the_title_says_the_slowest_of_a_thousand(judged: Judgement) -> None:
    figure = drawn.of(swept.PERCENTILE, Sweep(builder.source(judged=judged), judged.knees))
    assert figure.title == (
        "One packet in a thousand takes at least 175 µs at a low rate, 448 µs near the knee, "
        "132 ms in overload: route, ↑ up, 64 B"
    )
    assert "Low rate: 5 k packets/s; near the knee: 25 k packets/s" in figure.definition


def test_without_delays_there_is_no_figure(judged: Judgement) -> None:
    bare = [
        replace(p, values={n: i for n, i in p.values.items() if not n.startswith("delay")})
        for p in judged.points
    ]
    source = builder.source(judged=replace(judged, points=tuple(bare)))
    assert swept.PERCENTILE(Sweep(source, judged.knees)) is None
