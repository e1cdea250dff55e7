# SPDX-License-Identifier: Apache-2.0
"""Real-time flows as a player or a caller has them: a row for each direction."""

from dataclasses import replace as swap

import builder
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.store.record import Definition
from gatemark.tell.answer.flow import table
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.words.table import NONE

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


def source(*points: PointResult) -> Source:
    return builder.source(judged=replace(builder.nothing(), points=points), records=[])


def test_added_is_against_the_flow_alone() -> None:
    made = table(source(point(IDLE), point(LOADED, beside=UPLOAD)))
    idle, loaded = (dict(zip(made.head, row, strict=True)) for row in made.rows)
    assert idle["added, ms"] == NONE
    assert float(loaded["added, ms"]) == 470
    assert loaded["beside"] == "upload: 8 TCP streams ↑ up"
    assert loaded["flow"] == "game, ↑ up"


def test_of_several_runs_each_has_its_own_idle_delay() -> None:
    slower = IDLE | {"delay_p99_ns": 400.9e6}
    runs = [source(point(idle), point(LOADED, beside=UPLOAD)) for idle in (IDLE, slower)]
    made = table(together([swap(run, label=label) for run, label in zip(runs, "AB", strict=True)]))
    added = [(row[0], row[5]) for row in made.rows if row[5] != NONE]
    assert [(setup, float(ms)) for setup, ms in added] == [("A: nat", 470), ("B: nat", 70)]


def test_each_deadline_has_its_share_and_its_longest_time() -> None:
    made = table(source(point(LOADED)))
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
    made = table(source(beside, point(IDLE)))
    first = dict(zip(made.head, made.rows[0], strict=True))
    assert (first["flow"], first["MOS (estimate)"]) == ("call, ↑ up", "4.41")
    assert made.rows[1][-1] == NONE  # a game has no opinion
    assert "estimated" in made.caption


def test_traffic_without_deadlines_makes_no_table() -> None:
    assert table(source(point({"loss_ratio": 0.0}))).rows == ()
