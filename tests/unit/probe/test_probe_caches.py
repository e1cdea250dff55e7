# SPDX-License-Identifier: Apache-2.0
"""Events for a packet, from counts over time: what an idle guest does is taken off."""

from functools import cache
from typing import Any

import pytest

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.plan.load import load
from gatemark.plan.model import Device
from gatemark.probe.caches import Cached, Caches, events

SECOND = 1_000_000_000
PAIRS = ("65536/4/32:32768/4/32", "16384/2/16:8192/2/16")


@cache
def devices() -> tuple[Device, ...]:
    return load("counting/estimate")[1][0].gateway.devices


def report(idle: int, busy: int, every: int = SECOND // 10) -> dict[str, Any]:
    """A second of idleness and two of load; `idle` and `busy` are counted a second."""
    times = list(range(0, 3 * SECOND + 1, every))
    column = [min(t, SECOND) * idle / SECOND + max(0, t - SECOND) * busy / SECOND for t in times]
    made: dict[str, Any] = {"t_ns": times, "idle_to_ns": SECOND, "instructions": column}
    made["0.load_misses"] = [10 * n for n in column]
    made["1.load_misses"] = [20 * n for n in column]
    return made


def test_what_an_idle_guest_does_is_taken_off() -> None:
    by_device = events(Cached(report(1000, 21_000), PAIRS), devices(), (SECOND, 3 * SECOND, 2000.0))
    assert by_device["AR9132"]["instructions"] == pytest.approx(10.0)


def test_each_device_has_the_misses_of_its_caches() -> None:
    by_device = events(Cached(report(1000, 21_000), PAIRS), devices(), (SECOND, 3 * SECOND, 2000.0))
    assert by_device["AR9132"]["load_misses"] == pytest.approx(100.0)
    assert by_device["AR7161"] == by_device["AR9132"]
    assert by_device["BCM5352"] == pytest.approx({"instructions": 10.0, "load_misses": 200.0})


def test_only_the_sending_window_counts() -> None:
    seen = report(1000, 21_000)
    seen["instructions"][-1] += 1e9  # after the end
    by_device = events(Cached(seen, PAIRS), devices(), (SECOND, 3 * SECOND - 1, 2000.0))
    assert by_device["AR9132"]["instructions"] == pytest.approx(10.0)


@pytest.mark.parametrize(
    "sent", [(SECOND, 3 * SECOND, 0.0), (SECOND, SECOND + 1, 2000.0)], ids=["none", "short"]
)
def test_a_trial_that_reports_nothing_is_invalid(sent: tuple[int, int, float]) -> None:
    with pytest.raises(InvalidTrialError, match="too short"):
        events(Cached(report(1000, 21_000), PAIRS), devices(), sent)


def test_a_guest_that_was_kept_from_its_processor_is_invalid() -> None:
    with pytest.raises(InvalidTrialError, match="a processor for itself"):
        events(Cached(report(1000, 9000), PAIRS), devices(), (SECOND, 3 * SECOND, 2000.0))


def test_fewer_misses_under_load_than_at_rest_are_no_count() -> None:
    seen = report(1000, 21_000)
    seen["1.load_misses"] = [30 * min(t, SECOND) for t in seen["t_ns"]]  # all of them at rest
    with pytest.raises(InvalidTrialError, match="20 packets/s came through"):
        events(Cached(seen, PAIRS), devices(), (SECOND, 3 * SECOND, 20.0))


def test_without_devices_nothing_is_looked_at() -> None:
    assert events(Cached(), (), (0, 1, 1.0)) == {}


def test_a_gateway_that_is_not_emulated_has_no_caches_to_model() -> None:
    with pytest.raises(UnavailableError, match="--station qemu-mips"):
        Caches(None, devices())
