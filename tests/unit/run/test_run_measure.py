# SPDX-License-Identifier: Apache-2.0
"""A trial holds the machine; whom it waits for, and how long, goes to the display."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import builder
import pytest

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
