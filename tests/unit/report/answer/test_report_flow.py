# SPDX-License-Identifier: Apache-2.0
"""Real-time flows as a player or a caller has them: a row for each direction."""

import builder
from msgspec.structs import replace

from gatemark.report.answer.flow import table
from gatemark.report.words.table import NONE
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.stats.math.interval import Interval
from gatemark.store.record import Definition

UPLOAD = ("upload: tcp streams=8",)
IDLE = {
    "delay_p50_ns": 0.7e6,
    "delay_p99_ns": 0.9e6,
    "loss_ratio": 0.0,
    "missed_50ms_ratio": 0.0,
    "missed_50ms_longest_ns": 0.0,
    "missed_100ms_ratio": 0.0,
    "missed_100ms_longest_ns": 0.0,
}
LOADED = IDLE | {
    "delay_p50_ns": 300e6,
    "delay_p99_ns": 470.9e6,
    "loss_ratio": 0.02,
    "missed_50ms_ratio": 0.98,
    "missed_50ms_longest_ns": 9000e6,
}


def point(
    values: dict[str, float], trace: str = "game", owner: str = "", **more: object
) -> PointResult:
    definition = Definition(path="nat", l4="replay", direction="both", trace=trace, **more)  # type: ignore[arg-type]
    named = {f"{owner}up.{name}": Interval(v, v, v, 1, 1.0) for name, v in values.items()}
    about = builder.judgement().points[0].about(definition=definition, setup="nat")
    return replace(about, values=named)


def judged(*points: PointResult) -> Judgement:
    return replace(builder.nothing(), points=points)


def test_added_is_against_the_flow_alone() -> None:
    made = table(judged(point(IDLE), point(LOADED, beside=UPLOAD)))
    idle, loaded = (dict(zip(made.head, row, strict=True)) for row in made.rows)
    assert idle["added, ms"] == NONE
    assert float(loaded["added, ms"]) == 470
    assert loaded["beside"] == "upload: 8 TCP streams ↑ up"
    assert loaded["flow"] == "game, ↑ up"


def test_each_deadline_has_its_share_and_its_longest_time() -> None:
    made = table(judged(point(LOADED)))
    row = dict(zip(made.head, made.rows[0], strict=True))
    assert row["missed, %"] == "98.0 > 50 ms; 0 > 100 ms"
    assert row["longest, ms"] == "9000; 0"


def test_a_call_has_an_opinion_that_is_called_an_estimate() -> None:
    call = {
        "loss_ratio": 0.0,
        "mos": 4.41,
        "missed_150ms_ratio": 0.0,
        "missed_150ms_longest_ns": 0.0,
    }
    beside = point(call, trace="game", owner="call.", beside=("call: replay trace=voip",))
    made = table(judged(beside, point(IDLE)))
    first = dict(zip(made.head, made.rows[0], strict=True))
    assert (first["flow"], first["MOS (estimate)"]) == ("call, ↑ up", "4.41")
    assert made.rows[1][-1] == NONE  # a game has no opinion
    assert "estimated" in made.caption


def test_traffic_without_deadlines_makes_no_table() -> None:
    assert table(judged(point({"loss_ratio": 0.0}))).rows == ()
