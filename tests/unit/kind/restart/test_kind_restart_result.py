# SPDX-License-Identifier: Apache-2.0
"""The times of a reset, from hand-made bins of a sink."""

import pytest

from gatemark.error import InvalidTrialError
from gatemark.kind.restart.result import resets
from gatemark.node.shell import Local
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.workload.way import Way

PORTS = {role: Port(Local(), role, "") for role in ROLES}
MS = 1_000_000
BIN_NS = 10 * MS
FULL = 50  # packets of a bin at 5000 packets/s


def way(*bins: int, began: int = 5, ended: int = 10) -> Way:
    """Bins of 10 ms from the sending's start to its end; the restart is told in bins."""
    (wire,) = wires(PORTS, "route", "up")
    restarted = {"began_ns": began * BIN_NS, "ended_ns": ended * BIN_NS, "done": ""}
    sender = {"t0_ns": 0, "t1_ns": len(bins) * BIN_NS, "restart": restarted}
    return Way(wire, sender, {"rate": {"t0_ns": 0, "bin_ms": 10, "packets": list(bins)}}, {})


def test_reset_time_is_from_the_last_packet_before_to_the_first_after() -> None:
    times = resets(way(*[FULL] * 6, *[0] * 7, *[FULL] * 20), 5000)
    assert times["reset_s"] == pytest.approx(0.07)


def test_full_rate_counts_from_where_it_stays() -> None:
    times = resets(way(*[FULL] * 6, *[0] * 4, 9, 50, 3, 12, *[FULL] * 20), 5000)
    assert times["reset_s"] == pytest.approx(0.04)
    assert times["reset_full_s"] == pytest.approx(0.08)


def test_a_silence_before_the_restart_is_not_its_own() -> None:
    times = resets(way(FULL, 0, 0, 0, 0, 0, 0, FULL, FULL, 0, 0, *[FULL] * 20, began=9), 5000)
    assert times["reset_s"] == pytest.approx(0.02)


def test_the_station_reports_what_its_restart_took() -> None:
    times = resets(way(*[FULL] * 6, 0, *[FULL] * 20, began=5, ended=9), 5000)
    assert times["restart_s"] == pytest.approx(0.04)


def test_a_gateway_that_never_comes_back_is_reported() -> None:
    with pytest.raises(InvalidTrialError, match="nothing arrived after the restart"):
        resets(way(*[FULL] * 6, *[0] * 20, began=6), 5000)


def test_a_rate_that_never_comes_back_is_reported() -> None:
    with pytest.raises(InvalidTrialError, match="raise `duration_s`"):
        resets(way(*[FULL] * 6, 0, *[FULL // 2] * 20), 5000)
