# SPDX-License-Identifier: Apache-2.0
"""From both sides' columns to what a game or a call makes of them."""

from collections.abc import Sequence
from typing import Any

import pytest

from gatemark.kind.replay.fate import Flow, flows
from gatemark.kind.replay.realtime import deadlines, values
from gatemark.node.shell import Namespace
from gatemark.plan.model import Workload
from gatemark.plan.trace import DEADLINES_MS, SOURCES
from gatemark.quantity import UNITS
from gatemark.station.wiring import Port, Wire
from gatemark.workload.way import Way

MS = 1_000_000
GAME = Workload(kind="replay", trace="game", direction="both")
CALL = Workload(kind="replay", trace="voip", direction="both")


def way(direction: str, delays_ms: Sequence[float | None], **more: Any) -> Way:
    """A packet each 20 ms with these delays; None: lost."""
    port = Port(Namespace("", ""), "lan0", "")
    sent = [20 * MS * number for number in range(len(delays_ms))]
    came = [(n, delay) for n, delay in enumerate(delays_ms) if delay is not None]
    sender = {
        "tried": len(sent),
        "packet": {"flow": [0] * len(sent), "sent_ns": sent},
    }
    sink = {
        "unique": len(came),
        "packet": {
            "number": [n for n, _ in came],
            "arrival_ns": [sent[n] + round(delay * MS) for n, delay in came],
        },
    }
    return Way(Wire(direction, port, port, port, port), sender, sink | more, {})


def test_each_direction_has_its_own_values_and_a_call_is_its_worse_one() -> None:
    slow = [1.0] * 50 + [400.0] * 50
    of = values([way("up", slow), way("down", [1.0] * 100)], CALL)
    assert of["down.mos"] == pytest.approx(4.41, abs=0.01)
    assert of["mos"] == of["up.mos"] < 3.5
    assert (of["up.missed_150ms_ratio"], of["down.missed_150ms_ratio"]) == (0.5, 0)
    assert of["missed_150ms_ratio"] == 0.25
    assert of["missed_150ms_longest_ns"] == 49 * 20 * MS
    assert "up.ipdv_p50_ns" in of
    assert "ipdv_p50_ns" not in of  # of both together nothing follows anything


def test_losses_are_told_as_runs_and_miss_every_deadline() -> None:
    delays = [1.0, None, None, 1.0, None, 60.0, 1.0, 1.0, 1.0, 1.0]
    of = values([way("up", delays)], GAME)
    assert of["up.loss_ratio"] == 0.3
    assert (of["up.lost_runs"], of["up.lost_run_longest_packets"]) == (2, 2)
    assert of["up.burst_r"] == pytest.approx(1.5 * 0.7)
    assert of["up.missed_50ms_ratio"] == 0.4
    assert of["up.missed_100ms_ratio"] == 0.3
    assert "mos" not in of


def test_a_refused_packet_is_lost_and_one_that_was_never_tried_is_none() -> None:
    never = way("up", [1.0, None, 1.0, None])
    never.sender["packet"]["sent_ns"][1] = -1
    never.sender["packet"]["sent_ns"][3] = -2
    assert flows(never) == [Flow([0, 0, 40 * MS], [MS, None, MS])]


def test_of_too_many_packets_the_histogram_tells_deadlines_but_no_order() -> None:
    many = way("up", [1.0, 60.0, 1.0, None])
    del many.sink["packet"]
    many.sink["behind_ns"] = {"low": [1 * MS // 1024 * 1024, 60 * MS], "count": [2, 1]}
    of = values([many], GAME)
    assert of["up.missed_50ms_ratio"] == pytest.approx(0.5)
    assert of["up.missed_100ms_ratio"] == pytest.approx(0.25)
    assert not any(name.startswith(("up.ipdv", "up.lost_run", "up.mos")) for name in of)


def test_a_direction_in_which_nothing_arrived_has_losses_and_no_delays() -> None:
    of = values([way("up", [None] * 4)], CALL)
    assert (of["up.loss_ratio"], of["mos"], of["missed_150ms_ratio"]) == (1, 1, 1)
    assert not any("delay" in name for name in of)


@pytest.mark.parametrize("direction", ["up", "down"])
def test_each_value_has_a_unit(direction: str) -> None:
    of = values([way(direction, [1.0] * 1200 + [None])], CALL)
    assert all(UNITS[name] for name in of)


def test_only_a_source_in_its_own_timing_has_deadlines() -> None:
    assert set(DEADLINES_MS) == set(SOURCES)
    assert deadlines(GAME) == (50, 100)
    for other in ({"speed": 2.0}, {"rate_pps": 100.0}, {"trace": "/a/game"}):
        assert deadlines(Workload(kind="replay", **{"trace": "game"} | other)) == ()
