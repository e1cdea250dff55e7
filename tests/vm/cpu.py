# SPDX-License-Identifier: Apache-2.0
"""How a guest is run for a test: on a CPU of its worker's own, and as fast as emulation allows."""

import os
from dataclasses import replace

import needs

from gatemark.station.cpu import Placement
from gatemark.station.qemu.guest import Model


def placement() -> Placement:
    """As station/cpu.py places; the guests of the first two workers of xdist have a CPU each."""
    needs.two_cpus()
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    free = sorted(os.sched_getaffinity(0))
    gateway = free.pop(-1 - worker % len(free))
    return Placement(gateway=gateway, sender=free[0], sink=free[1] if len(free) > 1 else free[0])


def quick(model: Model) -> Model:
    """Without page tables for user space alone: each change of tables costs an emulator dear."""
    return replace(model, append="nopti") if model.arch.name == "x86_64" else model
