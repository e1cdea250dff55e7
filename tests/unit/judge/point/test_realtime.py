# SPDX-License-Identifier: Apache-2.0
"""The flows of a point: which there are, what loads them, and which is one alone."""

from typing import Any

import pytest

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.realtime import Flow, alone, flows, goes, loads, trace_of
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition

BOTH = ("up.loss_ratio", "down.loss_ratio")
GAME: dict[str, Any] = {"l4": "replay", "trace": "game"}


def point(*names: str, plan: str = "delay/test", **keys: Any) -> PointResult:
    definition = Definition(**({"path": "nat"} | GAME | keys))
    return PointResult(
        subject=Subject(plan=plan, arm="arm", setup="arm", point={}, definition=definition),
        values={name: Interval(0.0, 0.0, 0.0, 1, 0.0) for name in names},
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )


def test_each_direction_with_a_loss_is_a_flow() -> None:
    mixed = point(*BOTH, "call.up.loss_ratio", "loss_ratio", "call.up.delay_p50_ns")
    assert [(flow.owner, flow.way, flow.trace) for flow in flows([mixed])] == [
        ("", "up", "game"),
        ("", "down", "game"),
        ("call.", "up", "call"),
    ]


def test_its_deadlines_are_those_of_its_direction() -> None:
    replayed = point("up.missed_100ms_ratio", "up.missed_50ms_ratio", "down.missed_20ms_ratio")
    assert Flow(replayed, "", "up").deadlines_ms == [50, 100]


def test_a_load_is_read_of_its_words() -> None:
    definition = Definition(path="nat", **GAME, beside=("up4: tcp streams=4", "ring: replay"))
    assert loads(definition) == {"up4": {"kind": "tcp", "streams": "4"}}


def test_what_the_plan_itself_sends_is_a_load_unless_it_has_no_streams() -> None:
    tcp = Definition(path="nat", l4="tcp", direction="down", streams=2)
    assert loads(tcp) == {"": {"kind": "tcp", "direction": "down", "streams": "2"}}
    assert loads(Definition(path="nat", l4="udp")) == {"": {"kind": "udp", "direction": "up"}}
    assert loads(Definition(path="nat", l4="tcp", streams=0)) == {}


@pytest.mark.parametrize(
    ("words", "ways"),
    [({}, ("up",)), ({"direction": "down"}, ("down",)), ({"direction": "both"}, ("up", "down"))],
)
def test_a_load_goes_its_way(words: dict[str, str], ways: tuple[str, ...]) -> None:
    assert tuple(way for way in ("up", "down") if goes({"kind": "tcp"} | words, way)) == ways


def test_the_trace_of_a_workload_beside_is_in_its_words() -> None:
    beside = ("ring: replay trace=voip", "play: replay", "up4: tcp streams=4")
    definition = Definition(path="nat", l4="tcp", trace="game", beside=beside)
    traces = [trace_of(definition, owner) for owner in ("", "ring", "play", "up4", "none")]
    assert traces == ["game", "voip", "game", "", ""]


LOADED: dict[str, Any] = {"beside": ("up4: tcp streams=4",)}


def test_the_same_flow_alone_is_found_in_its_own_plan_first() -> None:
    loaded, other, own = point(*BOTH, **LOADED), point(*BOTH, plan="delay/other"), point(*BOTH)
    every = flows([other, own, loaded])
    mate = alone(Flow(loaded, "", "up"), every)
    assert mate
    assert (mate.point, mate.way) == (own, "up")
    assert alone(Flow(loaded, "", "up"), flows([other])) == Flow(other, "", "up")


@pytest.mark.parametrize(
    "keys",
    [
        {"path": "route"},
        {"features": ("conntrack",)},
        {"slow_to_pps": 10_000},
        {"line": "1 Mbit/s"},
        {"trace": "voip"},
        {"family": "ipv6"},
        {"dscp": 46},
    ],
)
def test_a_flow_through_another_setup_is_not_the_same(keys: dict[str, Any]) -> None:
    assert alone(Flow(point(*BOTH, **LOADED), "", "up"), flows([point(*BOTH, **keys)])) is None


def test_a_flow_without_a_load_has_no_mate() -> None:
    assert alone(Flow(point(*BOTH), "", "up"), flows([point(*BOTH, plan="delay/other")])) is None
