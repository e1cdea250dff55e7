# SPDX-License-Identifier: Apache-2.0
"""Virtual gateways for the tests: each is booted once, for one test after another."""

import asyncio
import os
from collections.abc import Coroutine, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import pytest
from lab.planted import plan
from msgspec.structs import replace

from gatemark.error import NodeError, StationError
from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
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

    def lost(self) -> str:
        """How it is told that it no longer answers; nothing where it does."""
        try:
            with suppress(NodeError):  # a connection is known to be lost by its use
                self.said("true")
            self.run(self.lab.require_alive())
        except StationError as error:
            return str(error)
        return ""

    def said(self, script: str) -> str:
        """What the guest prints."""
        return self.run(self.lab.gateway.run("sh", "-c", script)).strip()

    def measure(self, arm: str | Arm, load: Workload = FEW, probes: tuple[str, ...] = ()) -> Record:
        """A short trial that it should stand without loss; without probes from outside alone."""
        spec = replace(order([plan(arm, load)], seed=1)[0], probes=probes)
        with lock.machine(print):
            record, _ = self.run(trial.run(self.bench, spec, lambda *_: None))
        return record


class Stand:
    """Of one gateway after another: where a test lost one, the next test has a new one."""

    def __init__(self, station: str, *, counting: bool = False) -> None:
        self.station = station
        self.counting = counting
        self._booted: Booted | None = None

    def booted(self) -> Booted:
        """The one that is up."""
        if self._booted and self._booted.lost():
            self.clear()
        self._booted = self._booted or self._boot()
        return self._booted

    def clear(self) -> None:
        """Nothing stands here then."""
        if booted := self._booted:
            self._booted = None
            with booted.runner:
                booted.run(booted.bench.__aexit__(None, None, None))

    def _boot(self) -> Booted:
        recover()
        lab = cast(VirtualLab, load(self.station))
        if self.counting:
            lab.count()
        runner = asyncio.Runner()
        try:
            runner.run(lab.up())
        except BaseException:
            runner.close()
            raise
        return Booted(lab, Bench(lab), runner)


def others(*names: str) -> list[Any]:
    """Gateways of other processors, where the processor may matter, but seldom does."""
    return [pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.fixture(scope="session", params=["qemu-x86", *others("qemu-mips", "qemu-aarch64")])
def stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    yield from _stand(Stand(request.param))


@pytest.fixture(scope="module")
def roomy_stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    file = tmp_path_factory.mktemp("station") / "roomy.toml"
    file.write_text(ROOMY)
    yield from _stand(Stand(str(file)))


# Counted first of all is the processor of the studies.
@pytest.fixture(scope="module", params=["qemu-mips", *others("qemu-x86", "qemu-aarch64")])
def counted_stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    yield from _stand(Stand(request.param, counting=True))


@pytest.fixture
def booted(stand: Stand) -> Booted:
    return stand.booted()


@pytest.fixture
def roomy(roomy_stand: Stand) -> Booted:
    """One with memory for large tools, and a kernel that has PPPoE."""
    return roomy_stand.booted()


@pytest.fixture
def counted(counted_stand: Stand) -> Booted:
    """One whose instructions are counted."""
    return counted_stand.booted()


def _stand(stand: Stand) -> Iterator[Stand]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    try:
        yield stand
    finally:
        stand.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, Any]:
    """With a test that failed, the last words of the gateway where it was lost."""
    report = yield
    if report.when == "call" and report.failed:
        for booted in item.funcargs.values() if isinstance(item, pytest.Function) else ():
            if isinstance(booted, Booted) and (why := booted.lost()):
                report.sections.append(("the gateway", why))
    return report
