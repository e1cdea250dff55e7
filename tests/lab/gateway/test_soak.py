# SPDX-License-Identifier: Apache-2.0
"""The soak on the real gateway: it sees idle and full, and ticks do not take it for load."""

import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.plan.model import Probe, Workload
from gatemark.station.cpu import place
from gatemark.store.record import Record
from lab.gateway.test_program import until
from lab.planted import measure, plan

pytestmark = pytest.mark.long
CROWDED = 3  # tasks that are ready for each CPU


def soaked(rate_pps: int) -> Record:
    """A trial at this rate; 0: as fast as it goes."""
    load = Workload(rate_pps=rate_pps, duration_s=0.8)
    planned = replace(plan("route", load), probe=Probe(use=("cpu", "soak")))
    for _ in range(3):  # no reading where other work leaves nothing of the CPU at rest
        _, records = measure(planned)
        record = next(record for record in records if record.pass_ == "instrumented")
        if "cpu_busy_soak" in record.values:
            return record
    pytest.skip("other work leaves nothing to soak")


@pytest.fixture(scope="module")
def full() -> Record:
    return soaked(0)


def idle_s(cpu: int) -> float:
    """How long a CPU had nothing to do so far, beside loops of the lowest class (proc(5))."""
    lines = Path("/proc/stat").read_text().splitlines()
    ticks = next(line.split() for line in lines if line.startswith(f"cpu{cpu} "))
    return (int(ticks[2]) + int(ticks[4])) / os.sysconf("SC_CLK_TCK")


def test_an_idle_gateway_leaves_what_others_leave_of_its_cpu() -> None:
    cpu = place().gateway
    began, idle = time.monotonic(), idle_s(cpu)
    record = soaked(200)
    others = 1 - (idle_s(cpu) - idle) / (time.monotonic() - began)
    assert record.values["cpu_busy_soak"] < 0.5 + others
    assert record.values["cpu_busy_inside"] < 0.5 + others


def test_what_the_gateway_uses_is_missing_from_the_loops(full: Record) -> None:
    # Beside other work the sender may not fill the gateway, and others may have had a fifth of its
    # CPU at rest. So it is judged by what its threads used, as read from outside.
    if os.getloadavg()[0] > CROWDED * (os.cpu_count() or 1):
        pytest.skip("others had the CPU at rest, and gave it back under load")
    assert full.values["cpu_busy_soak"] > full.values["cpu_busy"] - 0.3


def test_its_own_cpu_alone_is_soaked(full: Record) -> None:
    (own,) = full.evidence.soaked
    assert own.cpu == full.evidence.cpu[0].cpu == place().gateway


def test_no_loop_is_left(full: Record) -> None:
    assert full
    # Tests of the agent begin such loops too, and end them.
    assert until(lambda: soaking() == [], within_s=30.0), soaking()


def soaking() -> list[str]:
    """The agents that soak on this machine, whoever began them."""
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and _soaks(pid)]  # noqa: PTH208


def _soaks(pid: str) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"soak" in words and any(b"gm-agent" in word for word in words)
