# SPDX-License-Identifier: Apache-2.0
"""Runs on one page: each arm stands beside the trials, ceiling and idle delay of its own run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace as swap

import builder
import drawn
import pytest
import queued
import studies
import timed
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.store.series import Series
from gatemark.tell import gallery
from gatemark.tell.answer import payload, rates
from gatemark.tell.chart import payload as chart
from gatemark.tell.chart import size, swept
from gatemark.tell.chart.swept import Sweep
from gatemark.tell.group import each_run, queue, study
from gatemark.tell.group.source import Source
from gatemark.tell.group.study import Study
from gatemark.tell.group.together import together
from gatemark.tell.words import headline

LATER_NS = 100e6


def pair(*sources: Source) -> Source:
    labels = "ABC"[: len(sources)]
    return together([swap(s, label=name) for s, name in zip(sources, labels, strict=True)])


def later(series: Series) -> Series:
    x, y = series["replay.up.delay"]
    return {**series, "replay.up.delay": (x, [delay + LATER_NS for delay in y])}


def late() -> Source:
    """Trials of the same names, in which every packet came later."""
    source = queued.source()
    return swap(source, sheaf={name: later(series) for name, series in source.sheaf.items()})


@pytest.mark.parametrize("is_late_last", [True, False])
def test_each_queue_is_drawn_by_the_trials_of_its_own_run(is_late_last: bool) -> None:
    runs = [queued.source(), late()][:: 1 if is_late_last else -1]
    assert _flows(pair(*runs)) == [*_flows(runs[0]), *_flows(runs[1])]


def _flows(source: Source) -> list[list[Sequence[float]]]:
    """Delays of each point, run by run."""
    (scene,) = queue.scenes(source)
    flows: dict[str, list[Sequence[float]]] = {}
    for loaded in scene.loaded:
        flows.setdefault(each_run.letter(source, loaded.queue.arm), []).append(loaded.flow.delay_ns)
    return list(flows.values())


def test_the_idle_delay_is_of_the_same_run() -> None:
    runs = [late(), queued.source()]
    (scene,), (alone,) = queue.scenes(pair(*runs)), queue.scenes(runs[0])
    assert scene.idle.delay_ns == alone.idle.delay_ns
    assert scene.idle_label == "A: drop-tail, no load"


def test_queues_are_drawn_beside_a_run_without_any() -> None:
    (scene,) = queue.scenes(pair(builder.source(), queued.source()))
    assert {loaded.queue.arm[:2] for loaded in scene.loaded} == {"B:"}


def slowed(source: Source, factor: float) -> Source:
    """A run whose tester alone is so much slower."""
    slow = tuple(_times(point, factor) for point in source.judgement.ceilings)
    return swap(source, judgement=replace(source.judgement, ceilings=slow))


def _times(point: PointResult, factor: float) -> PointResult:
    values = {
        name: Interval(i.value * factor, i.lo * factor, i.hi * factor, i.n, i.level)
        for name, i in point.values.items()
    }
    return replace(point, values=point.values | values)


def without(source: Source) -> Source:
    """A run that did not measure its tester."""
    return swap(source, judgement=replace(source.judgement, ceilings=()))


def bars(source: Source) -> Study:
    return _study(source, "studies/paths")


def _study(source: Source, plan: str) -> Study:
    every = study.studies(source.judgement, source.run.plans)
    return next(shown for shown in every if shown.plan == plan)


def test_a_bar_has_the_ceiling_of_its_own_run() -> None:
    plain = studies.source(published=False)
    shared = pair(plain, slowed(plain, 0.5), without(plain))
    most: dict[str, set[object]] = {}
    for row in drawn.of(chart.STUDY, chart.of_study((shared, bars(shared)))).rows:
        most.setdefault(str(row["arm"])[0], set()).add(row["ceiling_bps"])
    alone = {
        row["ceiling_bps"]
        for row in drawn.of(chart.STUDY, chart.of_study((plain, bars(plain)))).rows
    }
    assert most["A"] == alone
    assert most["B"] == {float(str(value)) / 2 for value in alone}
    assert most["C"] == {None}


def test_a_curve_has_a_ceiling_of_each_run() -> None:
    plain = studies.source(published=False)
    routed = [p.about(definition=_routed(p)) for p in plain.judgement.points]
    plain = swap(plain, judgement=replace(plain.judgement, points=tuple(routed)))
    shared = pair(plain, slowed(plain, 0.5))
    curves = size.payload((shared, _study(shared, "studies/blocks")))
    figure = drawn.of(size.THROUGHPUT, curves)
    rows = figure.extra[f"{figure.name}-ceiling"]
    lines = {(str(row["line"]), row["panel"], row["size_bytes"]): row for row in rows}
    assert {line for line, *_ in lines} == {"A: tester's ceiling", "B: tester's ceiling"}
    for (line, panel, size_bytes), row in lines.items():
        other = lines["B" + line[1:], panel, size_bytes]
        factor = 0.5 if line[0] == "A" else 1.0
        assert other["payload_bps"] == pytest.approx(float(str(row["payload_bps"])) * factor)


def _routed(point: PointResult) -> object:
    ways = {"send": "up", "receive": "down"}
    way = point.definition.direction
    return replace(point.definition, path="route", direction=ways.get(way, way))


def test_the_payload_table_has_the_tester_of_each_run() -> None:
    plain = studies.source(published=False)
    made = payload.tables(pair(plain, slowed(plain, 0.5)))[0]
    assert made.head[-2:] == ("A: tester alone", "B: tester alone")
    first, second = (float(cell.split(" ")[0]) for cell in made.rows[0][-2:])
    assert second == pytest.approx(first / 2, rel=0.01)
    assert payload.tables(pair(plain, without(plain)))[0].head[-1] == "A: tester alone"


def test_a_knee_has_the_ceiling_of_each_run() -> None:
    near = slowed(builder.source(), 0.08)
    shared = pair(near, slowed(near, 0.95), without(near))
    figure = drawn.of(swept.KNEE, Sweep(shared, shared.judgement.knees))
    text = str(figure.specifications()[0])
    assert [f"{name}: tester's ceiling" in text for name in "ABC"] == [True, True, False]
    assert "The tester alone reaches A: 32.6 k packets/s; B: 30.9 k" in figure.definition


def test_a_delay_stands_beside_the_floor_of_its_own_run() -> None:
    plain = timed.source()
    slower = tuple(_times(floor, 3.0) for floor in plain.judgement.floors)
    other = swap(plain, judgement=replace(plain.judgement, floors=slower))
    made = rates.delays(pair(other, plain))
    assert [row[0] for row in made.rows[:2]] == ["A: tester alone", "B: tester alone"]
    (figure,) = (f for f in gallery.figures(pair(other, plain)) if f.name.startswith("cdf-timed"))
    arms = {str(row["arm"]) for row in figure.rows}
    assert {"A: bare veth", "B: bare veth"} < arms


def _point(source: Source, **changed: object) -> PointResult:
    point = bars(source).points[0]
    fields: Mapping[str, object] = {n: v for n, v in changed.items() if n != "plan"}
    made = point.about(definition=replace(point.definition, **fields))
    return made.about(plan=changed["plan"]) if "plan" in changed else made


def test_a_ceiling_is_of_the_same_driver_mix_and_congestion_control() -> None:
    source = studies.source()
    own = source.judgement.ceilings
    assert headline.ceiling(own, _point(source)) is not None
    for field, value in {"driver": "iperf3", "congestion": "bbr"}.items():
        assert headline.ceiling(own, _point(source, **{field: value})) is None
    mixed = _point(source, l4="udp", mix="imix")
    single = mixed.about(definition=replace(mixed.definition, mix="", path="direct"))
    assert headline.alone([single], mixed) == []
    assert headline.alone([single], _point(source, l4="udp")) == [single]


def test_the_ceiling_of_the_same_plan_goes_first() -> None:
    source = studies.source()
    own = source.judgement.ceilings
    faster = [_times(p, 2.0).about(plan="studies/paths") for p in own]
    found = headline.ceiling([*own, *faster], _point(source))
    assert found == headline.ceiling(faster, _point(source))
    assert found != headline.ceiling(own, _point(source))


def test_what_the_gateway_itself_sends_has_no_ceiling() -> None:
    source = studies.source()
    assert headline.ceiling(source.judgement.ceilings, _point(source, path="endpoint")) is None
