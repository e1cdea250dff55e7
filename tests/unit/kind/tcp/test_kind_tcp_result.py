# SPDX-License-Identifier: Apache-2.0
"""From a TCP trial's reports to its values, by hand-made reports."""

from typing import Any

import pytest

from gatemark.kind.tcp.result import series, values
from gatemark.node.shell import Local
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.workload.way import Way

PORTS = {device: Port(Local(), device, "") for device in ROLES}
MS = 1_000_000


def way(settle_ns: int = 0, **info: Any) -> Way:
    """Two streams for 40 ms: 1000 bytes in each bin of 10 ms, 500 in the first."""
    (wire,) = wires(PORTS, "route", "up")
    column = {
        "t_ns": [0, 0, 20 * MS, 20 * MS, 40 * MS, 40 * MS],
        "stream": [0, 1] * 3,
        "rtt_us": [100, 200, 300, 400, 300, 400],
        "cwnd": [10] * 6,
        "retransmits": [0, 0, 5, 1, 7, 1],
        "bytes_acked": [0, 0, 900, 700, 1900, 1500],
    }
    sender = {"t0_ns": 0, "t1_ns": 40 * MS, "mss_bytes": 1448, "info": column | info}
    sink = {"rate": {"t0_ns": 0, "bin_ms": 10, "bytes": [500, 1000, 1000, 1000]}}
    return Way(wire, sender, sink, {}, settle_ns)


def test_goodput_is_what_was_read_in_the_time_that_counts() -> None:
    assert values([way()])["goodput_bps"] == pytest.approx(8 * 3500 / 0.04)
    assert values([way(20 * MS)])["goodput_bps"] == pytest.approx(8 * 2000 / 0.02)


def test_directions_are_added() -> None:
    assert values([way(), way()])["goodput_bps"] == pytest.approx(2 * 8 * 3500 / 0.04)


@pytest.mark.parametrize(("settle_ns", "again"), [(0, 8), (20 * MS, 2)])
def test_segments_sent_again_are_those_of_the_time_that_counts(settle_ns: int, again: int) -> None:
    assert values([way(settle_ns)])["retransmits"] == again


def test_the_round_trip_is_over_time_and_streams() -> None:
    quantities = values([way(20 * MS)])
    assert (quantities["rtt_p50_ns"], quantities["rtt_max_ns"]) == (350_000, 400_000)


def test_what_a_kernel_does_not_tell_is_no_value() -> None:
    unknown = {name: [-1] * 6 for name in ("rtt_us", "cwnd", "retransmits")}
    assert values([way(0, **unknown)]).keys() == {"goodput_bps", "mss_bytes"}


def test_what_a_kernel_does_not_tell_is_in_no_series() -> None:
    columns = series(way(0, cwnd=[-1] * 6))
    assert columns["source.up.0.cwnd"] == ([], [])
    assert columns["source.up.1.rtt_ns"] == ([0, 20 * MS, 40 * MS], [200_000, 400_000, 400_000])


def test_a_stream_has_its_own_count_of_bytes() -> None:
    columns = series(way())
    assert columns["source.up.1.acked_bytes"] == ([0, 20 * MS, 40 * MS], [0, 700, 1500])
