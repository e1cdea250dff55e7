# SPDX-License-Identifier: Apache-2.0
"""Which delay has the letter: of which directions, of which flow, less what."""

import pytest
from besides import MS, At, exactly, judged, seen, verdict
from msgspec.structs import replace

from gatemark.judge.values import values
from gatemark.judge.verdict.verdict import verdicts


def test_the_direction_under_load_has_the_letter_where_no_other_is_known() -> None:
    made = verdict(seen(100))
    assert (made.letter, made.ways, made.worse) == ("C", ("up",), "up")
    assert made.added_ns.value == 100 * MS


def test_the_round_trip_is_of_both_directions_where_both_are_known() -> None:
    point, (up,) = seen(25)
    down = replace(up, way="down", values=up.values | {"queue_added_mean_ns": exactly(40 * MS)})
    made = verdict((point, (up, down)))
    assert (made.letter, made.ways, made.worse) == ("C", ("up", "down"), "down")
    assert made.added_ns.value == 65 * MS


def test_a_direction_without_a_load_is_less_the_same_flow_without_one() -> None:
    idle = seen(at=At(beside=(), arm="idle", values={"down.delay_mean_ns": 0.4 * MS}))[0]
    made = verdict(seen(10, At(values={"down.delay_mean_ns": 3 * MS})), (idle, ()))
    assert made.ways == ("up", "down")
    assert made.added_ns.value == pytest.approx(12.6 * MS)


def test_without_a_load_there_is_no_verdict() -> None:
    idle = seen(at=At(beside=("uploads: tcp streams=0",)))[0]
    assert verdicts(judged((idle, ()))) == ()


def test_the_flow_that_waits_longest_has_the_letter_and_each_tells_its_use() -> None:
    call = seen(30, At(trace="voip", point={"trace": "voip"}), missed_150ms_ratio=0.0, mos=4.3)
    game = seen(70, At(trace="game", point={"trace": "game"}), missed_50ms_ratio=1.0)
    made = verdict(call, game)
    assert (made.letter, made.flow) == ("C", "game")
    assert {use.name: use.works for use in made.uses if use.name != "web"} == {
        "call": True,
        "game": False,
    }


def test_each_is_a_row_of_json_and_the_letter_is_one_of_its_columns() -> None:
    points = seen(100), seen(4, At(arm="cake", features=("shape:cake:14:wan",)))
    rows = {(v.arm, v.quantity): v for v in values(judged(*points)) if "verdict" in v.quantity}
    assert rows["none", "verdict_added_ns"].grade == "C"
    assert rows["none", "verdict_worse_ns"].value == 200 * MS
    assert rows["cake", "verdict_game_works"].value == 1
    shaper = rows["cake", "verdict_shaper_up_bps"]
    assert (shaper.lo / shaper.hi) == pytest.approx(0.85 / 0.95)
    assert not rows["cake", "verdict_game_works"].grade
