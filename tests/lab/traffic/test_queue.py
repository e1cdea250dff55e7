# SPDX-License-Identifier: Apache-2.0
"""A queue of a known size, filled by an upload, is read again from the delays of a game beside it.

LAN host --- gateway --- line of R bit/s, buffer of n packets --- WAN host
   game, upload ------------------------------------------------>
"""

import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Queue
from gatemark.plan.model import Arm, Line, LineWay, Plan, Probe, Workload
from gatemark.tell.fact import say
from lab.planted import measure, plan

IDLE_S, LOAD_S, AFTER_S = 1.5, 16.0, 2.5
GAME = Workload(kind="replay", direction="both", duration_s=IDLE_S + LOAD_S + AFTER_S)
UPLOAD = Workload(kind="tcp", congestion="reno", start_s=IDLE_S, duration_s=LOAD_S)

pytestmark = pytest.mark.long


def loaded(line: Line | None, *features: str, **keys: object) -> Plan:
    upload = replace(UPLOAD, **keys)
    arm = Arm(path="nat", name="nat", features=features)
    return replace(plan(arm, GAME), beside={"upload": upload}, probe=Probe(), line=line)


def seen(planned: Plan) -> Queue:
    judged, (record,) = measure(planned)
    assert (record.status, record.reason) == ("ok", "")
    (queue,) = (queue for queue in judged.queues if queue.way == "up")
    return queue


def test_a_lines_buffer_is_found_within_5_percent() -> None:
    line = Line(up=LineWay(rate_bps=5e6, buffer_packets=100))
    queue = seen(loaded(line))
    assert queue.buffer_bytes is not None
    assert queue.values["queue_buffer_bytes"].value == pytest.approx(queue.buffer_bytes, rel=0.05)


def test_a_buffer_of_bytes_is_found_within_5_percent() -> None:
    line = Line(up=LineWay(rate_bps=5e6, buffer_bytes=64_000))
    queue = seen(loaded(line, streams=2))
    assert queue.buffer_bytes == 64_000
    assert queue.values["queue_buffer_bytes"].value == pytest.approx(64_000, rel=0.05)
    assert 0.5 < queue.values["queue_fairness_ratio"].value <= 1


def test_a_gateway_that_shapes_below_the_line_keeps_its_buffer_empty() -> None:
    line = Line(up=LineWay(rate_bps=20e6, buffer_packets=100))
    queue = seen(loaded(line, "shape:tbf:10"))
    assert queue.expected == {}
    assert "shape:tbf:10" in say.words(queue.why[0])
    # tbf has a queue of 50 ms and 5 ms of its bucket.
    assert 45e6 < queue.values["queue_p95_ns"].value < 60e6
