# SPDX-License-Identifier: Apache-2.0
"""CPU load by three ways, and the rate at 80 and 100 %, of a gateway whose load is planted."""

import builder
import drawn
import pytest
from msgspec.structs import replace

from gatemark.judge.point.group import group
from gatemark.judge.point.load import RateAt, loads, rate_at, rates_at
from gatemark.store.record import CpuReading, Definition, Evidence, Record
from gatemark.tell.answer import load as tables
from gatemark.tell.chart import cpu

FULL_PPS = 100_000.0  # at which the CPU is full
RATES = (20_000, 50_000, 70_000, 90_000, 120_000)


def trial(rate: int, repeat: int, *, instrumented: bool) -> Record:
    """Ticks see half of the load; the soak all of it."""
    busy = min(1.0, rate / FULL_PPS)
    definition = Definition(path="route", frame_bytes=512, duration_s=1.0)
    got = min(float(rate), FULL_PPS)
    values = builder.rates(rate, got, 512) | {"cpu_busy": busy}
    if instrumented:
        values |= {"cpu_busy_inside": busy / 2, "cpu_busy_soak": busy}
    made = builder.record("made/load", "route", {"rate_pps": rate}, definition, repeat, values)
    reading = CpuReading(thread="napi/gw0", cpu=1, busy=busy)
    return replace(
        made, pass_="instrumented" if instrumented else "outside", evidence=Evidence(cpu=(reading,))
    )


def records() -> list[Record]:
    return [
        trial(rate, repeat, instrumented=instrumented)
        for repeat in range(1, 7)
        for rate in RATES
        for instrumented in (False, True)
    ]


@pytest.mark.parametrize(
    ("share", "rate"),
    [(0.8, 80.0), (1.0, 97.0), (0.05, None), (0.0, None)],
)
def test_a_rate_lies_on_the_line_between_two_points(share: float, rate: float | None) -> None:
    curve = [(100.0, 1.0), (10.0, 0.1), (50.0, 0.5)]
    assert rate_at(curve, share) == (None if rate is None else pytest.approx(rate))


def test_a_share_that_is_not_reached_has_no_rate() -> None:
    assert rate_at([(10.0, 0.1), (50.0, 0.5)], 0.8) is None


def test_each_way_stands_beside_the_others() -> None:
    found = {one.level: one for one in loads(group(records()))}
    assert list(found) == sorted(RATES)
    busy = {way: i.value for way, i in found[50_000].busy.items()}
    assert busy == pytest.approx({"schedstat": 0.5, "ticks": 0.25, "soak": 0.5})
    apart = found[50_000].apart
    assert apart is not None
    assert apart.value == pytest.approx(-0.25)


def test_the_rate_at_80_percent_is_told_by_each_way() -> None:
    at = {(one.way, one.share): one for one in rates_at(group(records()))}
    assert pps(at["soak", 0.8]) == pytest.approx(0.8 * FULL_PPS)
    assert pps(at["schedstat", 1.0]) == pytest.approx(0.97 * FULL_PPS)
    assert at["ticks", 0.8].pps is None
    assert at["ticks", 0.8].most_busy == pytest.approx(0.5)


def test_a_way_that_was_not_read_leaves_the_others() -> None:
    found = [
        replace(record, values={k: v for k, v in record.values.items() if k != "cpu_busy_inside"})
        for record in records()
    ]
    assert {one.way for one in rates_at(group(found))} == {"schedstat", "soak"}


def test_trials_that_were_not_soaked_tell_nothing() -> None:
    assert loads(group([trial(rate, 1, instrumented=False) for rate in RATES])) == []


def test_tables_and_figure_have_every_point() -> None:
    found = loads(group(records()))
    assert len(tables.loads(found).rows) == len(RATES)
    told = tables.rates(rates_at(group(records())))
    assert ("route", "ticks", "80 %", "not reached: 50 % at most") in {r[:4] for r in told.rows}
    (figure,) = drawn.every(cpu.LOAD, cpu.by_plan(found))
    assert len(figure.rows) == 3 * len(RATES)
    assert figure.title == "Ticks mislead: route is 50 % busy by them, 100 % by the soak"


def over_flows(flows: int, arm: str, ratio: float | None = 1.0) -> Record:
    """As a trial at a set rate, whose load rises with the flows; not soaked."""
    made = trial(20_000, 1, instrumented=False)
    busy = made.values | {"cpu_busy": flows / 10_000}
    evidence = replace(made.evidence, schedule_ratio=ratio)
    return replace(made, arm=arm, point={"flows": flows}, values=busy, evidence=evidence)


def test_over_flows_the_books_alone_tell_the_load_in_one_panel() -> None:
    made = [over_flows(flows, arm) for arm in ("512", "1024") for flows in (200, 5_000)]
    kept = loads(group(made))
    assert [(load.arm, load.level, list(load.busy)) for load in kept] == [
        (arm, level, ["schedstat"]) for arm in ("1024", "512") for level in (200, 5_000)
    ]
    (figure,) = drawn.every(cpu.LOAD, cpu.by_plan(kept))
    assert [heading for heading, _ in figure.panels] == [""]
    assert {row["arm"] for row in figure.rows} == {"512", "1024"}
    assert figure.title == "The gateway's CPU is 2 % busy at 200 flows, 50 % busy at 5000 flows"


@pytest.mark.parametrize(("flows", "ratio"), [((250,), 1.0), ((250, 5_000), None)])
def test_no_curve_over_flows_tells_nothing(flows: tuple[int, ...], ratio: float | None) -> None:
    assert loads(group([over_flows(count, "512", ratio) for count in flows])) == []


def pps(at: RateAt) -> float:
    assert at.pps is not None
    return at.pps.value
