# SPDX-License-Identifier: Apache-2.0
"""The study's figures 6 to 10 drawn of this processor: which points they have, and their values."""

import builder
import pytest
from msgspec.structs import replace

from gatemark.report import gallery
from gatemark.report.chart import kernel
from gatemark.report.chart.figure import Figure
from gatemark.report.group.source import Source
from gatemark.stats.judgement import PointResult
from gatemark.stats.kernel import rate
from gatemark.stats.math.interval import Interval
from gatemark.stats.subject import Subject
from gatemark.store.record import Definition


def point(words: str, arm: str = "a", level: str = "O3", **values: float) -> PointResult:
    definition = Definition(path="endpoint", quantity=rate.KERNEL, kernel=words, level=level)
    return PointResult(
        subject=Subject(plan="algorithms/p", arm=arm, setup=arm, definition=definition),
        values={
            name.replace("__", "."): Interval(value, value / 2, value * 2, 3, 0.75)
            for name, value in values.items()
        },
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
        warnings=(),
    )


LOOKED_UP = "lpm mix=in-table structure={} table=generated:1009:1"
POINTS = [
    point(LOOKED_UP.format("tbm4"), ops_s=4e6),
    point(LOOKED_UP.format("sst15"), ops_s=1e6),
    point(LOOKED_UP.format("dir24"), ops_s=9e6),  # not one of the study's
    point(LOOKED_UP.format("tbm4"), level="O0", ops_s=2e5),
    point("filter structure=cbf workload=study", query__ops_s=7e6, remove__ops_s=5e6),
    point("match engine=hfa patterns=aut2 payload=http:200", ops_s=3e4),
]


def drawn(points: list[PointResult]) -> list[Figure]:
    return list(kernel.figures(replace(builder.judgement(), points=tuple(points))))


def test_bars_are_the_study_s_structures_at_its_level() -> None:
    labels = [[row["kernel"] for row in figure.rows] for figure in drawn(POINTS)]
    assert labels == [
        ["tbm4, 1009", "sst15, 1009"],
        ["counting Bloom, query", "counting Bloom, remove"],
        ["Hybrid-FA, aut2"],
    ]


def test_a_kernel_has_one_bar_by_the_first_plan_that_timed_it() -> None:
    words = LOOKED_UP.format("tbm4")
    again = [*POINTS, point(f"{words} mode=dependent", ops_s=5e6), point(words, ops_s=6e6)]
    assert drawn(again)[0].rows == drawn(POINTS)[0].rows


def test_a_bar_has_the_interval_of_its_trials() -> None:
    row = drawn(POINTS)[0].rows[0]
    assert [row["ops_s"], row["ops_s_lo"], row["ops_s_hi"]] == [4e6, 2e6, 8e6]


def test_the_title_says_which_is_fastest() -> None:
    assert drawn(POINTS)[0].title.endswith("most by tbm4, 1009, 4.00 M routes/s")


def test_arms_of_several_runs_stand_side_by_side() -> None:
    both = [point(LOOKED_UP.format("tbm4"), arm, ops_s=4e6) for arm in ("A: a", "B: a")]
    (figure,) = drawn(both)
    specification = str(figure.specifications()[0])
    assert "yOffset" in specification
    assert [row["arm"] for row in figure.rows] == ["A: a", "B: a"]


def test_a_page_without_kernels_has_none_of_it() -> None:
    assert drawn([]) == []


@pytest.mark.parametrize("panel", ["lpm", "filter", "match"])
def test_the_gallery_has_each(panel: str) -> None:
    judged = replace(builder.judgement(), points=tuple(POINTS))
    source = Source(run=builder.run(), records=builder.trials(), judgement=judged)
    assert kernel.NAME.format(panel) in {figure.name for figure in gallery.figures(source)}
