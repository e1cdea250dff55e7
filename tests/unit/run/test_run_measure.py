# SPDX-License-Identifier: Apache-2.0
"""A trial holds the machine; whom it waits for, and how long, goes to the display."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import UnavailableError
from gatemark.run import measure
from gatemark.run.bench import Bench
from gatemark.tell.live import Live

WAIT = "another run is measuring on this machine: waiting for it"


class Told(Live):
    """A display that keeps what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def wait(self, text: str) -> None:
        self.lines.append(text)


@asynccontextmanager
async def held_by_another(waiting: Callable[[str], None]) -> AsyncIterator[str]:
    """The machine's lock, which another run has for a moment."""
    waiting(WAIT)
    await asyncio.sleep(0.05)
    yield ""


def test_a_trial_that_waits_for_another_run_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told, before = Told(), list[float]()

    async def run(*_: Any) -> tuple[Any, Any]:
        before.append(told.waited_s)
        return builder.trials()[0], {}

    monkeypatch.setattr("gatemark.run.measure.lock.meanwhile", held_by_another)
    monkeypatch.setattr("gatemark.run.measure.trial.run", run)
    asyncio.run(measure._run(cast("Bench", None), builder.run().trials[0], told))
    assert told.lines == [WAIT]
    assert 0.05 <= told.waited_s == before[0]


def test_a_program_is_built_before_the_machine_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where it cannot be, the trial goes on and says so."""
    begun = []

    async def built(*_: Any) -> None:
        begun.append("build")
        raise UnavailableError("no zig")

    @asynccontextmanager
    async def held(_: Callable[[str], None]) -> AsyncIterator[str]:
        begun.append("held")
        yield ""

    async def run(*_: Any) -> tuple[Any, Any]:
        begun.append("trial")
        return builder.trials()[0], {}

    monkeypatch.setattr("gatemark.run.measure.algorithm.built", built)
    monkeypatch.setattr("gatemark.run.measure.lock.meanwhile", held)
    monkeypatch.setattr("gatemark.run.measure.trial.run", run)
    spec = builder.run().trials[0]
    timed = replace(spec, workload=replace(spec.workload, kind="algorithm", command="lpm"))
    asyncio.run(measure._run(cast("Bench", SimpleNamespace(station=None)), timed, Told()))
    assert begun == ["build", "held", "trial"]
