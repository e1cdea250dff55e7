# SPDX-License-Identifier: Apache-2.0
"""From both sides' columns to delays and losses, packet by packet."""

from typing import Any

from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.queue.flow import Flow
from gatemark.kind.replay.result import bucket, delays, series
from gatemark.node.shell import Namespace
from gatemark.station.wiring import Port, Wire
from gatemark.workload.way import Way

EMPTY: dict[str, list[int]] = {"low": [], "count": []}


def way(**sink: Any) -> Way:
    """Four packets of two flows; the one numbered 1 was lost, 2 came first, 3 was refused."""
    port = Port(Namespace("", ""), "lan0", "")
    sender = {
        "packet": {"flow": [0, 1, 0, 1], "sent_ns": [100, 200, 300, -1]},
        "tried_by_flow": [2, 2],
    }
    came = {
        "packet": {"number": [2, 0], "arrival_ns": [310, 350]},
        "flow": {"unique": [2, 0]},
        "gap_ns": EMPTY,
        "behind_ns": {"low": [64], "count": [2]},
        "rate": {"t0_ns": 0, "bin_ms": 10, "packets": [2]},
    }
    return Way(Wire("up", port, port, port, port), sender, came | sink, {})


def test_each_arrival_has_the_delay_of_its_own_packet() -> None:
    assert delays(way()) == ([310, 350], [10, 250])


def test_the_lost_are_reported_with_their_time_and_flow() -> None:
    """What the port refused is lost as the packet before it was sent."""
    columns = series(way())
    assert columns["replay.up.lost"] == ([200, 300], [1, 1])
    assert list(columns["replay.up.flow_lost"][1]) == [0, 2]


def test_what_was_never_tried_is_not_lost() -> None:
    late = way()
    late.sender["packet"]["sent_ns"][3] = -2
    assert series(late)["replay.up.lost"] == ([200], [1])


def test_the_queue_has_the_loss_that_the_flow_has() -> None:
    made = series(way())
    flow = Flow.of(made["replay.up.delay"], made["replay.up.lost"])
    assert (flow.packets, flow.loss_ratio) == (4, 0.5)
    assert sum(made["replay.up.flow_lost"][1]) == len(flow.lost_ns)


def test_too_many_packets_leave_the_histogram_against_the_schedule() -> None:
    slim = way()
    del slim.sink["packet"]
    columns = series(slim)
    assert columns["sink.up.delay_ns"] == ([64], [2])
    assert "replay.up.delay" not in columns


@few(40)
@given(st.integers(0, 1 << 36))
def test_a_bucket_is_within_a_32nd_of_each_value_in_it(delay_ns: int) -> None:
    low = bucket(delay_ns)
    assert low <= delay_ns <= low * (1 + 1 / 32) + 1
    assert bucket(low) == low
