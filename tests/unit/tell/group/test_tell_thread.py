# SPDX-License-Identifier: Apache-2.0
"""CPU by thread: who is drawn, how the parts stack, what the title says."""

from collections.abc import Callable

import builder
import drawn
import pytest
import studies
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.store.record import CpuReading, Evidence, Record
from gatemark.tell.chart import cpu
from gatemark.tell.chart.figure import Figure
from gatemark.tell.group import sweep, thread

Shares = Callable[[Record], Evidence]


def two(record: Record) -> Evidence:
    """Two threads on one CPU; the tester's ends on another."""
    return Evidence(
        cpu=(
            CpuReading(thread="napi/gw0", cpu=1, busy=0.7),
            CpuReading(thread="napi/gw1", cpu=1, busy=0.2 + 0.01 * record.repeat),
            CpuReading(thread="napi/gw2", cpu=1, busy=0.0001),
        ),
        sender_cpu=0.4,
        sink_cpu=0.3,
    )


def measured(evidence: Shares, placement: dict[str, str] | None = None) -> list[Record]:
    made = builder.trials()
    return [replace(r, evidence=evidence(r), placement=placement or {}) for r in made]


def figures(judged: Judgement, records: list[Record]) -> list[Figure]:
    return drawn.every(cpu.THREADS, cpu.uses(builder.source(records=records, judged=judged)))


@pytest.fixture
def judged() -> Judgement:
    return builder.judgement()


def test_of_a_sweep_the_knee_is_drawn_and_of_others_all_points(judged: Judgement) -> None:
    plans = {uses[0].point.plan: uses for uses, _ in thread.plans(judged, measured(two))}
    assert set(plans) == {"quick/sweep", "quick/plain"}
    loaded = {id(sweep.loaded(judged, knee)) for knee in judged.knees}
    assert {id(use.point) for use in plans["quick/sweep"]} == loaded
    assert len(plans["quick/plain"]) == len(builder.PLAIN)


def test_parts_are_medians_and_the_whisker_is_of_their_sum(judged: Judgement) -> None:
    use = thread.plans(judged, measured(two))[0][0][0]
    assert {name: round(i.value, 3) for name, i in use.threads.items()} == {
        "napi/gw0": 0.7,
        "napi/gw1": 0.235,
    }
    assert (round(use.total.lo, 4), round(use.total.hi, 4)) == (0.9101, 0.9601)


def test_parts_stand_end_to_end(judged: Judgement) -> None:
    figure = figures(judged, measured(two))[0]
    first = [row for row in figure.rows if row["key"] == figure.rows[0]["key"]]
    assert [(r["who"], r["start"]) for r in first] == [
        ("napi/gw0", 0.0),
        ("napi/gw1", 0.7),
        ("sender", 0.0),
        ("sink", 0.0),
    ]


def test_ends_that_share_a_cpu_add_up(judged: Judgement) -> None:
    records = measured(two, {"sender": "cpu 0, nice -20", "sink": "cpu 0, nice -20"})
    figure = figures(judged, records)[0]
    assert next(row for row in figure.rows if row["who"] == "sink")["start"] == 0.4
    assert "one CPU for both" in figure.definition


def test_another_cpu_is_another_bar(judged: Judgement) -> None:
    def apart(_: Record) -> Evidence:
        readings = [CpuReading(thread=f"napi/gw{n}", cpu=n, busy=0.9) for n in (0, 1)]
        return Evidence(cpu=tuple(readings))

    figure = figures(judged, measured(apart))[0]
    arms = {str(row["arm"]).partition(", ")[0] for row in figure.rows}
    assert arms == {"route", "nat"}
    assert {row["cpu"] for row in figure.rows} == {"0", "1"}
    assert "CPU 1" in str(figure.specifications()[0])


@pytest.mark.parametrize(
    ("busy", "title"),
    [
        ((0.99, 0.0), "↑ up, 64 B: the gateway's CPU is full, by napi/gw0 alone"),
        ((0.6, 0.38), "↑ up, 64 B: the gateway's CPU is full, mostly by napi/gw0"),
        (
            (0.6, 0.2),
            "↑ up, 64 B at 35 k packets/s: the gateway's CPU is 80 % busy, mostly by napi/gw0",
        ),
    ],
)
def test_the_title_says_who_fills_the_cpu(
    judged: Judgement, busy: tuple[float, float], title: str
) -> None:
    def shares(_: Record) -> Evidence:
        readings = [CpuReading(thread=f"napi/gw{n}", cpu=1, busy=b) for n, b in enumerate(busy)]
        return Evidence(cpu=tuple(readings))

    figure = figures(judged, measured(shares))[0]
    assert figure.title == title
    assert figure.definition.endswith(" Plan: quick/sweep.")


def test_too_many_points_are_cut_to_the_largest_sizes() -> None:
    made = thread.plans(studies.judgement(), studies.trials())
    found = {uses[0].point.plan: (uses, left) for uses, left in made}
    blocks, left = found["studies/blocks"]
    assert {use.point.point["write_bytes"] for use in blocks} == {262_144}
    assert left == 4 * len(studies.WRITES) - len(blocks)
    assert all(len(uses) <= thread.MOST for uses, _ in found.values())


def test_without_readings_there_is_no_figure(judged: Judgement) -> None:
    assert figures(judged, measured(lambda _: Evidence())) == []
