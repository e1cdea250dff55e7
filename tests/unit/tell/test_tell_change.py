# SPDX-License-Identifier: Apache-2.0
"""Changes against the first arm: rows, headings over the whole width, doubts in hollow."""

import drawn
import studies
from msgspec.structs import replace

from gatemark.judge.judgement import Comparison
from gatemark.judge.math.interval import Interval
from gatemark.tell.chart import change
from gatemark.tell.group import cost
from gatemark.tell.words import number


def test_a_factor_that_only_one_protocol_has_tells_nothing() -> None:
    first = next(c for c in studies.judgement().comparisons if c.plan == "studies/paths")
    udp = first.about(
        point={"kind": "udp", "direction": "up", "flows": 16},
        definition=replace(first.definition, l4="udp"),
    )
    tcp = first.about(point={"kind": "tcp", "direction": "up"})
    assert [cost.place(one, [tcp, udp])[1] for one in (tcp, udp)] == ["TCP", "UDP"]


def test_a_cost_has_no_sign_at_either_end() -> None:
    first = next(c for c in studies.judgement().comparisons if c.arm == "nat")
    change_ = replace(first.change, change=Interval(-0.149, -0.160, -0.145, 6, 0.97))
    text = cost.finding([replace(first, change=change_)])
    assert text == f"NAT costs 14.9 (14.5{number.DASH}16.0) % against routing"


def test_points_that_the_tester_limited_are_left_out_of_a_cost() -> None:
    mine = [c for c in studies.judgement().comparisons if c.arm == "nat" and "paths" in c.plan]
    limited = replace(mine[0], at_least=True)
    text = cost.finding([limited, *mine[1:]])
    assert text.endswith(" against routing (at 1 more point the tester was the bottleneck)")


def test_up_stands_over_down() -> None:
    mine = [c for c in studies.judgement().comparisons if c.arm == "nat" and "paths" in c.plan]
    made = drawn.of(change.CHANGE, mine[::-1])
    assert [row["point"] for row in made.rows] == ["↑ up", "↓ down"]


def test_a_narrow_panel_tells_doubts_by_hollow_dots() -> None:
    mine = [c for c in studies.judgement().comparisons if "paths" in c.plan]
    made = drawn.of(change.CHANGE, mine)
    assert {row["doubt"] for row in made.rows if row["arm"] == "switch"} == {"tester-limited"}
    assert {row["doubt"] for row in made.rows if row["arm"] == "nat"} == {""}
    assert "(hollow: tester-limited)" in made.definition


def test_a_heading_is_drawn_whole_and_not_as_a_name() -> None:
    mine = [c for c in studies.judgement().comparisons if "paths" in c.plan]
    spec = drawn.of(change.CHANGE, mine).specifications()[0]
    texts = [layer for layer in spec["layer"] if layer["encoding"].get("text", {}).get("field")]
    assert {layer["encoding"]["text"]["field"] for layer in texts} == {"printed", "heading"}
    assert "? '' :" in spec["layer"][0]["encoding"]["y"]["axis"]["labelExpr"]


def few_repeats() -> list[Comparison]:
    """Two repeats of each: all ratios lie between -40 % and -38 %, and that holds for 67 %."""
    first = next(c for c in studies.judgement().comparisons if c.arm == "nat")
    rare = replace(
        first.change, change=Interval(-0.392, -0.403, -0.381, 2, 0.67), verdict="inconclusive"
    )
    return [replace(first, change=rare, at_least=False)]


def test_too_few_repeats_are_not_called_inconclusive() -> None:
    made = drawn.of(change.CHANGE, few_repeats())
    assert made.title.endswith("%, too few repeats")
    assert [row["doubt"] for row in made.rows] == ["too few repeats"]
    assert "95 % interval" not in made.definition
    assert "the range of all ratios, a 67 % interval (too few repeats for 95 %)" in made.definition


def test_whiskers_of_both_kinds_are_told_apart() -> None:
    enough = next(c for c in studies.judgement().comparisons if c.arm == "nat")
    made = drawn.of(change.CHANGE, [*few_repeats(), enough.about(point={"flows": 2})])
    assert "its 95 % interval (with too few repeats: the range of all ratios" in made.definition


def test_one_repeat_has_no_whisker() -> None:
    (first,) = few_repeats()
    alone = replace(first.change, change=Interval(-0.392, -0.392, -0.392, 1, 0.0))
    made = drawn.of(change.CHANGE, [replace(first, change=alone)])
    assert "whisker: none, as one repeat has no interval" in made.definition
