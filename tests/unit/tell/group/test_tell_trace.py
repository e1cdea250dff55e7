# SPDX-License-Identifier: Apache-2.0
"""Points over time: steps of a trial, medians over repeats, and what the figure says of them."""

from dataclasses import replace as replace_source
from functools import cache

import builder
import drawn
import pytest
import studies
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.store.record import CpuReading, Definition, Record
from gatemark.store.series import Series
from gatemark.tell.chart import over_time
from gatemark.tell.chart.figure import Figure
from gatemark.tell.chart.swept import Sweep
from gatemark.tell.group import step, study, sweep, trace
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.group.trace import Sheaf

MS = 1_000_000
WAVER = {True: 90_000, False: 60_000}  # bytes of four bins after four of 60 000
ZERO = 7_000 * MS
TCP = Definition(
    l4="tcp", quantity="goodput", path="nat", settle_s=0.2, duration_s=0.8, write_bytes=131_072
)
UDP = Definition(path="route", duration_s=0.4, frame_bytes=64)


def counted(counts: list[int], name: str = "sink.up.bytes", zero: int = ZERO) -> Series:
    """What a sink counts in bins of 10 ms."""
    return {name: ([zero + at * 10 * MS for at in range(len(counts))], [float(c) for c in counts])}


def asked(every_ms: int = 20, rtt_ns: float = 5e6) -> Series:
    """TCP's own round trip over a second."""
    at = [ZERO + ms * MS for ms in range(0, 1001, every_ms)]
    return {"source.up.0.rtt_ns": (at, [rtt_ns] * len(at))}


def test_a_steady_second_is_fifty_steps_of_its_rate() -> None:
    series = {**counted([1250] * 101), **asked()}
    clock = step.clock(series, TCP)
    assert clock is not None
    assert (clock.step_ns, clock.count) == (20 * MS, 50)
    assert step.rate(series, TCP, clock) == [1_000_000.0] * 50
    assert step.round_trip_ns(series, clock) == [5e6] * 50


def test_bins_that_began_before_the_source_are_counted_once() -> None:
    series = {**counted([0, *[1250] * 101], zero=ZERO - 12 * MS), **asked()}
    clock = step.clock(series, TCP)
    assert clock is not None
    rates = step.rate(series, TCP, clock)
    assert sum(rate or 0 for rate in rates) == pytest.approx(1e6 * 50, rel=0.02)


def test_both_directions_make_one_rate() -> None:
    series = {**counted([1250] * 100), **counted([1250] * 100, "sink.down.bytes"), **asked()}
    clock = step.clock(series, TCP)
    assert clock is not None
    assert step.rate(series, TCP, clock) == [2_000_000.0] * 50


def test_a_stall_is_a_zero_and_no_round_trip_is_nothing() -> None:
    series = {**counted([1250] * 50), **asked(every_ms=50)}
    clock = step.clock(series, TCP)
    assert clock is not None
    assert step.rate(series, TCP, clock)[-1] == 0.0
    assert None in step.round_trip_ns(series, clock)


def test_udp_leaves_out_the_bins_in_which_it_began_and_ended() -> None:
    series = counted([0, 3, *[300] * 39, 120], "sink.up.packets")
    clock = step.clock(series, UDP)
    assert clock is not None
    assert step.rate(series, UDP, clock) == [30_000.0] * 39


@pytest.mark.parametrize("series", [{}, counted([]), counted([5]), counted([0, 0, 0])])
def test_without_a_count_there_are_no_steps(series: Series) -> None:
    assert step.clock(series, TCP) is None


def test_cpu_is_the_rise_of_what_all_threads_of_the_busiest_one_ran() -> None:
    at = [ZERO + ms * MS for ms in range(-50, 1101, 50)]
    series = {
        **counted([1250] * 101),
        **asked(),
        "outside.napi/gw0.run_ns": (at, [0.5 * (t - ZERO) for t in at]),
        "outside.napi/gw1.run_ns": (at, [0.25 * (t - ZERO) for t in at]),
        "outside.napi/gw2.run_ns": (at, [0.1 * (t - ZERO) for t in at]),
    }
    clock = step.clock(series, TCP)
    assert clock is not None
    readings = [
        CpuReading(thread=f"napi/gw{port}", cpu=cpu, busy=0.1)
        for port, cpu in enumerate((1, 1, None))
    ]
    assert step.cpu(series, readings, clock) == pytest.approx([0.75] * 50)
    assert step.cpu(series, [], clock) == [None] * 50


@pytest.fixture(scope="module")
def found() -> Study:
    return next(s for s in study.studies(studies.judgement(), studies.plans()) if "paths" in s.plan)


def shaped(counts: list[int]) -> Series:
    """Series of one of the made-up trials, which last ten seconds: ten bins of each count."""
    return counted([count for count in counts for _ in range(10)], "sink.up.bytes")


def sheaf(records: list[Record]) -> dict[str, Series]:
    """All trials of `nat` waver, all others are steady."""
    return {
        record.series: shaped([*[60_000] * 4, *[WAVER[record.arm == "nat"]] * 4] * 13)
        for record in records
    }


@cache
def kept() -> list[Record]:
    return [replace(r, series=f"{r.sequence:05d}.jsonl.gz") for r in studies.trials()]


def test_of_a_study_one_load_is_drawn(found: Study) -> None:
    assert {(p.arm, p.definition.direction) for p in trace.of_study(found)} == {
        (arm, way) for arm in ("route", "nat", "switch") for way in ("up", "down")
    }
    blocks = next(s for s in study.studies(studies.judgement()) if "blocks" in s.plan)
    assert {p.point["write_bytes"] for p in trace.of_study(blocks)} == {262_144}
    assert {p.point["streams"] for p in trace.of_study(blocks)} == {1}


def test_rows_are_medians_of_the_repeats(found: Study) -> None:
    records = kept()
    drawn = trace.traces(trace.of_study(found), records, sheaf(records))
    assert {one.point.arm for one in drawn} == {"route", "nat", "switch"}
    route = next(one for one in drawn if one.point.arm == "route")
    steps = [i for i in route.quantities["rate"] if i]
    assert {(i.value, i.n) for i in steps} == {(48e6, studies.REPEATS)}
    assert (route.step_s, route.steady.value) == (0.2, 1.0)


def source_of(records: list[Record], sheaf: Sheaf) -> Source:
    return replace_source(studies.source(), records=records, sheaf=sheaf)


def figure_of(found: Study, records: list[Record], sheaf: Sheaf) -> Figure:
    """The study over time."""
    return drawn.of(over_time.TIME, over_time.of_study((source_of(records, sheaf), found)))


def test_the_title_says_who_wavers(found: Study) -> None:
    records = kept()
    figure = figure_of(found, records, sheaf(records))
    assert figure.title.startswith("TCP, LAN to WAN: the goodput stays within 10 % of its median")
    assert "100 % of the time (route)" in figure.title
    assert "(nat)" in figure.title
    assert "median of 6 trials; band: its interval" in figure.definition
    assert [heading for heading, _ in figure.panels] == ["↑ up: LAN to WAN", "↓ down: WAN to LAN"]
    assert len(figure.rows) <= 3 * 2 * step.STEPS


def test_bands_have_a_scale_each_on_one_axis_of_time(found: Study) -> None:
    records = kept()
    with_trips = {name: {**one, **long_trip()} for name, one in sheaf(records).items()}
    figure = figure_of(found, records, with_trips)
    spec = figure.specifications()[0]
    assert spec["width"] == "container"
    assert spec["resolve"] == {"scale": {"y": "independent"}}
    ranges = [
        layer["encoding"]["y"]["scale"]["range"]
        for band in spec["layer"]
        for layer in band["layer"]
        if "range" in layer["encoding"]["y"].get("scale", {})
    ]
    assert ranges == [[167, 17], [281, 201]]


def long_trip() -> Series:
    at = [ZERO + ms * MS for ms in range(0, 10_001, 200)]
    return {"source.up.0.rtt_ns": (at, [5e6] * len(at))}


def test_a_sweep_is_drawn_at_its_knee() -> None:
    judged = builder.judgement()
    records = [replace(r, series=f"{r.sequence:05d}.jsonl.gz") for r in builder.trials()]
    knees = sweep.groups(judged)[0]
    kept = trace.trials(records)
    wanted = [r for p in trace.of_sweep(judged, knees) for r in kept[trace.place(p)]]
    series = {r.series: counted([300] * 101, "sink.up.packets") for r in wanted}
    source = replace_source(builder.source(records=records, judged=judged), sheaf=series)
    figure = drawn.of(over_time.TIME, over_time.of_sweep(Sweep(source, knees)))
    assert figure.title == (
        "Loaded, LAN to WAN: the received rate stays within 10 % of its median "
        "for 100 % of the time"
    )
    assert "30 k packets/s to 35 k packets/s" in figure.definition
    assert set(series) < set(trace.files(judged, (), records))  # and those of its distributions


def test_without_series_there_is_no_figure(found: Study) -> None:
    assert over_time.TIME(over_time.of_study((source_of(kept(), {}), found))) is None


def test_what_did_not_count_is_not_read(found: Study) -> None:
    first: PointResult = trace.of_study(found)[0]
    mine = trace.trials(kept())[trace.place(first)]
    assert len(mine) == studies.REPEATS
    bad = [replace(mine[0], status="invalid"), replace(mine[1], pass_="instrumented")]  # noqa: S106
    assert trace.trials(bad) == {}
