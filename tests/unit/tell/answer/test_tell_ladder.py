# SPDX-License-Identifier: Apache-2.0
"""A ladder and a front in print: table, waterfall, card; the same numbers everywhere."""

from collections.abc import Sequence
from dataclasses import replace as changed

import drawn
import pytest
import stacked
from msgspec.structs import replace

from gatemark.judge.change.ladder import quantity_of
from gatemark.judge.judgement import Judgement
from gatemark.judge.math.interval import Interval
from gatemark.tell import terminal
from gatemark.tell.answer import ladder, pareto
from gatemark.tell.card import cards, cost
from gatemark.tell.chart import ladder as chart
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.export.form import export
from gatemark.tell.group import together

STEPS = [arm.name for arm in stacked.ARMS[1:]]


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return stacked.judgement()


def numbers(rows: Sequence[Row], name: str) -> list[float]:
    return [float(row[name] or 0) for row in rows]


def test_the_table_has_the_base_and_a_row_for_each_step(judged: Judgement) -> None:
    (made,) = ladder.tables(judged)
    assert [row[0] for row in made.rows] == ["route", *STEPS]
    assert [row[1] for row in made.rows][2:4] == ["route", "conntrack"]


def test_a_step_is_told_with_its_sign_and_verdict(judged: Judgement) -> None:
    (made,) = ladder.tables(judged)
    rows = {row[0]: row for row in made.rows}
    assert rows["conntrack"][2].startswith("+3")
    assert rows["conntrack"][5] == "costs"
    assert rows["route again"][5] == "A/A, holds zero"


def waterfalls(judged: Judgement) -> list[Figure]:
    return drawn.every(chart.WATERFALL, chart.ladders(judged))


def test_each_bar_begins_where_the_arm_below_it_ends(judged: Judgement) -> None:
    (figure,) = waterfalls(judged)
    rows = {str(row["arm"]): row for row in figure.rows}
    for name, below in (("conntrack", "route"), ("1000 rules", "masquerade")):
        assert rows[name]["start"] == rows[below]["end"]
    assert figure.rows[0]["start"] == 0


def test_ladders_at_several_rates_have_titles_of_their_own(judged: Judgement) -> None:
    (made,) = judged.ladders
    at = [made.about(point={"rate_pps": rate}) for rate in (2_000, 8_000)]
    figures = waterfalls(replace(judged, ladders=tuple(at)))
    ends = [figure.title.rpartition(", ")[2] for figure in figures]
    assert ends == ["offered 2 k packets/s", "offered 8 k packets/s"]


def test_a_bar_is_as_long_as_its_step(judged: Judgement) -> None:
    (figure,) = waterfalls(judged)
    steps = figure.rows[1:]
    spans = zip(numbers(steps, "start"), numbers(steps, "end"), strict=True)
    assert [end - start for start, end in spans] == pytest.approx(numbers(steps, "step"))


def test_what_is_not_told_is_drawn_apart(judged: Judgement) -> None:
    (figure,) = waterfalls(judged)
    kinds = {row["arm"]: row["kind"] for row in figure.rows}
    assert kinds["route"] == "base"
    assert kinds["conntrack"] == "costs"
    assert kinds["route again"] == kinds["10 rules"] == "not told"


def test_a_step_from_an_arm_without_its_own_time_begins_at_the_base(judged: Judgement) -> None:
    (one,) = judged.ladders
    bare = tuple(
        replace(step, costs={}) if step.arm == "masquerade" else step for step in one.steps
    )
    rates = replace(one, steps=bare)
    assert waterfalls(replace(judged, ladders=(rates,)))[0].rows


def test_the_card_tells_the_first_step_and_lists_the_others(judged: Judgement) -> None:
    found = next(c for c in cards.cards(judged, [stacked.plan()]) if c.title == "Cost of features")
    assert found.value.startswith("+3")
    assert found.unit == "ns a packet"
    assert found.line == "conntrack, against route: costs"
    assert [line.split(":")[0] for line in found.lines] == STEPS[2:]
    assert found.evidence == waterfalls(judged)[0].name


def test_a_doubtful_step_says_so_on_the_card(judged: Judgement) -> None:
    found = next(c for c in cards.cards(judged, [stacked.plan()]) if c.title == "Cost of features")
    doubtful = next(line for line in found.lines if line.startswith("10 rules"))
    assert doubtful.endswith(("no change", "inconclusive", "within noise"))


def by_rate(judged: Judgement, *limited: str) -> Judgement:
    """The ladder in packets/s: each step but the twin costs, and the tester limited these."""
    (stack,) = judged.ladders
    own = replace(stack, values={n: v for n, v in stack.values.items() if n != "packet_ns"})
    name = quantity_of(own)
    steps = tuple(
        replace(
            step,
            costs=step.costs | {name: replace(step.costs[name], verdict="slower")},
            at_least=step.arm in limited,
        )
        for step in stack.steps
    )
    return replace(judged, ladders=(replace(own, steps=steps),))


def test_no_title_and_no_card_tells_a_step_that_the_tester_limited(judged: Judgement) -> None:
    (told,) = by_rate(judged).ladders
    dearest = ladder.finding(told).partition(" costs ")[0]
    (other,) = (limited := by_rate(judged, dearest)).ladders
    assert not ladder.finding(other).startswith(f"{dearest} costs")
    card = next(c for c in cards.cards(limited) if c.title == "Cost of features")
    assert dearest not in card.line
    assert not any(line.startswith(f"{dearest}:") for line in card.lines)


def test_where_the_tester_limited_every_step_the_title_says_so(judged: Judgement) -> None:
    limited = by_rate(judged, *STEPS)
    (stack,) = limited.ladders
    assert ladder.finding(stack) == "The tester was the bottleneck of every step"
    assert not any(card.title == "Cost of features" for card in cards.cards(limited))


def test_a_packets_time_is_told_with_any_tester(judged: Judgement) -> None:
    (stack,) = judged.ladders
    limited = replace(stack, steps=tuple(replace(s, at_least=True) for s in stack.steps))
    assert ladder.finding(limited) == ladder.finding(stack)


def test_many_steps_are_cut_on_the_card(judged: Judgement) -> None:
    (one,) = judged.ladders
    more = tuple(one.steps[-1].about(arm=f"step {place}") for place in range(20))
    many = replace(judged, ladders=(replace(one, steps=more),))
    found = next(c for c in cards.cards(many) if c.title == "Cost of features")
    assert len(found.lines) == cost.MOST_STEPS
    assert found.lines[-1] == "and 10 more"


def test_the_front_is_a_table_that_says_what_beats_the_rest(judged: Judgement) -> None:
    (made,) = pareto.tables(judged)
    assert {row[0]: row[-1] for row in made.rows} == {
        "batched": "front",
        "plain": "front",
        "slow": "beaten by plain and 1 more",
    }


def test_the_front_is_drawn_filled(judged: Judgement) -> None:
    figure = drawn.of(chart.PARETO, judged.fronts[0])
    assert {row["arm"]: row["kind"] for row in figure.rows}["slow"] == "beaten"
    assert figure.title == "2 of 3 ways to tune are beaten by no other"


def test_without_delays_there_is_no_scatter(judged: Judgement) -> None:
    (one,) = judged.fronts
    rate = Interval(1, 1, 1, 6, 0.96)
    options = tuple(replace(option, values={one.rate: rate}) for option in one.options)
    assert chart.PARETO(replace(one, options=options)) is None


def test_the_points_of_a_ladder_are_drawn_once() -> None:
    names = [figure.name for figure in drawn.figures("stacked")]
    assert names.count("ladder-cost-ladder") == 1
    assert not [name for name in names if name.startswith(("change", "single", "bars", "size"))]


def test_the_page_leads_with_it() -> None:
    text = drawn.page("stacked")
    assert "Cost of features" in text
    assert 'id="ladder-cost-ladder"' in text


def test_the_terminal_prints_the_steps() -> None:
    made = stacked.source()
    text = terminal.answer(made, None, whole=True)
    assert "cost/ladder: what each step adds" in text


def test_of_two_runs_each_has_its_own_waterfall() -> None:
    made = stacked.source()
    two = together.together([changed(made, label="A"), changed(made, label="B")])
    found = waterfalls(two.judgement)
    assert [figure.name for figure in found] == ["ladder-cost-ladder-a", "ladder-cost-ladder-b"]
    assert {row["against"] for row in found[0].rows} == {
        "",
        *(f"A: {arm}" for arm in ("route", "conntrack", "masquerade")),
    }


def test_the_axis_of_steps_says_where_it_is_logarithmic(judged: Judgement) -> None:
    (figure,) = waterfalls(judged)
    _, steps = figure.specifications()
    points = next(layer for layer in steps["layer"] if layer["mark"]["type"] == "point")
    assert points["encoding"]["x"]["scale"]["type"] == "symlog"
    heading, _ = figure.panels[1]
    assert heading == "What each step adds (log axis beyond ±50)"


def test_a_csv_of_values_has_the_steps() -> None:
    text = export("csv", [stacked.source()]).decode()
    head, *rows = text.splitlines()
    assert {"against", "p", "mde"} <= set(head.split(","))
    assert sum("step_packet_ns" in row for row in rows) == len(STEPS)
