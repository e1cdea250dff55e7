# SPDX-License-Identifier: Apache-2.0
"""The emulated line in the lab: before the WAN host, in the tester's own cable, changed and gone.

lan0 ---- gw0  gateway  gw1 ---- [wan0  line  line1] ---- wan0
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import backlog
import pytest
from msgspec.structs import replace
from pyroute2 import netns

from gatemark.judge.judgement import Judgement
from gatemark.judge.point.limit import MOST_LATE
from gatemark.plan.model import Line, LineWay, Plan, Probe, Workload
from gatemark.station.recover import recover
from gatemark.store.drops import Line as Books
from gatemark.store.record import Record
from lab.planted import measure, plan

HOME_BPS = 15e6
FRAME_BYTES = 1518
ON_LINE_BITS = 8 * (FRAME_BYTES - 4)  # a line counts frames without check sequence
BUCKET = 0.95  # a delay is told by its histogram: so much of it at least
BUFFER_MS = 40.0  # that its 50 packets last
TWICE = Workload(rate_pps=2 * HOME_BPS / ON_LINE_BITS, frame_bytes=FRAME_BYTES, duration_s=0.8)
UPLOAD = Workload(kind="tcp", congestion="reno", duration_s=4.0, settle_s=1.0)

HOLD = """
import asyncio
from gatemark.plan.model import Arm, Line, LineWay, Workload
from gatemark.run.bench import Bench
from gatemark.station.netns import Lab
async def stand():
    async with Bench(Lab()) as bench:
        load = Workload()
        await bench.prepare(Arm(path="route"), load, 0, Line(up=LineWay(rate_bps=1e6)))
        print(bench.station.lab, flush=True)
        await asyncio.sleep(600)
asyncio.run(stand())
"""


def home(rate_bps: float = HOME_BPS, packets: int = 50) -> Line:
    way = LineWay(rate_bps=rate_bps, buffer_packets=packets)
    return Line(up=way, down=way, overload=True)


def lined(arm: str, load: Workload, line: Line | None, number: int = 0) -> Plan:
    return replace(plan(arm, load, name=f"test/{number}"), line=line, probe=Probe())


def one(arm: str, load: Workload, line: Line) -> tuple[Judgement, Record]:
    judgement, (record,) = measure(lined(arm, load, line))
    assert (record.status, record.reason) == ("ok", "")
    return judgement, record


def books(record: Record) -> Books:
    assert record.evidence.line is not None
    return record.evidence.line


def is_named(judgement: Judgement, record: Record) -> bool:
    """Whether the line is the bottleneck; on a busy machine that made it late, the tester is."""
    was_late = max(way.over_1ms for way in books(record).ways.values()) > MOST_LATE
    return judgement.points[0].limit == ("tester" if was_late else "line")


def test_twice_the_lines_rate_loses_half_at_the_line_by_exact_books() -> None:
    with backlog.watched() as backlogs:
        judgement, record = one("route", TWICE, home())
    up, accounting = books(record).up, record.accounting
    assert accounting is not None
    assert up.dropped == up.came - up.sent
    # What the line did not drop was lost on the way to it or behind it, by a full backlog.
    assert 0 <= accounting.tried - up.came <= accounting.lost - up.dropped <= backlogs.dropped
    assert is_named(judgement, record)
    # What stands in the buffer at the end comes through as well.
    most = HOME_BPS * 0.8 / ON_LINE_BITS + 51
    assert accounting.unique <= 1.02 * most
    late_ms = record.evidence.late_ns["max"] / 1e6
    if late_ms > BUFFER_MS:
        pytest.skip(f"the sender stood still for {late_ms:.0f} ms: the line ran empty")
    assert accounting.unique >= 0.98 * most


@pytest.mark.long
def test_tcp_fills_the_line() -> None:
    judgement, record = one("route", UPLOAD, home())
    assert record.values["goodput_bps"] >= 0.94 * HOME_BPS
    assert books(record).up.peak_packets == 50
    assert is_named(judgement, record)


@pytest.mark.long
@pytest.mark.parametrize("direction", ["up", "down"])
def test_the_tester_alone_has_the_line_in_its_cable(direction: str) -> None:
    load = replace(TWICE, direction=direction)
    _, record = one("direct", load, home())
    way = books(record).ways[direction]
    assert record.accounting is not None
    assert (way.came, way.dropped) == (record.accounting.tried, record.accounting.lost)


@pytest.mark.long
def test_a_line_is_put_in_changed_and_taken_out_between_trials() -> None:
    few = Workload(rate_pps=500, frame_bytes=FRAME_BYTES, duration_s=0.4)
    lines = [None, home(), home(30e6), home(30e6, 5), None]
    plans = [lined("route", few, line, at) for at, line in enumerate(lines)]
    plans += [
        lined("nat", replace(few, direction="both"), home(), 9),
        lined("direct", few, None, 10),
    ]
    _, records = measure(*plans)
    assert [record.reason for record in records if record.status != "ok"] == []
    assert [record.definition.line for record in records] == [
        "",
        "15 Mbit/s, 50 packets",
        "30 Mbit/s, 50 packets",
        "30 Mbit/s, 5 packets",
        "",
        "15 Mbit/s, 50 packets",
        "",
    ]
    least = [record.values["delay_min_ns"] for record in records]
    frame_ns = BUCKET * ON_LINE_BITS / HOME_BPS * 1e9
    assert least[1] >= frame_ns > least[2] >= frame_ns / 2 > max(least[0], least[4])
    assert all(record.accounting and not record.accounting.mismatch for record in records)


@pytest.mark.long
def test_a_delay_is_added_and_a_chance_takes_its_share() -> None:
    way = LineWay(rate_bps=50e6, fixed_ms=20, loss=0.1)
    load = Workload(rate_pps=2000, frame_bytes=256, duration_s=1.0)
    with backlog.watched() as backlogs:
        _, record = one("route", load, Line(up=way))
    up = books(record).up
    assert record.accounting is not None
    assert 0 <= record.accounting.lost - up.lost <= backlogs.dropped
    assert 100 < up.lost < 300  # of 2 000: 200 and 3.5 sigma of a binomial are 47; chance is seeded
    assert record.values["delay_min_ns"] >= BUCKET * 20e6


@pytest.mark.long
def test_many_flows_are_opened_through_nat_behind_a_small_line() -> None:
    load = Workload(rate_pps=100, frame_bytes=300, flows=300, direction="down", duration_s=0.5)
    line = Line(up=LineWay(rate_bps=5e5), down=LineWay(rate_bps=5e5))
    with backlog.watched() as backlogs:
        _, record = one("nat", load, line)
    assert record.accounting is not None
    assert record.accounting.lost <= backlogs.dropped


@pytest.mark.long
def test_what_a_small_link_holds_is_waited_for() -> None:
    """A full buffer of 1 Mbit/s takes 600 ms, with 12 ms between two frames."""
    load = Workload(rate_pps=1000, frame_bytes=FRAME_BYTES, duration_s=0.3)
    _, record = one("route", load, home(1e6))
    up = books(record).up
    assert (up.waiting, up.came) == (0, up.sent + up.dropped)
    assert record.values["delay_max_ns"] > 500e6


@pytest.fixture
def standing() -> Iterator["subprocess.Popen[str]"]:
    """A run whose line stands; the first line that it prints is its lab's name."""
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        recover()


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_ended_leaves_no_line(
    standing: "subprocess.Popen[str]", by: signal.Signals
) -> None:
    assert standing.stdout is not None
    lab = standing.stdout.readline().strip()
    assert f"gm-{lab}-line" in netns.listnetns()
    os.kill(standing.pid, by)
    standing.wait(30)
    if by == signal.SIGKILL:
        assert any(f"lab {lab}, 5 namespaces" in line for line in recover())
    assert [name for name in netns.listnetns() if lab in name] == []
