# SPDX-License-Identifier: Apache-2.0
"""Delay below the knee: which points tell it, what its card, table and figures hold."""

import dataclasses
from collections.abc import Iterator

import builder
import drawn
import pytest
import timed
from msgspec.structs import replace

from gatemark.judge.judge import judged
from gatemark.judge.math.interval import Interval
from gatemark.tell.answer import rates
from gatemark.tell.card import cards
from gatemark.tell.chart import delays, over_time
from gatemark.tell.chart.figure import Figure
from gatemark.tell.group import latency, study, trace
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered
from gatemark.tell.words import number

PLAIN = ("quick/plain", "route", "up")


@pytest.fixture(scope="module")
def source() -> Source:
    return drawn.source("timed")


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {figure.name: figure for figure in drawn.figures("timed")}


def test_three_timed_rates_make_no_knee_and_no_bar(source: Source) -> None:
    assert not source.judgement.knees
    assert not study.singles(source.judgement, source.run.plans)


def test_as_a_sweep_the_same_trials_have_a_knee(source: Source) -> None:
    plans = tuple(replace(plan, figure="auto") for plan in source.run.plans)
    assert answered(replace(source.run, plans=plans), source.records).knees


def test_a_low_rate_of_the_tester_alone_is_its_floor_and_no_ceiling(source: Source) -> None:
    (ceiling,), (floor,) = source.judgement.ceilings, source.judgement.floors
    assert (ceiling.point["rate_pps"], floor.point["rate_pps"]) == (0, 3_000)


def test_arms_are_compared_by_delay_and_runs_by_their_ceiling(source: Source) -> None:
    found = source.judgement.comparisons
    assert {one.quantity for one in found} == {"delay_p50_ns"}
    assert [one.change.verdict for one in found] == ["slower", "slower", "no change"]
    assert [one.definition.path for one in judged(source.run, source.records).rows] == ["direct"]


def test_the_sentence_tells_the_delay_at_the_highest_rate(source: Source) -> None:
    assert source.judgement.sentence == (
        "Slowed to a home router's speed, the lab gateway takes 66.5 µs to route a packet "
        "and 66.5 µs to NAT a packet at 27.0 k packets/s (median, one way)."
    )


def test_the_card_tells_every_load_and_the_tester_alone(source: Source) -> None:
    found = cards.cards(source.judgement, source.run.plans, virtual=True)
    (one,) = (one for one in found if one.title == "One-way delay: route")
    assert one.lines[0].startswith("at 3 k packets/s: 41.4 µs, 99 % within 334 µs, max ")
    assert one.lines[3].startswith("nat ↑ up, at 27 k packets/s: 66.5 µs")
    assert one.lines[4].startswith("the tester alone: 2.08 µs")
    assert "Known to within 3.2 %" in one.definition
    assert one.evidence == "delays"


def test_a_load_is_told_as_a_share_of_the_knee_of_the_same_run() -> None:
    judged = builder.judgement()
    (point,) = (
        p
        for p in judged.points
        if (p.plan, p.arm, p.point.get("direction"), p.point.get("rate_pps"))
        == ("quick/sweep", "route", "up", 15_000)
    )
    assert latency.share(judged, point) == pytest.approx(15_000 / 30_100)
    (plain,) = (p for p in judged.points if (p.plan, p.arm, p.definition.direction) == PLAIN)
    assert latency.share(judged, plain) is None  # not slowed: another gateway


def test_the_table_has_a_row_for_each_load_and_the_tester_first(source: Source) -> None:
    made = rates.delays(source)
    assert [row[0] for row in made.rows] == ["tester alone", *["route"] * 3, *["nat"] * 3]
    assert not any("99.9 %" in head for head in made.head)  # too few packets told it


def test_distributions_are_the_histograms_of_all_repeats(figures: dict[str, Figure]) -> None:
    found = figures["cdf-timed-loads-64"]
    mine = [row for row in found.rows if (row["arm"], row["load"]) == ("route", "3 k packets/s")]
    median = float(timed.MEDIANS["route", 3_000])
    assert [row["delay_ns"] for row in mine] == [
        timed.LEAST_NS,
        median,
        8 * median,
        335_872.0,  # where its bucket ends
    ]
    assert [row["reached"] for row in mine] == [1.0, 0.9, 0.05, None]
    assert [row["below"] for row in mine] == pytest.approx([0.0, 0.1, 0.95, 1.0])
    assert delays.FLOOR in {row["arm"] for row in found.rows}


def test_figures_tell_one_99th_percentile_of_the_same_packets(
    source: Source, figures: dict[str, Figure]
) -> None:
    """The line is of all repeats together; words have the median of the repeats' own."""
    found = figures["cdf-timed-loads-64"]
    route = next(p for p in source.judgement.points if p.arm == "route")
    p99 = number.quantity(route.values["delay_p99_ns"].value, "ns")
    assert found.title.startswith(f"99 % of the packets take at most {p99} (")


def test_delay_over_time_is_that_of_the_bins(figures: dict[str, Figure], source: Source) -> None:
    found = figures["time-timed-loads-64"]
    trials = [r for r in source.records if (r.arm, r.point["rate_pps"]) == ("route", 27_000)]
    bins = [source.sheaf[r.series]["sink.up.delay_mean_ns"][1][1:3] for r in trials]
    means = sorted(sum(pair) / 2 for pair in bins)  # steps of two bins, from the second bin on
    first = next(row for row in found.rows if row["arm"] == "route")
    assert first["delay_ns"] == pytest.approx((means[2] + means[3]) / 2, rel=1e-3)


def test_a_sawtooth_is_told_with_its_queue(figures: dict[str, Figure]) -> None:
    found = figures["time-timed-loads-64"]
    assert found.title.startswith("nat ↑ up: the delay swings by 3.80 ms ")
    assert "every 201 ms; a queue of about 111 bytes never empties" in found.title


def test_without_a_sawtooth_the_span_is_told(source: Source) -> None:
    loads = [one for one in latency.highest(next(_groups(source))) if one.arm == "route"]
    drawn = trace.traces([one.point for one in loads], source.records, source.sheaf)
    told = over_time.swing_title(loads, drawn, source.records, source.sheaf)
    assert told.startswith("The delay, as the mean of each 20 ms, stays between 6")
    kept = trace.trials(source.records)
    assert over_time.words(loads, kept, source.sheaf) == "No sawtooth: it has no period."


def test_the_delay_variation_is_that_of_the_point(source: Source) -> None:
    (load,) = (load for load in latency.highest(next(_groups(source))) if load.arm == "route")
    values = {"down.ipdv_p50_ns": Interval(700.0, 600.0, 800.0, 6, 0.97)}
    varied = dataclasses.replace(load, point=replace(load.point, values=values))
    text = over_time.words([varied], {}, {})
    assert text.endswith(
        "route ↓ down: successive packets differ by 700 ns at the median (IPDV, RFC 3393)."
    )


def test_the_series_that_a_page_reads_are_those_of_all_loads(source: Source) -> None:
    wanted = trace.files(source.judgement, source.run.plans, source.records)
    assert set(wanted) == {r.series for r in source.records if r.point["rate_pps"]}


def _groups(source: Source) -> Iterator[latency.Timed]:
    return iter(latency.groups(source.judgement, source.run.plans))
