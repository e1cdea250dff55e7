# SPDX-License-Identifier: Apache-2.0
"""What the lab tests share: root, two CPUs, and a picture of the host."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import needs
import pytest

from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.station.netns import Lab
from lab import left


# Before what a module's tests share is measured.
@pytest.fixture(autouse=True, scope="module")
def _root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")


@pytest.fixture(autouse=True, scope="module")
def _two_cpus() -> None:
    needs.two_cpus()


@pytest.fixture
def host_snapshot() -> Callable[[], dict[str, str]]:
    """What a run must not change on the host itself."""
    return snapshot


def snapshot() -> dict[str, str]:
    """Interfaces, rules, qdiscs and sysctls of the host's own namespace."""

    def said(*command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    return {
        "interfaces": said("ip", "-o", "link", "show"),
        "addresses": said("ip", "-o", "addr", "show"),
        "routes": said("ip", "route", "show", "table", "all"),
        "rules": said("nft", "list", "ruleset"),
        "qdiscs": said("tc", "qdisc", "show"),
        "sysctls": "".join(sorted(_sysctls())),
        "namespaces": "\n".join(left.namespaces()),
    }


def warm() -> None:
    """Load into the kernel what a first lab does: that is no run's to give back."""

    async def stand() -> None:
        lab = Lab()
        async with Bench(lab) as bench:
            arm = Arm(path="nat", name="nat", features=("conntrack", "filter:1"))
            await bench.prepare(arm, Workload(), 30_000)

    asyncio.run(stand())


def _sysctls() -> list[str]:
    lines = []
    for root in ("net", "kernel", "vm"):
        for path in Path("/proc/sys", root).rglob("*"):
            if path.is_file() and path.name not in MOVING:
                try:
                    lines.append(f"{path} {path.read_text()}")
                except OSError:
                    continue
    return lines


# Counters and random numbers that change by themselves.
MOVING = {
    "boot_id",
    "entropy_avail",
    "uuid",
    "random",
    "nf_conntrack_count",
    "ns_last_pid",
    "pty",
    "nr",
    "fs-verity",
    "urandom_min_reseed_secs",
}
