# SPDX-License-Identifier: Apache-2.0
"""Virtual gateways: they boot, forward, are read from outside, restart, and leave nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.station import lock
from gatemark.station.recover import recover
from gatemark.store.record import Record
from vm.conftest import FEW, Booted, on

HOLD = """
import asyncio, time
from gatemark.station.load import load
lab = load("qemu-x86")
asyncio.run(lab.up())
print(lab.lab, flush=True)
time.sleep(600)
"""


def test_the_guest_has_the_real_ip_before_busyboxs(booted: Booted) -> None:
    assert booted.said("uname -m") == booted.lab.model.arch.name
    assert "iproute2" in booted.said("ip -V")


@pytest.mark.long
@on("qemu-mips", "qemu-aarch64")
def test_packets_cross_a_guest_of_another_processor(booted: Booted) -> None:
    assert booted.said("uname -m") == booted.lab.model.arch.name
    require_crossed(booted.measure("nat"))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give it up")
def test_its_emulator_is_nobody_behind_a_filter(booted: Booted) -> None:
    (pid,) = _machines(booted.lab.lab)
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    shown = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    assert {*shown["Uid"].split(), *shown["Gid"].split()} == {"65534"}
    assert {shown[name].strip("0") for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {""}
    assert (shown["NoNewPrivs"], shown["Seccomp"]) == ("1", "2")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to go before others")
def test_its_frames_are_carried_before_the_tester_sends_more(booted: Booted) -> None:
    (pid,) = _machines(booted.lab.lab)
    classes = {
        thread.name: os.sched_getscheduler(thread.pid) for thread in booted.lab.threads.values()
    }
    assert classes == {
        "emulator": os.SCHED_FIFO | os.SCHED_RESET_ON_FORK,
        "vcpu0": os.SCHED_OTHER,
    }
    assert booted.lab.threads["emulator"].pid == pid


def require_crossed(record: Record) -> None:
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.5 * record.accounting.tried


def test_packets_cross_it_and_its_table_of_connections_can_be_emptied(booted: Booted) -> None:
    ours = "conntrack -L 2>/dev/null | grep -c 198.18 || true"  # SSH's own connection stays
    record = booted.measure("nat")
    require_crossed(record)
    assert booted.said(ours) == "16"  # one for each flow
    booted.run(booted.lab.flush())
    assert booted.said(ours) == "0"
    (reading,) = record.evidence.cpu  # from outside
    assert (reading.thread, reading.cpu) == ("vcpu0", booted.lab.cpus.gateway)
    assert 0 < reading.busy <= 1


@pytest.mark.long
@on("qemu-x86", "qemu-mips")
def test_its_processor_is_read_from_inside_as_well(booted: Booted) -> None:
    # Ticks may see nothing of a small load (0 % of 5 000 packets/s was seen); this is half of what
    # it forwards. A shell loop reads once a second, on a slow machine under load less often, and
    # two readings must fall into the trial.
    load = replace(FEW, rate_pps=15_000, duration_s=6)
    record = booted.measure("route", load, probes=("cpu",))
    assert (record.status, record.reason) == ("ok", "")
    (reading,) = record.evidence.inside
    assert reading.thread == "cpu0"
    assert 0 < record.values["cpu_busy_inside"] <= 1


@pytest.mark.long
@on("qemu-x86", "qemu-mips")
def test_it_restarts_as_it_was(booted: Booted) -> None:
    asked = "ip -o address show scope global; ip neigh show nud permanent | sort"
    booted.run(booted.bench.setup.undo())
    before, booting = booted.said(asked), booted.said("cat /proc/sys/kernel/random/boot_id")
    booted.run(booted.lab.restart())
    assert booted.said("cat /proc/sys/kernel/random/boot_id") != booting
    assert booted.said(asked) == before


@pytest.mark.long
def test_a_killed_laboratory_leaves_nothing() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    holder = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    lab = holder.stdout.readline().strip()
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    until = time.monotonic() + 60
    while _machines(lab) and time.monotonic() < until:
        time.sleep(0.1)
    assert _machines(lab) == []  # it dies with the laboratory, before anybody cleans up
    recover()
    assert not lock.private(lab).exists()
    assert f"gm-{lab}-" not in subprocess.check_output(["ip", "netns", "list"], text=True)


def _machines(lab: str) -> list[int]:
    """The processes of QEMU whose command line names a lab."""
    processes = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if line.startswith("qemu-system") and lab in line:
            processes.append(int(path.name))
    return processes
