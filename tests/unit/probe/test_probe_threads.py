# SPDX-License-Identifier: Apache-2.0
"""Readings from outside: the kernel's own counter file, and what threads' run time means."""

import asyncio
from pathlib import Path

import pytest

from gatemark.error import StationError
from gatemark.node.shell import Local
from gatemark.probe.threads import COLUMNS, cpu_readings, interval, port_counters
from gatemark.probe.window import window
from gatemark.station.thread import Thread
from gatemark.station.wiring import Port

THREADS = [Thread("napi/gw0", 11, 1), Thread("napi/gw1", 12, 1)]
REPORT = {
    "t_ns": [0, 500_000_000, 1_500_000_000, 9_000_000_000],
    "threads": {
        "11": {"run_ns": [0, 5, 750_000_005, 0], "wait_ns": [0, 0, 200_000_000, 0]},
        "12": {"run_ns": [7, 7, 7, 7], "wait_ns": [0, 0, 0, 0]},
    },
}


def read(*devices: str) -> dict[str, int]:
    return asyncio.run(port_counters([Port(Local(), device, "") for device in devices]))


def test_the_kernels_header_names_the_columns_that_we_read() -> None:
    header = Path("/proc/net/dev").read_text().splitlines()[1]
    _, received, sent = (part.split() for part in header.split("|"))
    names = [f"rx_{name}" for name in received] + [f"tx_{name}" for name in sent]
    columns = {name: names[column] for name, column in COLUMNS.items()}
    assert columns == {
        "rx_packets": "rx_packets",
        "rx_dropped": "rx_drop",
        "tx_packets": "tx_packets",
        "tx_dropped": "tx_drop",
    }


def test_counters_lie_between_two_readings_of_sysfs() -> None:
    folder = Path("/sys/class/net/lo/statistics")
    before = {f"lo.{name}": int((folder / name).read_text()) for name in COLUMNS}
    counters = read("lo")
    after = {f"lo.{name}": int((folder / name).read_text()) for name in COLUMNS}
    assert counters.keys() == after.keys()
    assert all(before[name] <= counters[name] <= after[name] for name in counters)


def test_a_port_that_is_gone_is_named() -> None:
    with pytest.raises(StationError, match="gone7: a test port is gone; start the run again"):
        read("lo", "gone7")


def test_busy_is_the_share_of_the_window() -> None:
    readings = cpu_readings(REPORT, THREADS, 500_000_000, 1_500_000_000, 1000.0)
    assert [(reading.thread, reading.cpu, reading.busy) for reading in readings] == [
        ("napi/gw0", 1, pytest.approx(0.75)),
        ("napi/gw1", 1, 0.0),
    ]


def test_waiting_for_a_cpu_is_separate_from_using_it() -> None:
    readings = cpu_readings(REPORT, THREADS, 500_000_000, 1_500_000_000, 1000.0)
    assert [reading.waiting for reading in readings] == [pytest.approx(0.2), 0.0]


def test_time_for_each_packet_is_by_those_delivered() -> None:
    readings = cpu_readings(REPORT, THREADS, 500_000_000, 1_500_000_000, 1000.0)
    assert readings[0].ns_per_packet == pytest.approx(750_000)


def test_nothing_delivered_has_no_time_for_each_packet() -> None:
    readings = cpu_readings(REPORT, THREADS, 500_000_000, 1_500_000_000, 0.0)
    assert readings[0].ns_per_packet is None


def test_no_window_has_no_readings() -> None:
    assert cpu_readings(REPORT, THREADS, 600_000_000, 700_000_000, 1000.0) == ()


def test_a_trial_however_short_has_samples_that_span_most_of_it() -> None:
    without = []
    for lasts_s in (0.05, 0.1, 0.2, 0.4, 1.0, 60.0):
        step_ns = interval(lasts_s) * 1_000_000
        for late in (0.0, 0.3, 0.99):  # of an interval, after the first packet
            times = [round(step_ns * (late + place)) for place in range(2000)]
            if window({"t_ns": times}, 0, round(lasts_s * 1e9)) is None:
                without.append((lasts_s, late))
    assert without == []
