# SPDX-License-Identifier: Apache-2.0
"""The soak on the real gateway: it sees idle and full, and ticks do not take it for load."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Probe, Workload
from gatemark.store.record import Record
from lab.planted import measure, plan

RATES = {"idle": 200, "full": 0}


@pytest.fixture(scope="module")
def instrumented() -> dict[str, Record]:
    plans = [
        replace(
            plan("route", Workload(rate_pps=rate, duration_s=0.8), name=f"test/{name}"),
            probe=Probe(use=("cpu", "soak")),
        )
        for name, rate in RATES.items()
    ]
    _, records = measure(*plans)
    return {r.plan.removeprefix("test/"): r for r in records if r.pass_ == "instrumented"}


def test_an_idle_gateway_leaves_most_of_its_cpu(instrumented: dict[str, Record]) -> None:
    assert instrumented["idle"].values["cpu_busy_soak"] < 0.5
    assert instrumented["idle"].values["cpu_busy_inside"] < 0.5


def test_a_full_gateway_leaves_nothing(instrumented: dict[str, Record]) -> None:
    assert instrumented["full"].values["cpu_busy_soak"] > 0.9


def test_its_own_cpu_alone_is_soaked(instrumented: dict[str, Record]) -> None:
    (own,) = instrumented["full"].evidence.soaked
    assert own.cpu == instrumented["full"].evidence.cpu[0].cpu


def test_no_loop_is_left(instrumented: dict[str, Record]) -> None:
    assert instrumented
    agents = [pid for pid in os.listdir("/proc") if pid.isdigit() and _soaks(pid)]  # noqa: PTH208
    assert agents == []


def _soaks(pid: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"soak" in words and any(b"gm-agent" in word for word in words)
