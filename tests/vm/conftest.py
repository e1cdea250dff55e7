# SPDX-License-Identifier: Apache-2.0
"""Virtual gateways for the tests: each is booted once, for one test after another.

Two workers of xdist (`-n 2 --dist=loadfile`) have a guest each at work, on a CPU of its own. A
file's tests are of one worker, so a file keeps to the gateways of one kind.
"""

import asyncio
import os
from collections.abc import Coroutine, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import pytest
from lab.planted import plan
from msgspec.structs import replace

from gatemark.error import NodeError, StationError, UnavailableError
from gatemark.plan.model import Arm, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from gatemark.station.recover import recover
from gatemark.store.record import Record
from vm.box import Box, box
from vm.cpu import placement, quick

Said = TypeVar("Said")
FEW = Workload(rate_pps=2_000, flows=16, duration_s=0.5)
# What a record's reason names where our own program was not built for the guest's processor.
BUILDS = "setup/build"
ROOMY = """
schema = "gatemark.station/1"
[gateway]
kind = "qemu"
arch = "mipsel"
memory_mib = 128
"""


def require_built(record: Record) -> None:
    """Skip the test where our own program was not built for the guest's processor."""
    if BUILDS in record.reason:
        pytest.skip(record.reason)


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
        return self.tried(replace(order([plan(arm, load)], seed=1)[0], probes=probes))

    def tried(self, spec: TrialSpec) -> Record:
        """A trial. The machine is held while it lasts, not while the gateway is set for it."""
        with suppress(UnavailableError):  # the trial will say so
            self.run(self.bench.prepare(spec.arm, spec.workload, 0, spec.line))
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
        lab.model = quick(lab.model)
        lab.cpus = placement()
        lab.cable.cpu = lab.cpus.gateway
        if self.counting:
            lab.count(programs=True)
        runner = asyncio.Runner()
        try:
            runner.run(lab.up())
        except BaseException:
            runner.close()
            raise
        return Booted(lab, Bench(lab), runner)


def on(*stations: str, fixture: str = "stand") -> pytest.MarkDecorator:
    """On gateways of other processors, too, where a fault may be of one of them alone."""
    return pytest.mark.parametrize(fixture, stations, indirect=True)


@pytest.fixture(scope="session", params=["qemu-x86"])
def stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    yield from _stand(Stand(request.param))


@pytest.fixture(scope="session")
def roomy_stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    file = tmp_path_factory.mktemp("station") / "roomy.toml"
    file.write_text(ROOMY)
    yield from _stand(Stand(str(file)))


# The processor of the studies: its caches are modelled, too.
@pytest.fixture(scope="session", params=["qemu-mips"])
def counted_stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    yield from _stand(Stand(request.param, counting=True))


@pytest.fixture(scope="session")
def desk_box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box on a desk, switched on once for all files; each test leaves it as it was."""
    if os.geteuid() != 0:
        pytest.skip("needs root: taps and NICs")
    with box(tmp_path_factory.mktemp("box")) as made:
        yield made


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
