# SPDX-License-Identifier: Apache-2.0
"""The estimate against sums that were made by hand, and its bounds against what they span."""

from functools import cache

import estimated
import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Estimate, Judgement
from gatemark.judge.point.estimate import FETCHES, FILLS, INSTRUCTIONS, beside, cycles, lines
from gatemark.judge.values import values
from gatemark.plan.model import Device
from gatemark.store.reference import published


def device(name: str, *, steady: bool = True) -> Device:
    return next(d for d in estimated.plan(steady=steady).gateway.devices if d.name == name)


@cache
def judged(*, steady: bool = False) -> Judgement:
    return estimated.judgement(steady=steady)


def found(arm: str, name: str) -> Estimate:
    made = judged(steady=True).estimates
    return next(each for each in made if (each.arm, each.device.name) == (arm, name))


# 2 x 32 bytes x 400 MHz / 231 MB/s = 110.8 cycles for two fetches and a write-back.
@pytest.mark.parametrize(("name", "cost"), [("AR9132", 36.9), ("AR7161", 40.3), ("BCM5352", 36.2)])
def test_streams_copy_tells_what_a_line_costs(name: str, cost: float) -> None:
    fetch, back = lines(device(name))[0]
    assert fetch == back == pytest.approx(cost, abs=0.05)


def test_what_is_not_known_of_a_line_goes_both_ways() -> None:
    likely, alone, buffered = lines(device("AR9132"))
    assert alone[0] == pytest.approx(likely[0] - 16 / 3)  # 8 words, loaded and stored
    assert buffered == pytest.approx((1.5 * likely[0], 0.0))


def test_a_line_may_be_described_instead() -> None:
    made = replace(device("AR9132"), stream_copy_mbps=0.0, line_cycles=(20.0, 30.0, 50.0))
    assert lines(made) == [(30, 30), (20, 20), (50, 50)]


def test_a_packet_is_a_sum() -> None:
    made = replace(device("AR9132"), stream_copy_mbps=0.0, line_cycles=(10.0, 20.0, 30.0))
    parts = cycles(made, estimated.events("route", "AR9132"))
    assert parts[INSTRUCTIONS] == (7056, 7056, 7056)
    assert parts[FETCHES] == (670, 1340, 2010)
    assert parts[FILLS] == (1130, 2260, 3390)
    assert parts[""] == (7056 + 2700, 7056 + 5400, 7056 + 8100)


def test_what_waits_in_the_pipeline_is_counted_by_kind() -> None:
    none = (0.0, 0.0, 0.0)
    made = replace(device("AR9132"), load_cycles=(0.0, 1.0, 2.0), branch_cycles=none)
    parts = cycles(made, estimated.events("route", "AR9132"))
    assert parts["pipeline"] == (0, 1700, 3400)


def test_the_span_holds_the_likely() -> None:
    assert judged().estimates
    for one in judged().estimates:
        assert one.cycles.lo < one.cycles.value < one.cycles.hi
        assert sum(i.value for i in one.parts.values()) == pytest.approx(one.cycles.value)


@pytest.mark.parametrize(
    ("arm", "name", "k"),
    [("route", "AR7161", 18), ("route + conntrack", "AR7161", 29)],
)
def test_the_sums_of_the_larger_boards(arm: str, name: str, k: float) -> None:
    assert found(arm, name).cycles.value / 1e3 == pytest.approx(k, rel=0.03)


@pytest.mark.parametrize(
    ("arm", "name", "k"),
    [
        ("route", "AR9132", 13.1),
        ("route", "AR7161", 13.9),
        ("route + conntrack", "AR9132", 17.2),
        ("route + conntrack", "AR7161", 19.4),
        ("route", "BCM5352", 24.4),
    ],
)
def test_a_published_rate_stands_beside_its_setup(arm: str, name: str, k: float) -> None:
    row = beside(found(arm, name), published())
    assert row
    assert row[1] / 1e3 == pytest.approx(k, abs=0.06)


@pytest.mark.parametrize("arm", ["masquerade", "route + filter:100"])
def test_nothing_stands_beside_what_nobody_published(arm: str) -> None:
    assert beside(found(arm, "AR9132"), published()) is None


def test_packets_of_another_size_have_nothing_beside_them() -> None:
    one = found("route", "AR9132")
    other = one.about(definition=replace(one.definition, frame_bytes=64))
    assert beside(other, published()) is None


def test_the_sentence_says_what_it_is() -> None:
    made = judged()
    opening = "ESTIMATE, not measured: to route a packet takes "
    assert made.sentence.startswith(opening)
    assert made.sentence.endswith(".")
    clauses = made.sentence.removeprefix(opening).removesuffix(".").split("; ")
    first = made.estimates[0]
    alike = [one for one in made.estimates if (one.arm, one.point) == (first.arm, first.point)]
    assert len(clauses) == len(alike)
    for clause, one in zip(clauses, alike, strict=True):
        most = max(part.value for part in one.parts.values()) / one.cycles.value
        assert f"{one.cycles.value / 1e3:.1f} k cycles (" in clause
        assert f"on {one.device.name}, {100 * most:.0f} % of them " in clause


def test_estimates_are_told_by_program() -> None:
    told = [one for one in values(judged()) if one.quantity == "estimated_cycles"]
    assert [one.point["device"] for one in told[:5]] == ["AR9132"] * 4 + ["AR7161"]
    assert {one.unit for one in told} == {"cycles"}
