# SPDX-License-Identifier: Apache-2.0
"""A virtual gateway's line: its tap moves behind it, and comes home."""

import pytest
from lab.planted import plan
from msgspec.structs import replace
from pyroute2 import netns

from gatemark.plan.model import Line, LineWay, Workload
from gatemark.plan.order import order
from gatemark.store.record import Record
from vm.conftest import Booted

RATE_BPS = 2e6
FRAME_BYTES = 1518
TWICE = Workload(rate_pps=2 * RATE_BPS / (8 * 1514), frame_bytes=FRAME_BYTES, duration_s=1.0)
WAY = LineWay(rate_bps=RATE_BPS, buffer_packets=20)


def tried(booted: Booted, load: Workload, line: Line | None) -> Record:
    spec = replace(order([plan("route", load)], seed=1)[0], probes=(), line=line)
    record = booted.tried(spec)
    assert (record.status, record.reason) == ("ok", "")
    return record


@pytest.mark.long
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_tap_goes_behind_the_line_and_comes_home(booted: Booted, direction: str) -> None:
    load = replace(TWICE, direction=direction)
    record = tried(booted, load, Line(up=WAY, down=WAY, overload=True))
    assert record.evidence.line is not None
    assert record.accounting is not None
    way = record.evidence.line.ways[direction]
    assert way.came == way.sent + way.dropped
    assert way.dropped == record.accounting.lost > 0.3 * record.accounting.tried
    assert record.values["delay_max_ns"] > 20 * 8 * 1514 / RATE_BPS * 1e9
    bare = tried(booted, replace(load, rate_pps=100), None)
    assert bare.evidence.line is None
    assert bare.values["loss_ratio"] == 0
    assert f"gm-{booted.lab.lab}-line" not in netns.listnetns()
