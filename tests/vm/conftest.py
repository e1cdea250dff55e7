# SPDX-License-Identifier: Apache-2.0
"""Virtual gateways for the tests: each is booted once, for one test after another."""

import asyncio
import os
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import pytest
from lab.planted import plan
from msgspec.structs import replace

from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.load import load
from gatemark.station.qemu import VirtualLab
from gatemark.station.recover import recover
from gatemark.store.record import Record

Said = TypeVar("Said")
FEW = Workload(rate_pps=2_000, flows=16, duration_s=0.5)
ROOMY = """
schema = "gatemark.station/1"
[gateway]
kind = "qemu"
arch = "mipsel"
memory_mib = 128
"""


@dataclass(frozen=True, slots=True)
class Booted:
    """A virtual gateway that is up, and the loop that it lives in."""

    lab: VirtualLab
    bench: Bench
    runner: asyncio.Runner

    def run(self, what: Coroutine[Any, Any, Said]) -> Said:
        """Wait for something in its loop."""
        return self.runner.run(what)

    def said(self, script: str) -> str:
        """What the guest prints."""
        return self.run(self.lab.gateway.run("sh", "-c", script)).strip()

    def measure(self, arm: str | Arm, load: Workload = FEW, probes: tuple[str, ...] = ()) -> Record:
        """A short trial that it should stand without loss; without probes from outside alone."""
        spec = replace(order([plan(arm, load)], seed=1)[0], probes=probes)
        with lock.machine(print):
            record, _ = self.run(trial.run(self.bench, spec, lambda *_: None))
        return record


@pytest.fixture(scope="session", params=["qemu-x86", "qemu-mips", "qemu-aarch64"])
def booted(request: pytest.FixtureRequest) -> Iterator[Booted]:
    yield from _boot(request.param, counting=False)


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booted]:
    """One with memory for large tools, and a kernel that has PPPoE."""
    file = tmp_path_factory.mktemp("station") / "roomy.toml"
    file.write_text(ROOMY)
    yield from _boot(str(file), counting=False)


@pytest.fixture(scope="module", params=["qemu-x86", "qemu-mips", "qemu-aarch64"])
def counted(request: pytest.FixtureRequest) -> Iterator[Booted]:
    """One whose instructions are counted."""
    yield from _boot(request.param, counting=True)


def _boot(station: str, *, counting: bool) -> Iterator[Booted]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    recover()
    lab = cast(VirtualLab, load(station))
    if counting:
        lab.count()
    with asyncio.Runner() as runner:
        runner.run(lab.up())
        bench = Bench(lab)
        yield Booted(lab, bench, runner)
        runner.run(bench.__aexit__(None, None, None))
