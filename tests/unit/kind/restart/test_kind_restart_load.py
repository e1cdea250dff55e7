# SPDX-License-Identifier: Apache-2.0
"""A restart is seen by what came before it."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from gatemark.kind.restart import load as restart
from gatemark.node.shell import Local
from gatemark.plan.model import Workload
from gatemark.station.cpu import Placement
from gatemark.station.wiring import ROLES, Port, wires

LOAD = Workload(rate_pps=1_000, duration_s=0.02, restart_s=0.01)
SENDER: Any = SimpleNamespace(close=lambda: asyncio.sleep(0, {"t0_ns": 0, "t1_ns": 10**9}))


def looks(
    monkeypatch: pytest.MonkeyPatch, counts: Iterable[int], comes_s: float = 5.0
) -> tuple[int, int]:
    """How often the sink's port was read before the restart, and its packets at the last time."""
    seen: list[int] = []
    reading: Iterator[int] = iter(counts)

    async def counters(_: object) -> dict[str, int]:
        seen.append(next(reading))
        return {f"{wire.sink.role}.rx_packets": seen[-1]}

    async def again() -> str:
        before.append(len(seen))
        return "there"

    before: list[int] = []
    monkeypatch.setattr(restart, "port_counters", counters)
    monkeypatch.setattr(restart, "COMES_S", comes_s)
    (wire,) = wires({role: Port(Local(), role, "") for role in ROLES}, "route", "up")
    load = restart.Interrupted(wire, LOAD, Placement(gateway=0, sender=0, sink=0), 1, again)
    report = asyncio.run(load.sent(SENDER))
    assert report["restart"]["done"] == "there"
    return before[0], seen[-1]


def test_it_waits_for_packets_of_a_whole_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looks(monkeypatch, [7, 7, 8, 16, 17, 18]) == (5, 17)  # 10 ms at 1 000 a second


def test_it_waits_no_longer_where_they_came_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looks(monkeypatch, [0, 300, 301]) == (2, 300)


def test_a_path_on_which_nothing_comes_is_not_waited_for_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began = time.monotonic()
    assert looks(monkeypatch, [0] * 100, comes_s=0.05)[1] == 0
    assert time.monotonic() - began >= 0.05
